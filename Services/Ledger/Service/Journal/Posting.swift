import Crypto
import Loops
import ServiceKit
import WalletProtocol

/// One element of `post_batch_v1`: money that moves, or a transaction that changes.
///
/// The names are those of the function's own description (`0006_posting.sql`).
struct Posting: Sendable {
    /// What happens.
    enum Kind: String, Sendable {
        case record, transfer, opening, reversal, revision, deposit, hold, capture, void, expiry
    }
    /// Under which key it happens at most once.
    struct Operation: Sendable, Hashable {
        let scope: String
        let key: String
        let requestHash: [UInt8]

        init(scope: String, key: String, requestHash: [UInt8]) {
            self.scope = scope
            self.key = key
            self.requestHash = requestHash
        }

        init(_ scope: IdempotencyScope) {
            self.scope = scope.scope
            key = scope.key
            requestHash = scope.requestHash
        }

        /// For calls without a key: nobody ever asks under it again but the batcher, which sends
        /// the same element once more after a connection that was lost at COMMIT, and is answered
        /// with what became of it.
        ///
        /// In a transaction of one's own, whose every try makes another one, it is no protection:
        /// whatever else that transaction writes has to tell whether it was committed.
        init(of user: ID<User>) {
            scope = user.text + " own"
            key = ID<Event>.new().text
            requestHash = [0]
        }

        /// For work whose name is fixed, and which is done again after a kill.
        init(work: String, part: Int) {
            scope = "work " + work
            key = String(part)
            requestHash = [0]
        }
    }

    /// A part of a payment that is split over categories.
    struct Line: Sendable, Hashable {
        let category: CategoryID
        /// In minor units, signed as the whole; all lines sum to it.
        let amount: Int64
    }
    /// The account that a deposit opens.
    struct Opening: Sendable, Hashable {
        let currency: Currency
        let name: String
        let foldedName: String
        /// Whether the name may be another: no key keeps that it is taken.
        let isProposed: Bool
        let iban: String?
    }
    /// Where something was: millionths of a degree.
    struct Location: Sendable, Hashable {
        let latitude: Int32
        let longitude: Int32
    }

    let kind: Kind
    /// Absent for those elements of a chain that follow its first.
    var operation: Operation?
    /// Elements in a row with one number stand or fall together.
    var chain: Int?
    /// Who asks; nil where the service does by itself.
    let actor: ID<User>?
    /// Whether the service answers for the right: on the account who asks need have none.
    var isByService = false
    /// In whose categories and budgets it counts, where that is not who asks.
    var books: ID<User>?
    let account: ID<Account>
    var counter: ID<Account>?
    /// Whether the other account must be the same owner's.
    var counterIsOwn = false
    /// In minor units.
    var amount: Int64?
    var currency: Currency?
    var quote: ID<Quote>?
    let entry: ID<JournalEntry> = .new()
    var transaction: ID<MoneyTransaction>?
    var version: Int?
    var transfer: ID<Transfer>?
    var counterTransaction: ID<MoneyTransaction>?
    /// What arrives, in the other account's minor units, where a quote does not say.
    var counterAmount: Int64?
    var day: Day?
    /// «Others» where there is none.
    var category: CategoryID?
    var importID: ID<StatementImport>?
    /// An opening's entry that is taken back: it has no transaction.
    var reverses: ID<JournalEntry>?
    var name: String?
    var counterName: String?
    var description: String?
    var reference: String?
    /// In place of a category.
    var lines: [Line] = []
    /// As they were typed, and as lists find them.
    var tags: [String] = []
    var foldedTags: [String] = []
    var location: Location?
    var placeName: String?
    var folder: ID<Folder>?
    var recurrence: ID<Recurrence>?
    /// Until when a hold stands.
    var expires: Instant?
    /// What a deposit opens.
    var opens: Opening?
    /// Of the request that it is made in, for the batcher posts outside of it.
    let traceparent = RequestContext.current?.traceparent

