import WalletProtocol

/// Splitwise's export of a group: day, description, category, cost and currency, then one column
/// for each of the people with what a row makes them be owed.
///
/// The header is in the language of whoever exported, and so is known by its shape: five columns
/// and people, and below it a currency in the fifth. Behind the rows stands a line for each
/// currency without a cost: the balances.
struct SplitwiseTable: GroupExportReader {
    private static let firstPerson = 5
    private let table: GroupTable
    private let people: [String]

    /// nil where the text is none.
    init?(_ text: [UInt8]) throws(UnreadableStatement) {
        let found = try GroupTable(text) { header, next in
            Self.isHeader(header) && next.prefix(5).contains { Self.currency(of: $0) != nil }
        }
        guard let found else { return nil }
        table = found
        let names = found.header.dropFirst(Self.firstPerson)
        guard names.count <= GroupExportLimits.peopleMax else {
            throw .unreadable(line: 1, detail: "the file names more than 100 people")
        }
        people = GroupTable.people(names)
    }

    private static func isHeader(_ fields: [String]) -> Bool {
        fields.count > firstPerson && !fields.contains(where: GroupTable.isBlank)
            && Currency(fields[4]) == nil && WrittenAmount(fields[3]) == nil
            && StatementDates.csv(fields[0], order: .dayFirst) == nil
    }

    private static func currency(of record: CSVRecord) -> Currency? {
        Currency(code(of: record))
    }

    private static func code(of record: CSVRecord) -> String {
        FileText.line(GroupTable.field(4, of: record), scalarsMax: 40)?.uppercased() ?? ""
    }

    func read() throws(UnreadableStatement) -> GroupExport {
        let writing = GroupWriting(
            days: table.records.lazy.filter { !isTotal($0) }.map { $0.fields[0] },
            amounts: table.records.lazy.flatMap { $0.fields.dropFirst(3) }
        )
        var rows = GroupExportRows(.splitwise, people: people)
        for record in table.records {
            if isTotal(record) {
                do throws(GroupRowFault) {
                    let (currency, balances) = try amounts(of: record, writing)
                    try rows.state(balances, in: currency)
                } catch {
                    rows.fail(record.line, error.detail)
                }
            } else {
                try rows.add(record.line) { () throws(GroupRowFault) in
                    try row(record, writing)
                }
            }
        }
        return rows.export
    }

    /// What has no cost and no category states balances.
    private func isTotal(_ record: CSVRecord) -> Bool {
        GroupTable.isBlank(GroupTable.field(2, of: record))
            && GroupTable.isBlank(GroupTable.field(3, of: record))
            && record.fields.count > Self.firstPerson
    }

    /// The people's columns.
    private func amounts(
        of record: CSVRecord,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> (Currency, [Int64]) {
        guard let currency = Self.currency(of: record) else {
            throw GroupRowFault("\(FileText.quoted(Self.code(of: record))) is no currency")
        }
        let end = Self.firstPerson + people.count
        guard record.fields.count >= end,
            record.fields[end...].allSatisfy(GroupTable.isBlank)
        else { throw GroupRowFault("has not as many fields as the header") }
        var amounts: [Int64] = []
        for field in record.fields[Self.firstPerson..<end] {
            amounts.append(try writing.amount(field, in: currency))
        }
        return (currency, amounts)
    }

    private func row(
        _ record: CSVRecord,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> GroupExportRow {
        let (currency, nets) = try amounts(of: record, writing)
        let cost = try writing.amount(GroupTable.field(3, of: record), in: currency)
        guard cost != 0 || nets.contains(where: { $0 != 0 }) else { throw .nothing }
        let head = GroupRowHead(
            line: record.line,
            day: try writing.day(record.fields[0]),
            name: GroupTable.field(1, of: record),
            category: GroupTable.field(2, of: record)
        )
        let isPayment = head.category.map { GroupWords.isPayment($0) } ?? false
        let sides = try GroupSides(cost: cost, nets: nets, isPayment: isPayment, on: head.day)
        return GroupExportRow(head, sides, in: currency)
    }
}
