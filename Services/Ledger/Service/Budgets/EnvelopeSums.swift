import WalletProtocol

/// An amount of a category in a month, in a currency, at a day's rate.
struct BudgetFigure: Hashable, Sendable {
    let category: ID<WalletProtocol.Category>
    let month: Month
    let day: Day
    let currency: Currency
    let amount: Int64
}

/// Makes envelopes of what was allocated and spent: values in, values out.
///
/// An envelope rolls over from the first month that something was allocated to; what was spent
/// before counts in its own month alone.
struct EnvelopeSums {
    let month: Month
    let currency: Currency
    /// Nil where every figure is in the person's currency.
    let rates: RateHistory?
    /// As they were allocated, of any month up to this one.
    let allocations: [ID<WalletProtocol.Category>: [BudgetFigure]]
    /// As transactions are signed: minus is spent.
    let spending: [ID<WalletProtocol.Category>: [BudgetFigure]]

    init(
        month: Month,
        currency: Currency,
        rates: RateHistory?,
        allocations: [BudgetFigure],
        spending: [BudgetFigure]
    ) {
        (self.month, self.currency, self.rates) = (month, currency, rates)
        self.allocations = Dictionary(grouping: allocations, by: \.category)
        self.spending = Dictionary(grouping: spending, by: \.category)
    }

    /// The envelope of a category.
    /// - Throws: `.balanceOverflow`.
    func envelope(of category: ID<WalletProtocol.Category>) throws(APIError) -> Envelope {
        let allocations = allocations[category] ?? []
        let first = allocations.lazy.map(\.month).min()
        var total = Total(currency: currency, rates: rates)
        var rolled = total
        var spent = total
        for figure in allocations where figure.month <= month {
            if figure.month == month { total.add(figure) } else { rolled.add(figure) }
        }
        for figure in spending[category] ?? [] {
            if figure.month == month {
                spent.add(figure)
            } else if let first, figure.month >= first, figure.month < month {
                rolled.add(figure)
            }
        }
        let budget = rolled.sum + total.sum
        let available = budget + spent.sum
        var apart: [Currency: Int128] = [:]
        for (currency, amount) in total.apart.merging(spent.apart, uniquingKeysWith: +)
            .merging(rolled.apart, uniquingKeysWith: +) where amount != 0
        {
            apart[currency] = -amount
        }
        var unconverted: [Money] = []
        for (currency, amount) in apart.sorted(by: { $0.key < $1.key }) {
            unconverted.append(try money(amount, currency))
        }
        return Envelope(
            categoryID: category,
            month: month,
            rolledOver: try money(rolled.sum, currency),
            allocated: try money(total.sum, currency),
            spent: try money(-spent.sum, currency),
            available: try money(available, currency),
            percent: Nullable(Self.percent(-spent.sum, of: budget)),
            unconverted: unconverted
        )
    }

    /// To one digit, half to even; nil where there is nothing to have a share of.
    static func percent(_ spent: Int128, of budget: Int128) -> ExactDecimal? {
        guard budget > 0 else { return nil }
        let (product, isTooLarge) = spent.multipliedReportingOverflow(by: 1_000)
        guard !isTooLarge else { return nil }
        var (quotient, rest) = product.quotientAndRemainder(dividingBy: budget)
        if rest < 0 { (quotient, rest) = (quotient - 1, rest + budget) }
        if rest > budget - rest || (rest == budget - rest && quotient & 1 == 1) { quotient += 1 }
        return Int64(exactly: quotient).map { ExactDecimal(coefficient: $0, scale: 1) }
    }

    private func money(_ sum: Int128, _ currency: Currency) throws(APIError) -> Money {
        guard let units = Int64(exactly: sum), units != .min else {
            throw APIError(.balanceOverflow, "an envelope holds more than can be written")
        }
        return Money(minorUnits: units, currency)
    }

    /// A sum in one currency, and what could not be converted to it.
    private struct Total {
        let currency: Currency
        let rates: RateHistory?
        var sum: Int128 = 0
        var apart: [Currency: Int128] = [:]

        mutating func add(_ figure: BudgetFigure) {
            if figure.currency == currency {
                sum += Int128(figure.amount)
            } else if let rate = rates?.rate(from: figure.currency, to: currency, on: figure.day),
                let shown = try? rate.shown(figure.amount)
            {
                sum += Int128(shown)
            } else {
                apart[figure.currency, default: 0] += Int128(figure.amount)
            }
        }
    }
}

extension Envelope {
    /// Whether more is gone than was in it.
    var isOverspent: Bool { available.isNegative }
}
