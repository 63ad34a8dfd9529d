import Postgres
import ServiceKit
import WalletProtocol

/// What a forecast is made of, all of one moment.
struct ForecastBooks: Sendable {
    let today: Day
    let currency: Currency
    /// The running calendar month, and the one before.
    let month: ReportPeriod
    let before: ReportPeriod
    let scope: ReportScope
    let booked: [CountedRow]
    let bookedBefore: [CountedRow]
    /// At the end of today, and of the month as it is booked.
    let balances: [BalanceSeries]
    /// Of the accounts that are looked at.
    let upcoming: [Upcoming]

    /// - Throws: 400 `invalid-query` with all that is wrong.
    static func read(
        _ query: ForecastQuery,
        of subject: ReportSubject,
        _ transaction: Transaction
    ) async throws -> ForecastBooks {
        var errors: [FieldError] = []
        let scope = try await ReportScope.read(
            subject,
            accounts: query.accountIDs,
            categories: query.categoryIDs,
            transaction,
            noting: &errors
        )
        try errors.check()
        let month = ReportPeriod(subject.today.month.firstDay, subject.today.month.lastDay)
        let currency = query.currency ?? subject.person.currency
        func counted(_ period: ReportPeriod) async throws -> [CountedRow] {
            let filter = CountedFilter(scope: scope, period: period, currency: currency)
            return try await CountedReader.rows(filter, .nothing, KeptSums(), transaction)
        }
        return ForecastBooks(
            today: subject.today,
            currency: currency,
            month: month,
            before: month.before,
            scope: scope,
            booked: try await counted(month),
            bookedBefore: try await counted(month.before),
            balances: try await balances(scope, from: subject.today, month.to, transaction),
            upcoming: try await upcoming(of: subject, scope, through: month.to, transaction)
        )
    }

    private static func balances(
        _ scope: ReportScope,
        from today: Day,
        _ last: Day,
        _ transaction: Transaction
    ) async throws -> [BalanceSeries] {
        let accounts = scope.held.filter { scope.isChosen || !$0.isClosed }
        // On the month's last day both are one.
        let starts = Set([today, last].compactMap { $0.adding(days: 1) }).sorted()
        guard let first = starts.first else { throw APIError(.internalError) }
        let rows = try await transaction.query(
            ReportStatements.balances,
            accounts.map(\.id),
            starts,
            first,
            accounts.map { _ in first }
        )
        return try BalanceSeries.of(accounts, rows, periods: starts.count - 1)
    }

    /// What is on one of the accounts, or arrives there; a schedule of a closed one rests.
    private static func upcoming(
        of subject: ReportSubject,
        _ scope: ReportScope,
        through last: Day,
        _ transaction: Transaction
    ) async throws -> [Upcoming] {
        let open = Set(scope.accounts.lazy.filter { !$0.isClosed }.map(\.id))
        let recurrences = try await transaction.query(
            RecurrenceStatements.list,
            subject.user,
            ID<WalletProtocol.Recurrence>(high: .max, low: .max),
            Int(RecurrenceStore.perPersonMax)
        )
        let orders = try await transaction.query(
            StandingOrderStatements.list,
            subject.user,
            ID<StandingOrder>(high: .max, low: .max),
            Int(StandingOrderMaker.perPersonMax)
        )
        let others = try await transaction.queryOne(CategoryStatements.others, subject.user)
        let all =
            recurrences.compactMap { Upcoming($0.recurring, through: last) }
            + orders.compactMap { Upcoming($0, through: last, others: others) }
        return all.filter { one in
            open.contains(one.item.accountID)
                || one.arrives.map { open.contains($0.account) } == true
        }
    }

    /// Whether there is another currency than the report's.
    var isForeign: Bool {
        (booked + bookedBefore).contains { $0.foreign != nil }
            || balances.contains { $0.account.currency != currency }
            || upcoming.contains { one in
                one.currency != currency || one.arrives.map { $0.currency != currency } == true
            }
    }

    /// What of a schedule is income or expense of the chosen categories, on the chosen accounts.
    func parts(of one: Upcoming) -> [(category: CategoryID, amount: Int64)] {
        guard scope.accounts.contains(where: { $0.id == one.item.accountID }) else { return [] }
        if scope.categories.isEmpty { return one.parts }
        return one.parts.filter { scope.categories.contains($0.category) }
    }

    /// The schedules that are told of.
    var items: [ForecastItem] {
        upcoming.filter { scope.categories.isEmpty || !parts(of: $0).isEmpty }.map(\.item)
    }
}

extension IncomeSums {
    /// Of what is to come, at the newest rates.
    init(of books: ForecastBooks, _ rates: inout ReportRates) throws(MoneyError) {
        self.init(rates.currency)
        for one in books.upcoming {
            let count = Int64(one.count(from: books.month.from))
            for part in books.parts(of: one) {
                try add(part.amount, count, one.currency, on: books.today, &rates)
            }
        }
    }
}
