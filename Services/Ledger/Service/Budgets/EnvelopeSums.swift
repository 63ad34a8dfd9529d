import WalletProtocol

/// An amount in a month, in a currency, at a day's rate.
struct EnvelopeFigure: Hashable, Sendable {
    let month: Month
    let day: Day
    let currency: Currency
    let amount: Int128
}

/// The same of a category.
struct BudgetFigure: Hashable, Sendable {
    let category: CategoryID
    let figure: EnvelopeFigure

    init(category: CategoryID, month: Month, day: Day, currency: Currency, amount: Int128) {
        self.category = category
        figure = EnvelopeFigure(month: month, day: day, currency: currency, amount: amount)
    }
}

/// Makes envelopes of what was allocated and spent: values in, values out.
struct EnvelopeSums {
    /// The one that is told of: any of those that the spending is of.
    var month: Month
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
        let balance = try EnvelopeBalance(
            in: month,
            currency,
            rates,
            allocations: (allocations[category] ?? []).map(\.figure),
            spending: (spending[category] ?? []).map(\.figure)
        )
        return Envelope(
            categoryID: category,
            month: month,
            rolledOver: balance.rolledOver,
            allocated: balance.allocated,
            spent: balance.spent,
            available: balance.available,
            percent: Nullable(balance.percent),
            unconverted: balance.unconverted
        )
    }
}

extension Envelope {
    /// Whether more is gone than was in it.
    var isOverspent: Bool { available.isNegative }
}
