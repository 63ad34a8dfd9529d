import WalletProtocol

/// An amount of a category in a month, in a currency, at a day's rate.
struct BudgetFigure: Hashable, Sendable {
    let category: CategoryID
    let month: Month
    let day: Day
    let currency: Currency
    let amount: Int128
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
    let allocations: [CategoryID: [BudgetFigure]]
    /// As transactions are signed: minus is spent.
    let spending: [CategoryID: [BudgetFigure]]

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
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    func envelope(of category: CategoryID) throws -> Envelope {
        let allocations = allocations[category] ?? []
        let first = allocations.lazy.map(\.month).min()
        var allocated = ConvertedSum(currency: currency, rates: rates)
        var rolled = allocated
        var change = allocated
        for figure in allocations where figure.month <= month {
            if figure.month == month { try allocated.add(figure) } else { try rolled.add(figure) }
        }
        for figure in spending[category] ?? [] {
            if figure.month == month {
                try change.add(figure)
            } else if let first, figure.month >= first, figure.month < month {
                try rolled.add(figure)
            }
        }
        let budget = try rolled.sum.adding(allocated.sum)
        let spent = try change.sum.negated()
        return Envelope(
            categoryID: category,
            month: month,
            rolledOver: rolled.sum,
            allocated: allocated.sum,
            spent: spent,
            available: try budget.subtracting(spent),
            percent: Nullable(Self.percent(spent.minorUnits, of: budget.minorUnits)),
            unconverted: try unconverted([allocated, change, rolled])
        )
    }

    /// What has no rate, as it was spent.
    private func unconverted(_ sums: [ConvertedSum]) throws(MoneyError) -> [Total] {
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

    /// A sum in one currency, and what could not be converted to it.
    private struct ConvertedSum {
        let rates: RateHistory?
        var sum: Total
        var apart: [Currency: Total] = [:]

        init(currency: Currency, rates: RateHistory?) {
            (sum, self.rates) = (.zero(currency), rates)
        }

        mutating func add(_ figure: BudgetFigure) throws(MoneyError) {
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
}

extension Envelope {
    /// Whether more is gone than was in it.
    var isOverspent: Bool { available.isNegative }
}
