import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads how the running month will end: what is booked, and what schedules have yet to bring.
struct ForecastReader {
    let database: Database
    let rates: RateStore
    let blocking: BlockingPool

    func forecast(_ query: ForecastQuery, of subject: ReportSubject) async throws -> Forecast {
        let books = try await database.transaction(FlowReader.snapshot) {
            try await ForecastBooks.read(query, of: subject, $0)
        }
        let history = books.isForeign ? try await self.rates.history(on: blocking) : nil
        return try Forecast(books, history)
    }
}

extension Forecast {
    /// - Throws: `MoneyError.overflow` beyond 128 bits.
    init(_ books: ForecastBooks, _ history: RateHistory?) throws(MoneyError) {
        var rates = ReportRates(to: books.currency, history)
        let booked = try IncomeSums(books.booked, &rates)
        let before = try IncomeSums(books.bookedBefore, &rates)
        let expected = try IncomeSums(of: books, &rates)
        var apart = booked.apart
        for total in expected.apart.unconverted {
            try apart.add(apart: total.minorUnits, total.currency)
        }
        let income = try ForecastSum(booked.income.sum, expected.income.sum)
        let expenses = try ForecastSum(booked.expenses.sum, expected.expenses.sum)
        let outlook = try AccountOutlook(of: books, history, &rates)
        self.init(
            from: books.month.from,
            today: books.today,
            to: books.month.to,
            currency: books.currency,
            income: income,
            expenses: expenses,
            net: try ForecastSum(
                income.booked.subtracting(expenses.booked),
                income.expected.subtracting(expenses.expected)
            ),
            previous: SummaryBefore(
                from: books.before.from,
                to: books.before.to,
                income: before.income.sum,
                expenses: before.expenses.sum,
                unconverted: before.apart.unconverted
            ),
            balance: outlook.together,
            accounts: outlook.accounts,
            items: books.items,
            unconverted: apart.unconverted
        )
    }
}

extension ForecastSum {
    fileprivate init(_ booked: Total, _ expected: Total) throws(MoneyError) {
        self.init(booked: booked, expected: expected, total: try booked.adding(expected))
    }
}
