import Loops
import Postgres
import Testing
import WalletProtocol

@testable import AnalyticsService

/// As many as one can think of, each with the most that can be sent, in both directions.
private let crowd: SQLScript = """
    insert into analytics.fact
    select md5('u' || n % 10000)::uuid, md5('t' || n)::uuid, 1, 0, false,
        md5('a' || n % 10000)::uuid, 'wallet', date '2023-05-17',
        case when n < 10000 then -1 else 1 end * 1000000000000000,
        'EUR', md5('c' || n % 10000)::uuid, '01'
    from generate_series(0, 19999) n;
    """

/// One person with what was stored before there was a bound, either way, in three currencies.
private let stored: SQLScript = """
    insert into analytics.fact
    select md5('u0')::uuid, md5('t' || n || currency)::uuid, 1, 0, false, md5('a')::uuid,
        'wallet', date '2023-05-17',
        case when n % 2 = 0 then -9223372036854775807 else 9223372036854775807 end,
        currency, md5('c' || n)::uuid, '01'
    from generate_series(0, 5) n cross join unnest(array['EUR', 'JPY', 'CLF']) currency;
    select analytics.recount_cells(md5('u0')::uuid);
    """

/// More than may be looked at one by one, half of it on each of two days.
private let many: SQLScript = """
    insert into analytics.fact
    select md5('u0')::uuid, md5('t' || n)::uuid, 1, 0, false, md5('a')::uuid, 'wallet',
        date '2023-05-17' + n % 2, -100, 'EUR', md5('c')::uuid, '01'
    from generate_series(0, 250001) n;
    select analytics.recount_cells(md5('u0')::uuid);
    """

/// A month of more accounts than may be told apart by day.
private let accounts: SQLScript = """
    insert into analytics.report_cell
    select md5('u0')::uuid, 'EUR', date '2023-05-01', md5('c')::uuid, md5('a' || n)::uuid, false,
        -100, 1, 1, '{17, -100, 1, 1}'
    from generate_series(0, 50000) n;
    """

private let firstUser = Statement("select md5('u0')::uuid") { try $0.value(0, as: ID<User>.self) }

/// Figures beyond 64 bits.
@Suite struct TotalTests {
    private static func rates(_ day: Day) throws(APIError) -> RateTable {
        guard let rupiah = ExactDecimal("17654.32"), let yen = ExactDecimal("175.68") else {
            throw APIError(.rateUnavailable)
        }
        return RateTable(base: .eur, day: day, source: "ECB", rates: ["IDR": rupiah, "JPY": yen])
    }

    private func query(
        _ direction: Direction,
        in currency: Currency = .eur,
        by dimensions: [SpendingDimension] = []
    ) -> SpendingQuery {
        SpendingQuery(
            from: Day("2023-05-01"),
            to: Day("2023-05-31"),
            groupBy: dimensions,
            direction: direction,
            convertedTo: currency
        )
    }

    private func scope(of user: ID<User>, in currency: Currency) throws -> ReportScope {
        let day = try #require(Day("2023-05-31"))
        return ReportScope(
            subject: .person(user),
            period: try .ofReport(from: nil, to: day, today: day),
            currency: currency
        )
    }

    @Test func tenThousandPeopleSpendTheMostThatCanBeSent() async throws {
        let rupiah = try #require(Currency("IDR"))
        try await withBench(rates: Self.rates) { actor, bench in
            try await bench.owner(on: actor.loop) { owner in
                try await owner.transaction { try await $0.executeScript(crowd) }
            }
            try await bench.release()
            for direction in [Direction.outgoing, .incoming] {
                let view = try await bench.insights.spending(query(direction), by: .new())
                let cell = try #require(view.cells.first)
                #expect(cell.total?.amount == "100000000000000000.00")
                #expect(cell.mean?.amount == "10000000000000.00")
                #expect(cell.median == cell.mean && cell.users == 10_000)
                let shown = try await bench.insights.spending(
                    query(direction, in: rupiah, by: [.category, .month]),
                    by: .new()
                )
                let told = try #require(shown.cells.first { !$0.isSuppressed })
                #expect(told.total?.amount == "1765432000000000000000.00")
                #expect(told.mean?.amount == "176543200000000000.00")
            }
        }
    }

    @Test func whatWasStoredBeforeTheBoundIsReported() async throws {
        try await withBench(rates: Self.rates) { actor, bench in
            try await bench.owner(on: actor.loop) { owner in
                try await owner.transaction { try await $0.executeScript(stored) }
            }
            let user = try #require(try await bench.database.queryOne(firstUser))
            for code in ["EUR", "JPY", "IDR", "CLF"] {
                let currency = try #require(Currency(code))
                let scope = try self.scope(of: user, in: currency)
                let summary = try await bench.reports.summary(scope)
                #expect(summary.count == 18 && summary.net.isZero)
                #expect(summary.income == summary.expenses && !summary.income.isZero)
                let report = try await bench.reports.categories(scope.going(.outgoing))
                #expect(report.total == summary.expenses)
                #expect(report.items.map(\.percent.text).sorted() == ["33.3", "33.3", "33.4"])
            }
            let scope = try self.scope(of: user, in: .jpy)
            let summary = try await bench.reports.summary(scope)
            // 3 · 92233720368547758.07 euros at 175.68, each rounded by itself, and the yen.
            #expect(summary.income.amount == "76280976093603737835")
            let report = try await bench.reports.categories(scope.going(.outgoing))
            #expect(report.unconverted.map(\.amount) == ["2767011611056432.7421"])
        }
    }

    @Test func noReportLooksAtMoreThanItMayAndItSaysWhatToNarrow() async throws {
        try await withBench(rates: Self.rates) { actor, bench in
            try await bench.owner(on: actor.loop) { owner in
                try await owner.transaction { try await $0.executeScript(many) }
            }
            let user = try #require(try await bench.database.queryOne(firstUser))
            let plain = try scope(of: user, in: .eur)
            #expect(try await bench.reports.summary(plain).expenses.amount == "250002.00")
            var byAmount = plain
            byAmount.least = 1
            for asked in [byAmount, try scope(of: user, in: .jpy)] {
                let error = await #expect(throws: APIError.self) {
                    try await bench.reports.summary(asked)
                }
                #expect(error?.code == .invalidQuery)
                #expect(error?.errors.map(\.pointer) == ["query:from"])
                let day = try #require(Day("2023-05-17"))
                let narrower = asked.of(Period(day, through: day))
                #expect(try await bench.reports.summary(narrower).count == 125_001)
            }
        }
    }

    @Test func noReportTellsMoreApartByDayThanItMayAndItSaysWhatToNarrow() async throws {
        try await withBench(rates: Self.rates) { actor, bench in
            try await bench.owner(on: actor.loop) { owner in
                try await owner.transaction { try await $0.executeScript(accounts) }
            }
            let user = try #require(try await bench.database.queryOne(firstUser))
            let month = try scope(of: user, in: .eur)
            let byMonth = try await bench.reports.trends(month, by: .month, nil)
            #expect(byMonth.series.map(\.expenses.amount) == ["50001.00"])
            let error = await #expect(throws: APIError.self) {
                try await bench.reports.trends(month, by: .day, nil)
            }
            #expect(error?.code == .invalidQuery)
            #expect(error?.errors.map(\.pointer) == ["query:from"])
        }
    }
}
