import WalletProtocol

/// Tricount's export.
///
/// A title, an amount and a day, and for each of the people what they bear and what they paid, or
/// one column of who paid. It states no balances.
struct TricountTable {
    /// What a column tells of a row.
    private enum Role: CaseIterable {
        case title, amount, currency, day, category, type, payer
    }

    /// Names of columns, in English and French.
    private static let names: [Role: Set<String>] = [
        .title: ["title", "titre", "intitulé"],
        .amount: ["amount", "montant"],
        .currency: ["currency", "devise"],
        .day: ["date & time", "date & heure", "date et heure", "date"],
        .category: ["category", "catégorie"],
        .type: ["transaction type", "type de transaction", "type"],
        .payer: ["paid by", "payé par"],
    ]
    private static let payers = ["paid by ", "payé par "]
    private static let bearers = ["impacted to ", "impacté à ", "paid for ", "payé pour ", "pour "]
    /// Of the column in the group's currency, which stands in parentheses behind it.
    private static let converted = ["amount in ", "montant en ", "montant dans "]

    private struct Columns {
        var roles: [Role: Int] = [:]
        /// By the names of people.
        var paid: [String: Int] = [:]
        var borne: [(name: String, column: Int)] = []
        var converted: (column: Int, currency: Currency)?

        init(_ header: [String]) {
            for (index, field) in header.enumerated() {
                let written = FileText.line(field, scalarsMax: 200) ?? ""
                let name = written.lowercased()
                if let role = Role.allCases.first(where: { names[$0]?.contains(name) == true }) {
                    if roles[role] == nil { roles[role] = index }
                } else if let person = Columns.person(written, name, payers) {
                    if paid[person] == nil { paid[person] = index }
                } else if let person = Columns.person(written, name, bearers) {
                    borne.append((person, index))
                } else if converted == nil,
                    TricountTable.converted.contains(where: { name.hasPrefix($0) }),
                    let currency = Columns.currency(written)
                {
                    converted = (index, currency)
                }
            }
        }

        private static func person(
            _ written: String,
            _ name: String,
            _ prefixes: [String]
        ) -> String? {
            guard let prefix = prefixes.first(where: { name.hasPrefix($0) }) else { return nil }
            return String(written.dropFirst(prefix.count))
        }

        /// `(EUR)` at the end.
        private static func currency(_ name: String) -> Currency? {
            guard name.hasSuffix(")") else { return nil }
            return Currency(name.dropLast().suffix(3))
        }

        var isComplete: Bool {
            let needed: [Role] = [.title, .amount, .day]
            return needed.allSatisfy { roles[$0] != nil } && !borne.isEmpty
                && (roles[.payer] != nil || !paid.isEmpty)
                && (roles[.currency] != nil || converted != nil)
        }
    }

    private let table: GroupTable
    private let columns: Columns
    private let people: [String]
    private let peopleByName: [String: Int]

