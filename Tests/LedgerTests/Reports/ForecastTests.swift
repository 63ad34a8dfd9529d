import Loops
import Postgres
import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// A forecast tells what the workers then do.
@Suite struct ForecastTests {
    private static func blocking() -> BlockingPool { BlockingPool(threads: 1, queueMax: 4) }

    private static func forecast(
        _ books: Books,
        _ query: ForecastQuery,
        _ user: ID<User>,
        on today: Day
    ) async throws -> Forecast {
        let person = try #require(try await books.service.queryOne(PeopleStatements.find, user))
        return try await ForecastReader(
            database: books.service,
            rates: .shared,
            blocking: blocking()
        ).forecast(
            query,
            of: ReportSubject(user: user, person: person, today: today, isOfChild: false)
        )
    }

    /// Everything that is due by a moment.
    private static func work(_ books: Books, at moment: Instant) async throws {
        let recurrences = RecurrenceWork(
            database: books.service,
            relayBell: RelayBell(),
            now: { moment }
        )
        while try await recurrences.doOne() {}
        let orders = StandingOrderWork(
            database: books.service,
            rates: { try RateStore.shared.history() },
            relayBell: RelayBell(),
            now: { moment }
        )
        while try await orders.doOne() {}
    }

    @Test(arguments: ledgerSeeds)
    func theMonthEndsAsItWasForecast(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var chance = SeededGenerator(seed: seed)
            let (ada, bob) = try await (books.person(), books.person())
            var accounts: [ID<Account>] = []
            for _ in 0..<3 { accounts.append(try await books.account(of: ada, holding: 900_000)) }
            let theirs = try await books.account(of: bob)
            let food = try await books.category(of: ada, "Food")
            let others = try await books.others(of: ada)
            let month = try #require(
                Month(year: 2026, month: Int.random(in: 1...12, using: &chance))
            )
            let today = try #require(
                month.firstDay.adding(days: Int.random(in: 0..<month.dayCount, using: &chance))
            )
            for _ in 0..<12 {
                let rule = RecurrenceRule(
                    every: Int.random(in: 1...9, using: &chance),
                    unit: [.day, .week, .month].randomElement(using: &chance) ?? .day,
                    until: Bool.random(using: &chance)
                        ? max(today, month.lastDay.adding(days: -5) ?? today) : nil
                )
                let first = try #require(
                    today.adding(days: -Int.random(in: 0...60, using: &chance))
                )
                let account = try #require(accounts.randomElement(using: &chance))
                switch Int.random(in: 0..<4, using: &chance) {
                case 0...1:
                    _ = try await books.recurrence(
                        rule,
                        from: first,
                        on: account,
                        of: ada,
                        Int64.random(in: -900...900, using: &chance),
                        category: [food, others].randomElement(using: &chance)
                    )
                case 2:
                    // From now on: whoever orders today has no days behind.
                    _ = try await books.order(
                        rule,
                        from: today,
                        from: account,
                        to: theirs,
                        of: ada,
                        Int64.random(in: 1...900, using: &chance)
                    )
                default:
                    guard
                        let other = accounts.filter({ $0 != account }).randomElement(using: &chance)
                    else { continue }
                    let order = try await books.order(
                        rule,
                        from: today,
                        from: account,
                        to: other,
                        of: ada,
                        Int64.random(in: 1...900, using: &chance)
                    )
                    try await books.owner.execute(markOwn, order)
                }
            }
            // Some of what is due has been done.
            try await Self.work(books, at: today.startUTC)
            for _ in 0..<6 {
                var posting = Posting.record(
                    Int64.random(in: -900...900, using: &chance),
                    on: try #require(accounts.randomElement(using: &chance)),
                    by: ada
                )
                posting.day = month.firstDay.adding(days: Int.random(in: -40...40, using: &chance))
                posting.category = [food, others].randomElement(using: &chance)
                _ = try await books.service.post([posting])
            }
            let queries = [
                ForecastQuery(), ForecastQuery(accountIDs: [accounts[0]]),
                ForecastQuery(categoryIDs: [food]),
                ForecastQuery(accountIDs: Array(accounts.prefix(2)), categoryIDs: [others]),
            ]
            var told: [Forecast] = []
            for query in queries {
                told.append(try await Self.forecast(books, query, ada, on: today))
            }
            let last = try #require(month.lastDay.adding(days: 1)).startUTC
            try await Self.work(books, at: last.adding(microseconds: -1))
            for (query, told) in zip(queries, told) {
                let note: Comment = "seed \(seed), \(query)"
                let after = try await Self.forecast(books, query, ada, on: month.lastDay)
                #expect(after.items.isEmpty && after.income.expected.isZero, note)
                #expect(told.income.total == after.income.booked, note)
                #expect(told.expenses.total == after.expenses.booked, note)
                #expect(told.net.total == after.net.booked, note)
                #expect(told.previous == after.previous, note)
                #expect(
                    told.accounts.map { [$0.name, $0.expected.amount] }
                        == after.accounts.map { [$0.name, $0.today.amount] },
                    note
                )
                #expect(told.balance.expected == after.balance.today, note)
                try await Self.check(after, query, books, ada, note)
            }
            try await books.check("seed \(seed)")
        }
    }

    /// What is booked is what other reports tell of the same days.
    private static func check(
        _ forecast: Forecast,
        _ query: ForecastQuery,
        _ books: Books,
        _ user: ID<User>,
        _ note: Comment
    ) async throws {
        let person = try #require(try await books.service.queryOne(PeopleStatements.find, user))
        let subject = ReportSubject(
            user: user,
            person: person,
            today: forecast.to,
            isOfChild: false
        )
        let reader = FlowReader(database: books.service, rates: .shared, blocking: blocking())
        for (direction, sum) in [
            (Direction.incoming, forecast.income), (.outgoing, forecast.expenses),
        ] {
            let report = try await reader.payees(
                FlowReportQuery(
                    from: forecast.from,
                    to: forecast.to,
                    direction: direction,
                    accountIDs: query.accountIDs,
                    categoryIDs: query.categoryIDs
                ),
                of: subject
            )
            #expect(report.total == sum.booked, note)
            let before =
                direction == .incoming ? forecast.previous.income : forecast.previous.expenses
            #expect(report.previous.total == before, note)
        }
        let balances = try await BalanceReader(
            database: books.service,
            rates: .shared,
            blocking: blocking()
        ).report(
            BalanceReportQuery(
                from: forecast.to,
                to: forecast.to,
                accountIDs: query.accountIDs
            ),
            of: subject
        )
        #expect(balances.points.map(\.balance) == [forecast.balance.today], note)
    }

    @Test func whatIsForeignCountsAtTheNewestRateAndWhatHasNoneIsToldApart() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let dinars = try #require(Currency("KWD"))
            let today = try #require(Day("2025-06-10"))
            for (currency, amount) in [(Currency.usd, Int64(-1_000)), (dinars, -2_000)] {
                let wallet = try await books.account(of: ada, .wallet, currency)
                var posting = Posting.record(amount, currency, on: wallet, by: ada)
                posting.day = today
                posting.recurrence = .new()
                _ = try await books.service.post([posting])
                let person = try #require(
                    try await books.service.queryOne(PeopleStatements.find, ada)
                )
                let schedule = try Recurring(
                    RecurrenceRule(every: 1, unit: .week),
                    first: posting,
                    today,
                    amount: Money(minorUnits: amount, currency),
                    category: try #require(person.others),
                    of: ada,
                    today: today
                )
                try await books.service.transaction { transaction in
                    try await RecurrenceStore.insert(
                        schedule,
                        first: try #require(posting.transaction),
                        zone: "UTC",
                        in: transaction
                    )
                }
            }
            let told = try await Self.forecast(books, ForecastQuery(), ada, on: today)
            let rate = try RateStore.shared.history()
                .required(from: .usd, to: .eur, on: today)
            let one = try -rate.shown(-1_000)
            // The 17th and the 24th are to come.
            #expect(told.expenses.booked.minorUnits == one)
            #expect(told.expenses.expected.minorUnits == 2 * one)
            #expect(told.unconverted.map(\.amount) == ["-6.000"])
            #expect(
                told.items.map { $0.dates.map(\.text) }.allSatisfy {
                    $0 == ["2025-06-17", "2025-06-24"]
                }
            )
            #expect(told.balance.expected.minorUnits == (try rate.shown(-3_000)))
            #expect(told.balance.unconverted.map(\.amount) == ["-6.000"])
        }
    }
}

/// Both of its accounts are one person's.
private let markOwn = Statement<Void>(
    "update ledger.standing_order set is_own = true where id = $1"
)
