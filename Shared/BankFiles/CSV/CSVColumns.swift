import WalletProtocol

/// Which column of a CSV file tells what, by the names in its header line.
struct CSVColumns: Hashable {
    /// What a column tells.
    enum Role: String, CaseIterable, Hashable {
        /// The day.
        case date
        /// The day of a row that has none.
        case otherwise
        /// Signed.
        case amount
        /// Money out, without a sign.
        case debit
        /// Money in.
        case credit
        /// Whether an amount without a sign is money out.
        case direction
        /// What the bank took beside the amount.
        case fee
        /// The balance after the row.
        case balance
        /// A code of ISO 4217.
        case currency
        /// The bank's id of the row.
        case reference
        /// The other side's account number.
        case counterparty
        /// Who was paid: of money that goes out the other side.
        case payee
        /// Who paid: of money that comes in the other side.
        case payer
        /// Who was paid or paid.
        case name
        /// What for.
        case description
        /// Whether it is booked.
        case status
        /// The account that the row is of.
        case account
    }

    /// By role, from 0.
    private(set) var indexes: [Role: Int]
    /// Every column that tells what for, the best first.
    private(set) var descriptions: [Int] = []
    /// The currencies that the amount's name speaks of, the likeliest first: `Amount ($)`.
    private(set) var currencies: [Currency]
    /// What is known of whoever wrote the file, where that is known.
    let exporter: CSVExporter?

    /// Columns that were found or given.
    init(indexes: [Role: Int], currency: Currency?) {
        self.indexes = indexes
        currencies = currency.map { [$0] } ?? []
        exporter = nil
    }

    /// The columns of a header line; nil when it has no day or no amount.
    ///
    /// What a known exporter's columns tell comes first, then whole names, for every role; what is
    /// left is looked at by first words. The day of booking goes before the value's, and debits and
    /// credits of their own before an amount that is one by its first word alone.
    init?(header: CSVRecord) {
        let names = header.fields.map(CSVColumnName.init)
        exporter = CSVNames.shipped.exporter(of: names.map(\.plain))
        var finder = Finder(names: names, found: exporter?.columns(in: names.map(\.plain)) ?? [:])
        finder.absent = exporter?.absent ?? []
        finder.find()
        guard let found = finder.complete() else { return nil }
        indexes = found
        currencies = []
        currencies = named(in: names)
        addTexts(of: header.fields)
    }

    /// The currencies in the names of the columns of money, the amount's first.
    private func named(in names: [CSVColumnName]) -> [Currency] {
        let roles = [Role.amount, .debit, .credit, .balance]
        let told = roles.lazy.compactMap { indexes[$0] }.map { names[$0].currencies }
        return told.first { !$0.isEmpty } ?? []
    }

    /// Which column tells what, while it is being found.
    private struct Finder {
        let names: [CSVColumnName]
        var found: [Role: Int]
        /// Roles that no column has.
        var absent: Set<Role> = []

        mutating func find() {
            exactly(.date)
            for role in [Role.debit, .credit] where found[.amount] == nil {
                exactly(role)
                take(role) { $0.side.flatMap { CSVNames.shipped.rank(of: $0, role) } }
            }
            for role in Role.allCases { exactly(role) }
            for role in [Role.date, .balance, .description] { loosely(role) }
            if found[.debit] == nil || found[.credit] == nil { loosely(.amount) }
            // `CAD$` beside `USD$`: a column of amounts in each.
            if found[.debit] == nil || found[.credit] == nil {
                take(.amount) { $0.plain.isEmpty && !$0.currencies.isEmpty ? 0 : nil }
            }
            // `Valuta` alone is the value's day, or else the currency.
            for day in CSVColumns.valueDays where found[.date] == nil {
                if let currency = found[.currency], names[currency].plain == day {
                    found[.currency] = nil
                }
                take(.date) { $0.plain == day ? 0 : nil }
            }
            // One of the two alone tells whom the row is with, whichever way the money goes.
            if found[.payer] == nil || found[.payee] == nil {
                found[.name] = found[.name] ?? found[.payee] ?? found[.payer]
                found[.payee] = nil
                found[.payer] = nil
            }
        }

        func complete() -> [Role: Int]? {
            var found = found
            guard found[.date] != nil else { return nil }
            let hasSides = found[.debit] != nil && found[.credit] != nil
            guard hasSides || found[.amount] != nil else { return nil }
            // Where the header has both, the rows tell which of them is filled.
            if !hasSides { (found[.debit], found[.credit]) = (nil, nil) }
            if found[.amount] == nil { found[.direction] = nil }
            return found
        }

