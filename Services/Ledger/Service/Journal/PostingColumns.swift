import Postgres
import ServiceKit
import WalletProtocol

/// The elements of a call as `post_batch_v1` takes them: an array for each field, with a place for
/// each element.
struct PostingColumns {
    var kinds: [Posting.Kind] = []
    var operations: [ID<Posting.Operation>?] = []
    var requests: [ID<Posting.Operation>?] = []
    var chains: [Int32?] = []
    var actors: [ID<User>?] = []
    var byService: [Bool] = []
    var bookers: [ID<User>?] = []
    var accounts: [ID<Account>] = []
    var counters: [ID<Account>?] = []
    var countersOwn: [Bool] = []
    var amounts: [Int64?] = []
    var currencies: [String?] = []
    var entries: [ID<JournalEntry>] = []
    var lines: [ID<MoneyTransaction>?] = []
    var counterLines: [ID<MoneyTransaction>?] = []
    var days: [Day?] = []
    var categories: [CategoryID?] = []
    var names: [String?] = []
    var counterNames: [String?] = []
    var descriptions: [String?] = []
    var references: [String?] = []
    var traceparents: [String?] = []
    private var imports: [ID<StatementImport>?] = []
    private var rare: [String?] = []

    /// What each is brought by; nil where nothing is brought.
    var imported: [ID<StatementImport>?]? { imports.contains { $0 != nil } ? imports : nil }

    /// What few elements have, a JSON object for each that has any; nil where none has.
    var rareOnes: [String?]? { rare.contains { $0 != nil } ? rare : nil }

    init(_ postings: [Posting]) {
        for posting in postings { append(posting) }
    }

    private mutating func append(_ posting: Posting) {
        kinds.append(posting.kind)
        operations.append(posting.operation?.id)
        requests.append(posting.operation?.request)
        chains.append(posting.chain.map { Int32(clamping: $0) })
        actors.append(posting.actor)
        byService.append(posting.actor == nil || posting.isByService)
        bookers.append(posting.books)
        accounts.append(posting.account)
        counters.append(posting.counter)
        countersOwn.append(posting.counterIsOwn)
        amounts.append(posting.amount)
        currencies.append(posting.currency?.code)
        entries.append(posting.entry)
        lines.append(posting.transaction)
        counterLines.append(posting.counterTransaction)
        days.append(posting.day)
        categories.append(posting.category)
        names.append(posting.name)
        counterNames.append(posting.counterName)
        descriptions.append(posting.description)
        references.append(posting.reference)
        traceparents.append(posting.traceparent)
        imports.append(posting.importID)
        rare.append(posting.rare)
    }
}

extension Posting {
    /// What few elements have, as the function reads it; nil where this one has none of it.
    fileprivate var rare: String? {
        guard hasRare else { return nil }
        var fields = RareFields()
        fields.add("transfer", endedTransfer?.text)
        fields.add("version", version.map(Int64.init))
        fields.add("quote", quote?.text)
        fields.add("counterAmount", counterAmount)
        fields.add("reverses", reverses?.text)
        fields.add("expires", expires?.description)
        fields.add("latitude", location.map { Int64($0.latitude) })
        fields.add("longitude", location.map { Int64($0.longitude) })
        fields.add("placeName", placeName)
        fields.add("folder", folder?.text)
        fields.add("recurrence", recurrence?.text)
        fields.add("approved", approved)
        fields.add("claim", claim)
        fields.add("receivable", receivable?.text)
        fields.add("tags", tags)
        fields.add("foldedTags", foldedTags)
        if !lines.isEmpty {
            fields.list("lines", lines) { line, text in
                text.append(raw: "{\"category\":".utf8)
                text.append(line.category.text)
                text.append(raw: ",\"amount\":".utf8)
                text.append(line.amount)
                text.append(raw: "}".utf8)
            }
        }
        if let opens {
            var account = RareFields()
            account.add("currency", opens.currency.code)
            account.add("exponent", Int64(opens.currency.exponent))
            account.add("name", opens.name)
            account.add("folded", opens.foldedName)
            if opens.isProposed { account.add("proposed", 1) }
            account.add("iban", opens.iban)
            fields.object("opens", account)
        }
        return fields.text
    }

    private var hasRare: Bool {
        endedTransfer != nil || version != nil || quote != nil || reverses != nil
            || expires != nil || location != nil || placeName != nil || folder != nil
            || recurrence != nil || !tags.isEmpty || !foldedTags.isEmpty || !lines.isEmpty
            || opens != nil || approved != nil || claim != nil || receivable != nil
    }
}

/// A JSON object that is written field by field.
private struct RareFields {
    private var writer = JSONWriter(capacity: 256)
    private var isFirst = true

    var text: String {
        var writer = writer
        writer.append(raw: (isFirst ? "{}" : "}").utf8)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private mutating func name(_ name: StaticString) {
        writer.append(raw: isFirst ? "{\"".utf8 : ",\"".utf8)
        isFirst = false
        writer.append(raw: name.description.utf8)
        writer.append(raw: "\":".utf8)
    }

    mutating func add(_ label: StaticString, _ value: String?) {
        guard let value else { return }
        name(label)
        writer.append(value)
    }

    mutating func add(_ label: StaticString, _ value: Int64?) {
        guard let value else { return }
        name(label)
        writer.append(value)
    }

    mutating func add(_ label: StaticString, _ values: [String]) {
        guard !values.isEmpty else { return }
        list(label, values) { $1.append($0) }
    }

    mutating func object(_ label: StaticString, _ fields: RareFields) {
        name(label)
        writer.append(raw: fields.text.utf8)
    }

    mutating func list<Value>(
        _ label: StaticString,
        _ values: [Value],
        _ write: (Value, inout JSONWriter) -> Void
    ) {
        name(label)
        for (index, value) in values.enumerated() {
            writer.append(raw: index == 0 ? "[".utf8 : ",".utf8)
            write(value, &writer)
        }
        writer.append(raw: "]".utf8)
    }
}