    init(_ kind: Kind, _ operation: Operation?, by actor: ID<User>?, on account: ID<Account>) {
        self.kind = kind
        self.operation = operation
        self.actor = actor
        self.account = account
    }

    /// About how long it is as the function reads it.
    var bytes: Int {
        [name, counterName, description, reference, placeName].reduce(700) {
            $0 + ($1?.utf8.count ?? 0)
        } + lines.count * 80 + tags.reduce(0) { $0 + $1.utf8.count * 2 }
    }

    /// Appends the element as the function reads it.
    // Flat: one line a field.
    func write(into text: inout JSONWriter) {
        var isFirst = true
        func name(_ name: StaticString) {
            text.append(raw: isFirst ? "{\"".utf8 : ",\"".utf8)
            isFirst = false
            text.append(raw: name.description.utf8)
            text.append(raw: "\":".utf8)
        }
        func string(_ label: StaticString, _ value: String?) {
            guard let value else { return }
            name(label)
            text.append(value)
        }
        func id<Tag>(_ label: StaticString, _ value: ID<Tag>?) {
            guard let value else { return }
            name(label)
            text.append(value.text)
        }
        func integer(_ label: StaticString, _ value: Int64?) {
            guard let value else { return }
            name(label)
            text.append(value)
        }
        string("kind", kind.rawValue)
        if let operation {
            string("scope", operation.scope)
            string("key", operation.key)
            string("hash", hexadecimal(operation.requestHash))
        }
        integer("chain", chain.map(Int64.init))
        id("actor", actor)
        if actor == nil || isByService {
            name("asService")
            text.append(raw: "true".utf8)
        }
        id("books", books)
        id("account", account)
        id("counter", counter)
        if counterIsOwn {
            name("counterIsOwn")
            text.append(raw: "true".utf8)
        }
        integer("amount", amount)
        string("currency", currency?.code)
        id("quote", quote)
        id("entry", entry)
        id("transaction", transaction)
        integer("version", version.map(Int64.init))
        id("transfer", transfer)
        id("counterTransaction", counterTransaction)
        integer("counterAmount", counterAmount)
        string("day", day?.description)
        id("category", category)
        id("import", importID)
        id("reverses", reverses)
        string("name", self.name)
        string("counterName", counterName)
        string("description", description)
        string("reference", reference)
        if !lines.isEmpty {
            name("lines")
            text.append(raw: "[".utf8)
            for (index, line) in lines.enumerated() {
                text.append(raw: index == 0 ? "{\"category\":".utf8 : ",{\"category\":".utf8)
                text.append(line.category.text)
                text.append(raw: ",\"amount\":".utf8)
                text.append(line.amount)
                text.append(raw: "}".utf8)
            }
            text.append(raw: "]".utf8)
        }
        func list(_ label: StaticString, _ values: [String]) {
            guard !values.isEmpty else { return }
            name(label)
            for (index, value) in values.enumerated() {
                text.append(raw: index == 0 ? "[".utf8 : ",".utf8)
                text.append(value)
            }
            text.append(raw: "]".utf8)
        }
        list("tags", tags)
        list("foldedTags", foldedTags)
        integer("latitude", location.map { Int64($0.latitude) })
        integer("longitude", location.map { Int64($0.longitude) })
        string("placeName", placeName)
        id("folder", folder)
        id("recurrence", recurrence)
        string("expires", expires?.description)
        if let opens {
            name("opens")
            text.append(raw: "{\"currency\":".utf8)
            text.append(opens.currency.code)
            text.append(raw: ",\"exponent\":".utf8)
            text.append(Int64(opens.currency.exponent))
            text.append(raw: ",\"name\":".utf8)
            text.append(opens.name)
            text.append(raw: ",\"folded\":".utf8)
            text.append(opens.foldedName)
            if opens.isProposed { text.append(raw: ",\"proposed\":true".utf8) }
            if let iban = opens.iban {
                text.append(raw: ",\"iban\":".utf8)
                text.append(iban)
            }
            text.append(raw: "}".utf8)
        }
        string("traceparent", traceparent)
        text.append(raw: "}".utf8)
    }
}