    /// nil where the text is none.
    init?(_ text: [UInt8]) throws(UnreadableStatement) {
        let found = try GroupTable(text) { header, _ in Columns(header).isComplete }
        guard let found else { return nil }
        table = found
        columns = Columns(found.header)
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
            }
        )
        var rows = GroupExportRows(.tricount, people: people)
        for record in records {
            try rows.add(record.line) { () throws(GroupRowFault) in try row(record, writing) }
        }
        return rows.export
    }

    private func field(_ role: Role, of record: CSVRecord) -> String {
        GroupTable.field(columns.roles[role], of: record)
    }

    /// A line of words below the rows: when it was exported.
    private func isFooter(_ record: CSVRecord) -> Bool {
        record.fields.dropFirst().allSatisfy(GroupTable.isBlank)
    }

    private func row(
        _ record: CSVRecord,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> GroupExportRow {
        let day = try writing.day(field(.day, of: record))
        let (amount, original) = try amounts(of: record, writing)
        let type = FileText.line(field(.type, of: record), scalarsMax: 80) ?? ""
        guard !amount.isZero else { throw GroupRowFault("has no amount") }
        // Within the bound of what may be sent, so that the magnitude fits.
        let units = abs(amount.minorUnits)
        let whole = Whole(amount: Money(minorUnits: units, amount.currency), day: day)
        let shares = try sides(of: record, columns.borne.map(\.column), whole, writing)
        let paid = try payers(of: record, whole, writing)
        guard paid.count <= GroupExportLimits.payersMax else {
            throw GroupRowFault("more than \(GroupExportLimits.payersMax) people paid")
        }
        let isBack = GroupWords.isIncome(type) || amount.isNegative
        let isTransfer =
            !isBack && GroupWords.isTransfer(type) && paid.count == 1 && shares.count == 1
            && paid[0].person != shares[0].person
        let category = FileText.line(field(.category, of: record), scalarsMax: 80)
        let name = FileText.line(field(.title, of: record), scalarsMax: StatementLimits.nameMax)
        return GroupExportRow(
            line: record.line,
            day: day,
            name: name ?? category ?? "Unnamed",
            description: original.map { "\($0.amount) \($0.currency.code)" },
            category: category,
            kind: isTransfer ? .payment : .expense,
            amount: Money(minorUnits: isBack ? -units : units, amount.currency),
            paid: isBack ? paid.map(\.negated) : paid,
            shares: isBack ? shares.map(\.negated) : shares
        )
    }

    /// What both sides of a row sum to, and the day by which odd units turn.
    private struct Whole {
        let amount: Money
        let day: Day
    }

    /// The amount that is split, and what it was before it was converted.
    private func amounts(
        of record: CSVRecord,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> (split: Money, original: Money?) {
        let code = FileText.line(field(.currency, of: record), scalarsMax: 40)?.uppercased() ?? ""
        let written = Currency(code) ?? (code.isEmpty ? columns.converted?.currency : nil)
        guard let written else { throw GroupRowFault("\(FileText.quoted(code)) is no currency") }
        let amount = field(.amount, of: record)
        let original = Money(minorUnits: try writing.amount(amount, in: written), written)
        guard let converted = columns.converted, converted.currency != written else {
            return (original, nil)
        }
        let text = GroupTable.field(converted.column, of: record)
        let units = try writing.amount(text, in: converted.currency, isRounding: true)
        return (Money(minorUnits: units, converted.currency), original)
    }

    /// What each column tells, whatever its sign, summing to the amount: what rounding leaves is
    /// at most a minor unit of each, and falls on them as odd units do.
    private func sides(
        of record: CSVRecord,
        _ columns: [Int],
        _ whole: Whole,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> [GroupExportRow.Part] {
        var parts: [GroupExportRow.Part] = []
        let amount = whole.amount
        var left = amount.minorUnits
        for (person, column) in columns.enumerated() {
            let text = GroupTable.field(column, of: record)
            let units = abs(try writing.amount(text, in: amount.currency, isRounding: true))
            guard units > 0 else { continue }
            let (rest, isOver) = left.subtractingReportingOverflow(units)
            if isOver { throw GroupRowFault("what is borne or was paid comes to too much") }
            left = rest
            parts.append(GroupExportRow.Part(person: person, amount: units))
        }
        guard left.magnitude <= UInt64(parts.count) else {
            throw GroupRowFault("what is borne or was paid does not sum to the amount")
        }
        let divided = try? Division.proportional(
            amount.minorUnits,
            weights: parts.map(\.amount),
            turn: Division.Turn(on: whole.day, amount.minorUnits)
        )
        guard let divided else { throw GroupRowFault("nobody bears it, or nobody paid it") }
        return zip(parts, divided).map { GroupExportRow.Part(person: $0.person, amount: $1) }
            .filter { $0.amount > 0 }
    }

    private func payers(
        of record: CSVRecord,
        _ whole: Whole,
        _ writing: GroupWriting
    ) throws(GroupRowFault) -> [GroupExportRow.Part] {
        let own = self.columns.borne.map { columns.paid[$0.name] ?? .max }
        let isTold = own.contains { !GroupTable.isBlank(GroupTable.field($0, of: record)) }
        if isTold { return try sides(of: record, own, whole, writing) }
        let name = field(.payer, of: record)
        let line = FileText.line(name, scalarsMax: 200) ?? ""
        guard let person = peopleByName[line] else {
            throw GroupRowFault("\(FileText.quoted(name)), who paid, is none of the people")
        }
        return [GroupExportRow.Part(person: person, amount: whole.amount.minorUnits)]
    }
}