        /// Gives a role the free column whose rank is the lowest.
        private mutating func take(_ role: Role, _ rank: (CSVColumnName) -> Int?) {
            guard found[role] == nil, !absent.contains(role) else { return }
            let taken = Set(found.values)
            let free = names.indices.filter { !taken.contains($0) }
            let ranked = free.compactMap { index in rank(names[index]).map { ($0, index) } }
            found[role] = ranked.min { $0 < $1 }?.1
        }

        private mutating func exactly(_ role: Role) {
            take(role) { CSVNames.shipped.rank(of: $0.plain, role) }
        }

        private mutating func loosely(_ role: Role) {
            take(role) { name in
                role == .date && CSVColumns.valueDays.contains(name.plain)
                    ? nil : CSVNames.shipped.isLoosely(name.plain, role) ? 0 : nil
            }
        }
    }

    /// Finds what more than one column may tell: what for, and whom with by the way of the money.
    ///
    /// A column that was given for one of these roles, and has none of its names, stands alone.
    mutating func addTexts(of header: [String]) {
        let plain = header.map(CSVColumns.plain)
        descriptions = indexes[.description].map { [$0] } ?? []
        if let first = descriptions.first, first < plain.count,
            CSVNames.shipped.rank(of: plain[first], .description) != nil, exporter == nil
        {
            let taken = Set(indexes.values)
            let more = plain.indices.filter { !taken.contains($0) }.compactMap { index in
                CSVNames.shipped.rank(of: plain[index], .description).map { ($0, index) }
            }
            descriptions += more.sorted { $0 < $1 }.map(\.1)
        }
        if indexes[.otherwise] == nil {
            indexes[.otherwise] = plain.indices.first {
                CSVNames.shipped.rank(of: plain[$0], .otherwise) != nil
                    && !indexes.values.contains($0)
            }
        }
        guard indexes[.payer] == nil, indexes[.payee] == nil else { return }
        let pair = [Role.payer, .payee].compactMap { role in
            plain.indices.first { CSVNames.shipped.rank(of: plain[$0], role) != nil }
        }
        guard pair.count == 2, pair[0] != pair[1] else { return }
        indexes[.payer] = pair[0]
        indexes[.payee] = pair[1]
        if indexes[.name] == pair[0] || indexes[.name] == pair[1] { indexes[.name] = nil }
    }

    /// How much of the header is known.
    var known: Int { indexes.count + (exporter == nil ? 0 : 100) }

    /// Of columns that tell what for, leaves those out that a test does.
    mutating func dropDescriptions(where isDropped: (Int) -> Bool) {
        descriptions.removeAll(where: isDropped)
        indexes[.description] = descriptions.first
    }

    /// Gives the amounts a column, and the currencies that its name speaks of.
    mutating func setAmount(_ index: Int, _ currencies: [Currency]) {
        indexes[.amount] = index
        self.currencies = currencies
    }

    /// Gives a role a column.
    mutating func set(_ role: Role, _ index: Int?) {
        indexes[role] = index
        if role == .description { descriptions = index.map { [$0] } ?? [] }
    }

    /// The column that tells whether a row is booked, among those that tell nothing else.
    static func status(in names: [String], besides taken: some Collection<Int>) -> Int? {
        let ranked = names.indices.filter { !taken.contains($0) }.compactMap { index in
            CSVNames.shipped.rank(of: plain(names[index]), .status).map { ($0, index) }
        }
        return ranked.min { $0 < $1 }?.1
    }

    /// A text in small ASCII letters with single spaces, as the names here are.
    static func plain(_ text: String) -> String { CSVColumnName(text).plain }

    /// The field of a record; empty where there is no such column or the record is short.
    func field(_ role: Role, of record: CSVRecord) -> String {
        guard let index = indexes[role], index < record.fields.count else { return "" }
        return record.fields[index]
    }

    /// What the columns of that role say, once each.
    func description(of record: CSVRecord) -> String {
        guard descriptions.count > 1 else { return field(.description, of: record) }
        var said: [String] = []
        for index in descriptions where index < record.fields.count {
            let text = record.fields[index]
            let isBlank = text.utf8.allSatisfy { $0 <= 0x20 }
            if !isBlank, !said.contains(text) { said.append(text) }
        }
        return said.joined(separator: "; ")
    }

    /// Whether there is such a column.
    func has(_ role: Role) -> Bool { indexes[role] != nil }

    /// Names of the value's day, the best first.
    fileprivate static let valueDays = [
        "value date", "wertstellung", "valutadatum", "data valuta", "date valeur", "date de valeur",
        "fecha valor", "valuta",
    ]
}
