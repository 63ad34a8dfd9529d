import WalletProtocol

/// Spliit's export of a group.
///
/// One column for each of the people has the part that they bear: of the sign of the cost for the
/// person who paid, of the other sign for everybody else. Parts are rounded. Someone who paid and
/// bears nothing has a zero as those who had no part in it; only if there is one zero, it is they.
struct SpliitTable: GroupExportReader {
    private static let first = ["date", "description", "category", "currency", "cost"]

    private let table: GroupTable
    private let columns: [String: Int]
    private let firstPerson: Int
    private let people: [String]
    private let assumed: AssumedCurrency?

    /// nil where the text is none.
    init?(_ text: [UInt8], _ assumed: AssumedCurrency?) throws(UnreadableStatement) {
        let found = try GroupTable(text) { header, _ in Self.firstPerson(header) != nil }
        guard let found, let firstPerson = Self.firstPerson(found.header) else { return nil }
        table = found
        self.assumed = assumed
        self.firstPerson = firstPerson
        let names = found.header.dropFirst(firstPerson)
        guard names.count <= GroupExportLimits.peopleMax else {
            throw .unreadable(line: 1, detail: "the file names more than 100 people")
        }
        people = GroupTable.people(names)
        columns = Dictionary(
            found.header.prefix(firstPerson).enumerated().map { ($1.lowercased(), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Behind the last of the app's own columns; nil for a header of another app.
    private static func firstPerson(_ header: [String]) -> Int? {
        let names = header.map { $0.lowercased() }
        guard names.starts(with: first), let last = names.firstIndex(of: "split mode"),
            names[..<last].contains("is reimbursement"), last + 1 < names.count
        else { return nil }
        return last + 1
    }

    private func field(_ name: String, of record: CSVRecord) -> String {
        GroupTable.field(columns[name], of: record)
    }

    func read() throws(UnreadableStatement) -> GroupExport {
        let writing = GroupWriting(
            days: table.records.lazy.map { $0.fields[0] },
            amounts: table.records.lazy.flatMap { record in
                [field("cost", of: record)] + record.fields.dropFirst(firstPerson)
            },
            hasPoints: true
        )
        var currencies = GroupCurrencies(
            assumed,
            of: table.records.lazy.map { field("currency", of: $0) }
        )
        var rows = GroupExportRows(.spliit, people: people)
        for record in table.records {
            try rows.add(record.line) { () throws(GroupRowFault) in
                try row(record, writing, &currencies)
            }
        }
        if let note = currencies.note { rows.note(note.line, note.detail) }
        return rows.export
    }

    private func row(
        _ record: CSVRecord,
        _ writing: GroupWriting,
        _ currencies: inout GroupCurrencies
    ) throws(GroupRowFault) -> GroupExportRow {
        let end = firstPerson + people.count
        guard record.fields.count >= end, record.fields[end...].allSatisfy(GroupTable.isBlank)
        else { throw GroupRowFault("has not as many fields as the header") }
        let code = field("currency", of: record)
        let currency = try currencies.currency(code, line: record.line)
        let cost = try writing.amount(field("cost", of: record), in: currency)
        var parts: [Int64] = []
        for text in record.fields[firstPerson..<end] {
            parts.append(try writing.amount(text, in: currency, isRounding: true))
        }
        guard cost != 0 || parts.contains(where: { $0 != 0 }) else { throw .nothing }
        let day = try writing.day(record.fields[0])
        let payer = try payer(of: parts, cost)
        let head = GroupRowHead(
            line: record.line,
            day: day,
            name: field("description", of: record),
            category: field("category", of: record),
            description: original(of: record, not: currency)
        )
        let isPayment = field("is reimbursement", of: record).lowercased() == "yes"
        let sides = try GroupSides(
            amount: cost,
            paid: [GroupExportRow.Part(person: payer, amount: abs(cost))],
            shares: try GroupSides.parts(parts, of: abs(cost), on: day),
            isPayment: isPayment
        )
        return GroupExportRow(head, sides, in: currency)
    }

    private func payer(of parts: [Int64], _ cost: Int64) throws(GroupRowFault) -> Int {
        guard cost != 0 else { throw GroupRowFault("costs nothing, but people bear it") }
        let bearing = parts.indices.filter { parts[$0] != 0 && (parts[$0] > 0) == (cost > 0) }
        if bearing.count == 1 { return bearing[0] }
        guard bearing.isEmpty else { throw GroupRowFault("more than one person paid it") }
        let without = parts.indices.filter { parts[$0] == 0 }
        guard without.count == 1 else {
            throw GroupRowFault("does not tell who paid: Spliit leaves it out if they bear nothing")
        }
        return without[0]
    }

    /// What was paid, if it was converted.
    private func original(of record: CSVRecord, not currency: Currency) -> String? {
        let code = field("original currency", of: record)
        let cost = field("original cost", of: record)
        guard !GroupTable.isBlank(code), !GroupTable.isBlank(cost), code != currency.code else {
            return nil
        }
        return "\(cost) \(code)"
    }
}
