import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Facts of 500 users over two years, so that the planner has something to choose by.
private let someFacts: SQLScript = """
    insert into analytics.fact
    select md5('u' || n % 500)::uuid, md5('t' || n)::uuid, 1, 0, false, md5('a' || n)::uuid,
        'wallet', date '2023-01-01' + n % 730, -n, 'EUR', md5('c' || n % 5000)::uuid, '01'
    from generate_series(1, 20000) n;
    insert into analytics.person
    select md5('u' || n)::uuid, 'IT', date '1980-01-01', 'EUR', 'UTC'
    from generate_series(0, 499) n;
    insert into analytics.exchange_rate
    select date '2023-01-01' + n, currency, 100
    from generate_series(0, 729) n cross join unnest(array['EUR', 'USD', 'JPY']) currency;
    insert into analytics.wallet_member
    select md5('u' || n % 500)::uuid, md5('a' || n)::uuid, n % 2 = 0, n
    from generate_series(1, 5000) n;
    analyze analytics.wallet_member, analytics.fact, analytics.person, analytics.exchange_rate;
    """

@Suite struct StatementTests {
    /// Each statement, and what its plan must look things up by.
    private static func statements() throws -> [(sql: String, condition: String)] {
        let today = try #require(Day("2024-02-29"))
        let scope = ReportScope(
            user: .new(),
            period: try .ofReport(from: nil, to: nil, today: today),
            currency: .eur,
            accounts: [.new()],
            categories: [.new()]
        )
        let query = SpendingQuery(
            groupBy: SpendingDimension.allCases,
            categories: [.none],
            areas: ["IT"],
            ageBands: [.unknown],
            months: [today.month],
            accountKinds: [.wallet],
            currencies: [.eur]
        )
        let insight = try InsightScope(query, today: today)
        let total = try InsightScope(SpendingQuery(direction: .incoming), today: today)
        let (byUser, byDay) = ("(user_id = $1) AND (day >= $2)", "(day >= $1) AND (day <= $2)")
        return [
            (ReportStatements.foreignDays(scope).sql, byUser),
            (ReportStatements.summary(scope).sql, byUser),
            (ReportStatements.byCategory(scope, .incoming).sql, byUser),
            (ReportStatements.byCategory(scope, .outgoing).sql, byUser),
            (InsightStatements.foreignDays(insight).sql, byDay),
            (InsightStatements.cube(insight, of: .converted).sql, byDay),
            (InsightStatements.cube(total, of: .converted).sql, byDay),
            (InsightStatements.cube(insight, of: .unconverted).sql, byDay),
            (InsightStatements.figures(insight).sql, byDay),
            (InsightStatements.figures(total).sql, byDay),
            (InsightStatements.unconverted(insight).sql, byDay),
            (PeopleStatements.settings.sql, "user_id = $1"),
            (PeopleStatements.forgetFacts.sql, "user_id = $1"),
            (PeopleStatements.forgetCategories.sql, "user_id = $1"),
            (RateStatements.known.sql, "day = ANY"),
        ]
    }

    @Test func everyStatementIsALookUpByUserOrDay() async throws {
        try await withBench { actor, bench in
            let owner = Database(configuration: bench.made.owner, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            try await owner.lease { try await $0.executeScript(someFacts) }
            for (sql, condition) in try Self.statements() {
                let plan = try await planText(of: sql, on: owner).split(separator: "\n")
                let scans = plan.filter { $0.contains("Seq Scan on") }
                #expect(scans.isEmpty, "\(sql)\n\(plan.joined(separator: "\n"))")
                let isFound = plan.contains { $0.contains("Index Cond") && $0.contains(condition) }
                #expect(isFound, "\(sql)\n\(plan.joined(separator: "\n"))")
            }
        }
    }

    @Test func everyStatementIsALookUpByTheIndexesThatItNames() async throws {
        let faults = try await WrittenStatement.faults(of: analyticsService, rows: [someFacts])
        for fault in faults { Issue.record("\(fault)") }
    }
}