/// What became of an element, in the words and the order of checks of `0006_posting.sql`.
enum PostingStatus: String, Sendable, CaseIterable {
    case posted
    case busy
    case keyReused = "key-reused"
    case chainFailed = "chain-failed"
    case invalidElement = "invalid-element"
    case accountNotFound = "account-not-found"
    case counterNotFound = "counter-not-found"
    case sameAccount = "same-account"
    case categoryNotFound = "category-not-found"
    case folderNotFound = "folder-not-found"
    case transactionNotFound = "transaction-not-found"
    case transactionExists = "transaction-exists"
    case transferNotFound = "transfer-not-found"
    case holdEnded = "hold-ended"
    case forbidden
    case invalidAmount = "invalid-amount"
    case currencyMismatch = "currency-mismatch"
    case quoteNotFound = "quote-not-found"
    case quoteMismatch = "quote-mismatch"
    case quoteUsed = "quote-used"
    case quoteExpired = "quote-expired"
    case amountTooSmall = "amount-too-small"
    case accountClosed = "account-closed"
    case accountFrozen = "account-frozen"
    case accountKind = "account-kind"
    case accountNotEmpty = "account-not-empty"
    case accountNameTaken = "account-name-taken"
    case proposedNameTaken = "proposed-name-taken"
    case overflow
    case insufficientFunds = "insufficient-funds"

    /// What the caller is told.
    var error: APIError {
        switch self {
        case .posted, .invalidElement, .chainFailed, .transactionExists:
            APIError(.internalError)
        case .busy: APIError(.unavailable)
        case .keyReused: APIError(.idempotencyKeyReused)
        case .accountNotFound, .forbidden:
            .field("/accountId", .unknownReference, "is absent or not yours")
        case .counterNotFound:
            .field("/toAccountId", .unknownReference, "is absent or not yours")
        case .categoryNotFound:
            .field("/categoryId", .unknownReference, "is absent or not yours")
        case .folderNotFound:
            .field("/folderId", .unknownReference, "is absent or not yours to put things into")
        case .transactionNotFound, .transferNotFound: .notFound
        case .holdEnded: APIError(.holdEnded)
        case .accountNameTaken, .proposedNameTaken: APIError(.accountNameTaken)
        case .sameAccount:
            .field("/toAccountId", .invalidValue, "is the account that pays")
        case .invalidAmount: .field("/amount", .invalidValue, "is out of range")
        case .currencyMismatch: APIError(.currencyMismatch)
        case .quoteNotFound, .quoteMismatch:
            .field("/quoteId", .unknownReference, "is absent or not yours")
        case .quoteUsed: APIError(.quoteUsed)
        case .quoteExpired: APIError(.quoteExpired)
        case .amountTooSmall: APIError(.amountTooSmall)
        case .accountClosed, .accountFrozen: APIError(.accountClosed)
        case .accountKind: APIError(.accountKind)
        case .accountNotEmpty: APIError(.accountNotEmpty)
        case .overflow: APIError(.balanceOverflow)
        case .insufficientFunds: APIError(.insufficientFunds)
        }
    }
}

/// The outcome of one element.
struct PostingOutcome: Sendable, Hashable {
    let status: PostingStatus
    /// Whether it is the outcome of an earlier call with the same key.
    let isReplay: Bool
    let entry: ID<JournalEntry>?
    let transaction: ID<MoneyTransaction>?
    let transfer: ID<Transfer>?

    /// The same, where it was posted.
    /// - Throws: `APIError` with what the status means.
    func posted() throws(APIError) -> PostingOutcome {
        guard status == .posted else { throw status.error }
        return self
    }
}
