import WalletProtocol

/// Income and expenses in the report's currency, each zero or more, and what has no rate, signed.
struct IncomeSums {
    private(set) var income: ReportSum
    private(set) var expenses: ReportSum
    private(set) var apart: ReportSum

    init(_ currency: Currency) {
        income = ReportSum(currency)
        (expenses, apart) = (income, income)
    }

    /// Of what is booked.
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    init(_ rows: [CountedRow], _ rates: inout ReportRates) throws(MoneyError) {
        self.init(rates.currency)
        for row in rows {
            if let foreign = row.foreign {
                try add(foreign.each, row.count, foreign.currency, on: foreign.day, &rates)
            } else {
                try add(row.sum, isIncome: row.isIncome)
            }
        }
    }

    /// Adds as many of one amount, each rounded by itself.
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    mutating func add(
        _ each: Int64,
        _ count: Int64,
        _ currency: Currency,
        on day: Day,
        _ rates: inout ReportRates
    ) throws(MoneyError) {
        // A count of rows or days: the product of it and 64 bits is within 128.
        if let shown = rates.shown(Int128(each), currency, on: day) {
            let (sum, isTooLarge) = shown.multipliedReportingOverflow(by: Int128(count))
            guard !isTooLarge else { throw .overflow }
            try add(sum, isIncome: each >= 0)
        } else {
            try apart.add(apart: Int128(each) * Int128(count), currency)
        }
    }

    private mutating func add(_ sum: Int128, isIncome: Bool) throws(MoneyError) {
        if isIncome { try income.add(sum) } else { try expenses.add(-sum) }
    }
}
