import WalletProtocol

/// What all amounts of a file together tell.
struct CSVAmounts {
    private(set) var votes = DecimalVotes()
    /// Whether every debit that is not zero has a minus already.
    private(set) var debitsAreSigned: Bool
    /// Whether an amount has a sign.
    private(set) var isSigned = false
    /// The first amount that hangs on what nothing decides.
    private(set) var unsure: (line: Int, text: String)?
    /// The mark before fractions; nil where nothing decides.
    private(set) var decimal: UInt8?
    private let isPointLikely: Bool

    init(_ records: [CSVRecord], _ header: CSVHeader) {
        let columns = header.columns
        let roles = [CSVColumns.Role.amount, .debit, .credit, .balance, .fee].filter(columns.has)
        debitsAreSigned = columns.has(.debit)
        for record in records {
            for role in roles {
                let text = columns.field(role, of: record)
                guard let written = WrittenAmount(text) else { continue }
                votes.add(written)
                if role == .amount, written.isSigned { isSigned = true }
                if role == .debit, !written.isNegative,
                    written.body.contains(where: { (0x31...0x39).contains($0) })
                {
                    debitsAreSigned = false
                }
                if role != .balance, unsure == nil, votes.isUnsure {
                    unsure = (record.line, text)
                }
            }
        }
        isPointLikely = header.delimiter == UInt8(ascii: ",")
        decimal = votes.decided
        if decimal == nil, votes.isUnsure {
            decimal = CSVAmounts.elsewhere(records, header)
        }
        if decimal != nil || !votes.isUnsure { unsure = nil }
    }

    /// What three digits behind a mark are where nothing decides: in a file that parts its fields
    /// by commas a fraction behind a point; else one where they always end in 0.
    ///
    /// Not where the currency has three decimals, or none: there it is by itself.
    func guess(_ currency: Currency) -> UInt8 {
        if [0, 3].contains(currency.exponent) { return votes.guess(currency) }
        return isPointLikely ? UInt8(ascii: ".") : votes.padded ?? votes.guess(currency)
    }

    /// What other columns of numbers say: a rate of exchange.
    private static func elsewhere(_ records: [CSVRecord], _ header: CSVHeader) -> UInt8? {
        let taken = Set(header.columns.indexes.values)
        var votes = DecimalVotes()
        for record in records.prefix(1_000) {
            for (index, field) in record.fields.enumerated() where !taken.contains(index) {
                let marks = field.utf8.count(where: { $0 == 0x2E || $0 == 0x2C })
                guard marks == 1, field.utf8.count <= 20,
                    field.utf8.allSatisfy({ isDigit($0) || $0 == 0x2E || $0 == 0x2C }),
                    let written = WrittenAmount(field)
                else { continue }
                votes.add(written)
            }
        }
        return votes.decided
    }
}
