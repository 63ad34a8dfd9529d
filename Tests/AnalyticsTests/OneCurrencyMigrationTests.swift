import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService
@testable import ServiceKit

/// May in euro and dollars, and June, which has rates of dollars alone and was first told in them.
private let toldInSeveral: SQLScript = """
    insert into analytics.release values (1, now(), 3, array['EUR', 'USD'], true);
    insert into analytics.released_rate
    select day, currency, case currency when 'EUR' then 100 else 110 end
    from generate_series(date '2023-05-01', '2023-06-30', interval '1 day') as day
    cross join unnest(array['EUR', 'USD']) as currency
    where day < '2023-06-01' or currency = 'USD';
    insert into analytics.month_cube (
        month, target, is_incoming, is_converted, closed, release, users_min, erased, merged, as_of)
    values ('2023-05-01', 'EUR', false, true, '{}', 1, 3, 0, '{}', now()),
        ('2023-05-01', 'USD', false, true, '{}', 1, 3, 0, '{}', now()),
        ('2023-06-01', 'EUR', false, true, array(select generate_series(1, 72)), 1, 3, 0, '{}',
            now()),
        ('2023-06-01', 'USD', false, true, '{}', 1, 3, 0, '{}', now());
    insert into analytics.cell (
        month, target, is_incoming, is_converted, levels, place, bookings, users, total, low, high,
        ninth, people, amounts)
    values ('2023-05-01', 'EUR', false, true, 0, 0, 4, 4, 4000, 1000, 1000, 1000, '', ''),
        ('2023-05-01', 'USD', false, true, 0, 0, 4, 4, 4321, 1080, 1080, 1080, '', ''),
        ('2023-06-01', 'USD', false, true, 0, 0, 5, 5, 5000, 1000, 1000, 1000, '', '');
    """

/// Months that were told in several currencies, each booking at its day's rate.
@Suite struct OneCurrencyMigrationTests {
    @Test func aMonthThatWasToldInSeveralIsKeptInOneThatTellsSomething() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("currencies")
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let owner = Database(configuration: made.owner, loop: actor.loop)
            defer { owner.close() }
            let settings = [("ezwallet.service_role", made.serviceRole)]
            let all = analyticsService.migrations
            let before = all.filter { $0.name < "0035" }
            _ = try await Migrations(files: before, settings: settings).run(on: owner)
            try await owner.lease { try await $0.executeScript(toldInSeveral) }
            let ran = try await Migrations(files: all, settings: settings).run(on: owner)
            #expect(ran.first?.hasPrefix("0035") == true)
            let insights = InsightStore(
                database: owner,
                blocking: BlockingPool(threads: 1, queueMax: 8),
                settings: ReleaseSettings(usersMin: 3, currencies: [.eur, .usd])
            )
            func told(in currency: Currency) async throws -> [String] {
                let query = SpendingQuery(
                    from: Day("2023-05-01"),
                    to: Day("2023-06-30"),
                    groupBy: [.month],
                    convertedTo: currency
                )
                let view = try await insights.spending(query, by: .new())
                return view.cells.map { "\($0.month?.text ?? "") \($0.total?.amount ?? "")" }
            }
            #expect(try await told(in: .eur) == ["2023-05 40.00", "2023-06 "])
            #expect(try await told(in: .usd) == ["2023-05 44.00", "2023-06 50.00"])
        }
        try await made.drop()
    }
}
