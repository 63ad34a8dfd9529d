import WalletProtocol

/// What is in one envelope in a month, whoever's it is: values in, values out.
///
/// An envelope rolls over from the first month that something was allocated to; what was spent
/// before counts in its own month alone.
struct EnvelopeBalance {
    let rolledOver: Total
    let allocated: Total
    let spent: Total
    let available: Total
    let percent: ExactDecimal?
    /// What has no rate, as it was spent.
    let unconverted: [Total]

    /// - Parameter spending: as transactions are signed, minus is spent.
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    init(
        in month: Month,
        _ currency: Currency,
        _ rates: RateHistory?,
        allocations: [EnvelopeFigure],
        spending: [EnvelopeFigure]
    ) throws {
        let first = allocations.lazy.map(\.month).min()
        var given = ConvertedSum(currency: currency, rates: rates)
        var rolled = given
        var change = given
        for figure in allocations where figure.month <= month {
            if figure.month == month { try given.add(figure) } else { try rolled.add(figure) }
        }
        for figure in spending {
            if figure.month == month {
                try change.add(figure)
            } else if let first, figure.month >= first, figure.month < month {
                try rolled.add(figure)
            }
        }
        let budget = try rolled.sum.adding(given.sum)
        (rolledOver, allocated, spent) = (rolled.sum, given.sum, try change.sum.negated())
        available = try budget.subtracting(spent)
        percent = Self.percent(spent.minorUnits, of: budget.minorUnits)
        unconverted = try Self.unconverted([given, change, rolled])
    }

    private static func unconverted(_ sums: [ConvertedSum]) throws(MoneyError) -> [Total] {
        var apart: [Currency: Total] = [:]
        for (currency, amount) in sums.flatMap(\.apart) {
            apart[currency] = try (apart[currency] ?? .zero(currency)).subtracting(amount)
        }
        return apart.values.filter { !$0.isZero }.sorted { $0.currency < $1.currency }
    }

    /// To one digit, half to even; nil where there is nothing to have a share of, or where the
    /// share is beyond 64 bits.
    static func percent(_ spent: Int128, of budget: Int128) -> ExactDecimal? {
        guard budget > 0 else { return nil }
        let (product, isTooLarge) = spent.multipliedReportingOverflow(by: 1_000)
        guard !isTooLarge else { return nil }
        var (quotient, rest) = product.quotientAndRemainder(dividingBy: budget)
        if rest < 0 { (quotient, rest) = (quotient - 1, rest + budget) }
        if rest > budget - rest || (rest == budget - rest && quotient & 1 == 1) { quotient += 1 }
        return Int64(exactly: quotient).map { ExactDecimal(coefficient: $0, scale: 1) }
    }
}

/// A sum in one currency, and what could not be converted to it.
struct ConvertedSum {
    let rates: RateHistory?
    var sum: Total
    var apart: [Currency: Total] = [:]

    init(currency: Currency, rates: RateHistory?) {
        (sum, self.rates) = (.zero(currency), rates)
    }

    mutating func add(_ figure: EnvelopeFigure) throws(MoneyError) {
        let (source, target) = (figure.currency, sum.currency)
        if source == target {
            sum = try sum.adding(Total(minorUnits: figure.amount, target))
        } else if let rate = rates?.rate(from: source, to: target, on: figure.day),
            let shown = try? rate.shown(figure.amount)
        {
            sum = try sum.adding(Total(minorUnits: shown, target))
        } else {
            let amount = Total(minorUnits: figure.amount, source)
            apart[source] = try (apart[source] ?? .zero(source)).adding(amount)
        }
    }
}
