import WalletProtocol

/// How the days and amounts of an export are written.
struct GroupWriting {
    private let order: StatementDates.Order?
    private let votes: DecimalVotes
    /// Whether the app writes a point before the fraction, and nothing between thousands.
    private let hasPoints: Bool

    init(days: some Sequence<String>, amounts: some Sequence<String>, hasPoints: Bool = false) {
        self.hasPoints = hasPoints
        order = StatementDates.evidence(of: days).order
        var votes = DecimalVotes()
        for text in amounts where !GroupTable.isBlank(text) {
            if let amount = WrittenAmount(text) { votes.add(amount) }
        }
        self.votes = votes
    }

    /// A day, where the file tells in which order its parts stand.
    func day(_ text: String) throws(GroupRowFault) -> Day {
        let quoted = FileText.quoted(text)
        if let order {
            guard let day = StatementDates.csv(text, order: order) else {
                throw GroupRowFault("\(quoted) is no day")
            }
            return day
        }
        let days = [StatementDates.Order.dayFirst, .monthFirst].map {
            StatementDates.csv(text, order: $0)
        }
        guard let day = days[0] ?? days[1] else { throw GroupRowFault("\(quoted) is no day") }
        guard days[0] == days[1] else {
            throw GroupRowFault("day or month first in \(quoted)? no row tells: write 2024-12-31")
        }
        return day
    }

    /// An amount in minor units; nothing where the field is empty.
    func amount(
        _ text: String,
        in currency: Currency,
        isRounding: Bool = false
    ) throws(GroupRowFault) -> Int64 {
        if GroupTable.isBlank(text) { return 0 }
        guard let written = WrittenAmount(text) else {
            throw GroupRowFault(AmountFault.malformed.detail(text, currency))
        }
        guard let decimal = mark(in: written, currency) else {
            throw GroupRowFault("\(FileText.quoted(text)) may be a thousand times less or more")
        }
        do throws(AmountFault) {
            let units = try written.minorUnits(
                decimal: decimal,
                in: currency,
                isRounding: isRounding
            )
            guard !Money(minorUnits: units, currency).isBeyondSent else {
                throw AmountFault.tooLarge
            }
            return units
        } catch {
            throw GroupRowFault(error.detail(text, currency))
        }
    }

    /// The mark before the fraction; nil if the file does not decide it.
    private func mark(in amount: WrittenAmount, _ currency: Currency) -> UInt8? {
        if let decided = votes.decided { return decided }
        if hasPoints, !amount.body.contains(UInt8(ascii: ",")) { return UInt8(ascii: ".") }
        if currency.exponent != 3, GroupWriting.isUnsure(amount) { return nil }
        return votes.guess(currency)
    }

    /// Whether three digits behind its only mark may be a fraction or thousands.
    private static func isUnsure(_ amount: WrittenAmount) -> Bool {
        var votes = DecimalVotes()
        votes.add(amount)
        return votes.isUnsure
    }
}
