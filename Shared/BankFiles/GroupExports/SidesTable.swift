import Text
import WalletProtocol

/// An export that states both sides of each row: Tricount's, Sesterce's, and our own.
///
/// A title and a day, and for each of the people what they bear and what they paid, or one column
/// of who paid. None of them states balances.
struct SidesTable: GroupExportReader {
    private let vocabulary: SidesVocabulary
    private let table: GroupTable
    private let columns: SidesColumns
    private let people: [String]
    private let peopleByName: [String: Int]
    private let assumed: AssumedCurrency?

    /// nil where the text is none.
    init?(
        _ text: [UInt8],
        _ vocabulary: SidesVocabulary,
        _ assumed: AssumedCurrency?
    ) throws(UnreadableStatement) {
        let found = try GroupTable(text) { header, _ in
            SidesColumns(header, vocabulary).isComplete
        }
        guard let found else { return nil }
        self.vocabulary = vocabulary
        self.assumed = assumed
        table = found
        columns = SidesColumns(found.header, vocabulary)
        guard columns.borne.count <= GroupExportLimits.peopleMax else {
            throw .unreadable(line: 1, detail: "the file names more than 100 people")
        }
        people = GroupTable.people(columns.borne.map(\.name))
        peopleByName = Dictionary(
            columns.borne.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func read() throws(UnreadableStatement) -> GroupExport {
        let records = table.records.filter { !isFooter($0) }
        let money =
            columns.borne.map(\.column) + columns.paid.values.sorted()
            + [columns.roles[.amount], columns.converted?.column].compactMap { $0 }
        let writing = GroupWriting(
            days: records.lazy.map { field(.day, of: $0) },
            amounts: records.lazy.flatMap { record in
                money.lazy.map { GroupTable.field($0, of: record) }
            },
            hasPoints: vocabulary.format != .tricount
        )
        var currencies = GroupCurrencies(
            assumed,
            of: records.lazy.map { field(.currency, of: $0) }
        )
        var unknown: [String: Int] = [:]
        var rows = GroupExportRows(vocabulary.format, people: people)
        for record in records {
            try rows.add(record.line) { () throws(GroupRowFault) in
                let row = try self.row(record, writing, &currencies)
                if kind(of: record) == nil {
                    let word = text(.type, of: record)
                    unknown[word] = min(unknown[word] ?? .max, record.line)
                }
                return row
            }
        }
        for (word, line) in unknown.sorted(by: { $0.value < $1.value }).prefix(10) {
            let quoted = FileText.quoted(word)
            rows.note(line, "the type \(quoted) is not known: its rows are read as expenses")
        }
        if let note = currencies.note { rows.note(note.line, note.detail) }
        return rows.export
    }

    private func field(_ role: SidesVocabulary.Role, of record: CSVRecord) -> String {
        GroupTable.field(columns.roles[role], of: record)
    }

    /// A text as it was before it was written.
    private func text(_ role: SidesVocabulary.Role, of record: CSVRecord) -> String {
        let text = field(role, of: record)
        return vocabulary.format == .ezwallet ? CSVField.text(of: text) : text
    }

    /// A line of words below the rows: when it was exported.
    private func isFooter(_ record: CSVRecord) -> Bool {
        record.fields.dropFirst().allSatisfy(GroupTable.isBlank)
    }

    /// What a row is; nil where its type is a word that is not known.
    private func kind(of record: CSVRecord) -> GroupWords.Kind? {
        let isSesterce = vocabulary.format == .sesterce
        let written = field(isSesterce ? .category : .type, of: record)
        guard let word = FileText.line(written, scalarsMax: 80) else { return .expense }
        switch vocabulary.format {
        case .ezwallet: return word == GroupTableColumns.settlement ? .transfer : .expense
        // It has categories only, and money that came in is below zero.
        case .sesterce: return GroupWords.kind(word) == .transfer ? .transfer : .expense
        default: return GroupWords.kind(word)
        }
    }

    private func row(
        _ record: CSVRecord,
        _ writing: GroupWriting,
        _ currencies: inout GroupCurrencies
    ) throws(GroupRowFault) -> GroupExportRow {
        let (told, original) = try amounts(of: record, writing, &currencies)
        let currency = told.currency
        let borne = try amounts(in: columns.borne.map(\.column), of: record, currency, writing)
        let own = columns.borne.map { columns.paid[$0.name] ?? .max }
        let paid = try amounts(in: own, of: record, currency, writing)
        let amount = columns.roles[.amount] == nil ? try sum(paid, in: currency) : told.minorUnits
        if amount == 0 {
            guard (borne + paid).allSatisfy({ $0 == 0 }) else {
                throw GroupRowFault("has no amount, but people who paid or bear it")
            }
            throw .nothing
        }
        let day = try writing.day(field(.day, of: record))
        let kind = kind(of: record)
        // Within the bound of what may be sent, so that the magnitude fits.
        let units = abs(amount)
        let head = GroupRowHead(
            line: record.line,
            day: day,
            name: text(.title, of: record),
            category: text(.category, of: record),
            description: original.map { "\($0.amount) \($0.currency.code)" }
                ?? text(.description, of: record)
        )
        let sides = try GroupSides(
            amount: kind == .income ? -units : amount,
            paid: paid.contains { $0 != 0 }
                ? try side(paid, of: units, on: day)
                : [GroupExportRow.Part(person: try payer(of: record), amount: units)],
            shares: try side(borne, of: units, on: day),
            isPayment: kind == .transfer
        )
        return GroupExportRow(head, sides, in: currency)
    }

    /// The amount that is split, and what it was before it was converted.
    private func amounts(
        of record: CSVRecord,
        _ writing: GroupWriting,
        _ currencies: inout GroupCurrencies
    ) throws(GroupRowFault) -> (split: Money, original: Money?) {
        let code = field(.currency, of: record)
        let written =
            if let converted = columns.converted, GroupTable.isBlank(code) {
                converted.currency
            } else { try currencies.currency(code, line: record.line) }
        let units = try writing.amount(field(.amount, of: record), in: written)
        let original = Money(minorUnits: units, written)
        guard let converted = columns.converted, converted.currency != written else {
            return (original, nil)
        }
        let text = GroupTable.field(converted.column, of: record)
        let split = try writing.amount(text, in: converted.currency, isRounding: true)
        return (Money(minorUnits: split, converted.currency), original)
    }

    private func amounts(
        in columns: [Int],
        of record: CSVRecord,
        _ currency: Currency,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> [Int64] {
        var amounts: [Int64] = []
        for column in columns {
            let text = GroupTable.field(column, of: record)
            amounts.append(try writing.amount(text, in: currency, isRounding: true))
        }
        return amounts
    }

    private func sum(
        _ paid: [Int64],
        in currency: Currency
    ) throws(GroupRowFault) -> Int64 {
        var sum: Int64 = 0
        for amount in paid {
            let (more, isOver) = sum.addingReportingOverflow(amount)
            guard !isOver, !Money(minorUnits: more, currency).isBeyondSent else {
                throw GroupRowFault("what was paid comes to too much")
            }
            sum = more
        }
        return sum
    }

    /// One side; some apps write what is borne below zero.
    private func side(
        _ stated: [Int64],
        of whole: Int64,
        on day: Day
    ) throws(GroupRowFault) -> [GroupExportRow.Part] {
        guard !(stated.contains { $0 > 0 } && stated.contains { $0 < 0 }) else {
            throw GroupRowFault("what is borne or was paid is above zero and below")
        }
        return try GroupSides.parts(stated, of: whole, on: day)
    }

    private func payer(of record: CSVRecord) throws(GroupRowFault) -> Int {
        guard columns.roles[.payer] != nil else { throw GroupRowFault("nobody paid it") }
        let name = field(.payer, of: record)
        let line = FileText.line(name, scalarsMax: 200) ?? ""
        guard let person = peopleByName[line] else {
            throw GroupRowFault("\(FileText.quoted(name)), who paid, is none of the people")
        }
        return person
    }
}
