import WalletProtocol

/// SplitPro's export of a friend's page: what two people share, as one of them sees it.
///
/// It states an expense's amount and the part of it that the other of the two bears. Who bears the
/// rest is stated nowhere, so only that part is read.
struct SplitProTable: GroupExportReader {
    private static let header = [
        "paid by", "name", "category", "amount", "split type", "expense date", "currency",
        "you lent", "you owe", "settlement",
    ]
    private enum Column {
        static let payer = 0
        static let name = 1
        static let category = 2
        static let amount = 3
        static let day = 5
        static let currency = 6
        static let moved = 7...9
    }
    /// The person who exported the file.
    private static let own = "You"

    private let table: GroupTable
    private let people: [String]
    private let assumed: AssumedCurrency?

    /// nil where the text is none.
    init?(_ text: [UInt8], _ assumed: AssumedCurrency?) throws(UnreadableStatement) {
        let found = try GroupTable(text) { header, _ in
            header.map { $0.lowercased() } == Self.header
        }
        guard let found else { return nil }
        table = found
        self.assumed = assumed
        let others = Set(found.records.map { GroupTable.field(Column.payer, of: $0) })
            .filter { $0 != Self.own && !GroupTable.isBlank($0) }
        guard others.count <= 1 else {
            throw .unreadable(line: 1, detail: "the file names more than two people")
        }
        people = GroupTable.people([Self.own, others.first ?? "The other person"])
    }

    func read() throws(UnreadableStatement) -> GroupExport {
        let columns = [Column.amount] + Array(Column.moved)
        let writing = GroupWriting(
            days: table.records.lazy.map { GroupTable.field(Column.day, of: $0) },
            amounts: table.records.lazy.flatMap { record in
                columns.lazy.map { GroupTable.field($0, of: record) }
            },
            hasPoints: true
        )
        var currencies = GroupCurrencies(
            assumed,
            of: table.records.lazy.map { GroupTable.field(Column.currency, of: $0) }
        )
        var rows = GroupExportRows(.splitpro, people: people, exporter: 0)
        for record in table.records {
            try rows.add(record.line) { () throws(GroupRowFault) in
                try row(record, writing, &currencies)
            }
        }
        if let first = rows.export.rows.first(where: { $0.description != nil }) {
            rows.note(
                first.line,
                "SplitPro states only what the two of you owe each other: of each expense that "
                    + "part is read, and its description has the whole amount"
            )
        }
        if let note = currencies.note { rows.note(note.line, note.detail) }
        return rows.export
    }

    private func row(
        _ record: CSVRecord,
        _ writing: GroupWriting,
        _ currencies: inout GroupCurrencies
    ) throws(GroupRowFault) -> GroupExportRow {
        guard record.fields.count == Self.header.count else {
            throw GroupRowFault("has not as many fields as the header")
        }
        let currency = try currencies.currency(record.fields[Column.currency], line: record.line)
        let amount = try writing.amount(record.fields[Column.amount], in: currency)
        var moved: [Int64] = []
        for column in Column.moved {
            moved.append(try writing.amount(record.fields[column], in: currency))
        }
        let (lent, owed, settled) = (moved[0], moved[1], moved[2])
        guard moved.contains(where: { $0 != 0 }) else {
            throw .note("moves no money between the two of you")
        }
        let payerName = record.fields[Column.payer]
        guard !GroupTable.isBlank(payerName) else { throw GroupRowFault("does not tell who paid") }
        let isOwn = payerName == Self.own
        guard moved.allSatisfy({ $0 >= 0 }), moved.count(where: { $0 > 0 }) == 1,
            (isOwn ? owed : lent) == 0
        else { throw GroupRowFault("what one lent and owes does not fit who paid") }
        let part = lent + owed + settled
        guard part <= abs(amount), amount > 0 || settled == 0 else {
            throw GroupRowFault("people are owed more than it cost")
        }
        let head = GroupRowHead(
            line: record.line,
            day: try writing.day(record.fields[Column.day]),
            name: record.fields[Column.name],
            category: record.fields[Column.category],
            description: part == abs(amount)
                ? nil : "Part of \(Money(minorUnits: amount, currency).amount) \(currency.code)"
        )
        let (payer, other) = isOwn ? (0, 1) : (1, 0)
        let sides = try GroupSides(
            amount: amount < 0 ? -part : part,
            paid: [GroupExportRow.Part(person: payer, amount: part)],
            shares: [GroupExportRow.Part(person: other, amount: part)],
            isPayment: settled > 0
        )
        return GroupExportRow(head, sides, in: currency)
    }
}
