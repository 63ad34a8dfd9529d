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
    select analytics.recount_cells(md5('u' || n)::uuid) from generate_series(0, 499) n;
    insert into analytics.category
    select md5('u' || n % 500)::uuid, md5('c' || n)::uuid, '01', md5('c' || n % 500)::uuid
    from generate_series(1, 5000) n;
    insert into analytics.group_expense
    select md5('g' || n % 100)::uuid, md5('e' || n)::uuid, date '2023-01-01' + n % 730, n, 'EUR',
        md5('g' || n % 100)::uuid
    from generate_series(1, 20000) n;
    insert into analytics.group_category
    select md5('g' || n % 100)::uuid, md5('gc' || n)::uuid, md5('gc' || n % 100)::uuid
    from generate_series(1, 5000) n;
    insert into analytics.insight_person (user_id)
    select md5('u' || n)::uuid from generate_series(0, 499) n;
    insert into analytics.release
    select n, now(), 10, array['EUR'] from generate_series(1, 500) n;
    insert into analytics.released_month
    select date '2000-01-01' + n % 200 * interval '1 month', n, false, true, 0
    from generate_series(1, 5000) n;
    insert into analytics.gone_person select n from generate_series(1, 5000) n;
    insert into analytics.released_day select date '2000-01-01' + n from generate_series(1, 5000) n;
    insert into analytics.released_rate
    select date '2000-01-01' + n % 5000, currency, 100
    from generate_series(1, 5000) n cross join unnest(array['EUR', 'USD', 'JPY']) currency;
    insert into analytics.booking (
        month, person, day, is_incoming, is_converted, category, area, age_band, account_kind,
        currency, amount, times, counts_from)
    select date '2000-01-01' + n % 200 * interval '1 month', n % 500, '2000-01-01', false, true,
        '01', 'IT', '65+', 'wallet', 'EUR', n, 1, 1
    from generate_series(1, 20000) n;
    insert into analytics.erased_booking
    select date '2000-01-01' + n % 200 * interval '1 month', false, '01', 'IT-' || n, '65+',
        'wallet', 'EUR', 1, n, 1, true
    from generate_series(2, 5000) n;
    insert into analytics.month_base
    select date '2000-01-01' + n * interval '1 month', 'EUR' from generate_series(1, 5000) n;
    insert into analytics.month_rate
    select date '2000-01-01' + n * interval '1 month', 'EUR', 1 from generate_series(1, 5000) n;
    insert into analytics.month_cube
    select date '2000-01-01' + n * interval '1 month', false, true, '{}', 1, 10, 0, '{}', now()
    from generate_series(1, 5000) n;
    insert into analytics.cell
    select false, true, n % 200, date '2000-01-01' + n % 100 * interval '1 month', n, '01',
        null, null, null, null, null, 1, 1, 1, 1, 1, 1
    from generate_series(1, 20000) n;
    update analytics.person set registered_on = '2024-01-01';
    insert into analytics.active_month
    select md5('u' || n % 500)::uuid, date '2000-01-01' + n / 500 * interval '1 month', 1
    from generate_series(0, 9999) n;
    insert into analytics.first_step
    select md5('u' || n)::uuid, step, '2024-01-01'
    from generate_series(0, 499) n
    cross join unnest(array['transaction', 'group', 'transfer']) step;
    insert into analytics.file_use
    select md5('u' || n % 500)::uuid, date '2023-01-01' + n / 500, 'import', 'csv'
    from generate_series(1, 10000) n;
    insert into analytics.cohort_member
    select n, date '2000-01-01' + n % 100 * interval '1 month', 'IT', '65+', 'it'
    from generate_series(1, 5000) n;
    insert into analytics.cohort_gone
    select date '2000-01-01' + n % 100 * interval '1 month', 'IT-' || n, '65+', 'it', 1
    from generate_series(1, 5000) n;
    insert into analytics.usage_month
    select date '2000-01-01' + n * interval '1 month', 1, 10 from generate_series(1, 5000) n;
    insert into analytics.usage_cell
    select 'activity', date '2000-01-01' + n % 100 * interval '1 month', n % 50, n, '', null, null,
        null, null, true, 1, 1, 1, 1
    from generate_series(1, 20000) n;
    insert into analytics.saved_query (user_id, id, name, name_folded, query)
    select md5('u' || n % 500)::uuid, md5('q' || n)::uuid, n, n, '{}'
    from generate_series(1, 10000) n;
    insert into analytics.announced_month
    select date '2000-01-01' + n * interval '1 month' from generate_series(1, 4990) n;
    analyze analytics.saved_query, analytics.announced_month;
    analyze analytics.active_month, analytics.first_step, analytics.file_use,
        analytics.cohort_member, analytics.cohort_gone, analytics.usage_month,
        analytics.usage_cell;
    analyze analytics.wallet_member, analytics.fact, analytics.person, analytics.exchange_rate,
        analytics.report_cell, analytics.category, analytics.group_expense,
        analytics.group_category, analytics.insight_person, analytics.release,
        analytics.released_month, analytics.released_day, analytics.released_rate,
        analytics.booking, analytics.erased_booking, analytics.month_base, analytics.month_rate,
        analytics.month_cube, analytics.cell,
        analytics.gone_person;
    """

@Suite struct StatementTests {
    /// Each statement, and what its plan must look things up by.
    private static func statements() throws -> [(sql: String, condition: String)] {
        let today = try #require(Day("2024-02-29"))
        let scope = ReportScope(
            subject: .person(.new()),
            period: try .ofReport(from: nil, to: nil, today: today),
            currency: .eur,
            accounts: [.new()],
            categories: [.new()],
            direction: .outgoing
        )
        var group = ReportScope(
            subject: .group(.new()),
            period: scope.period,
            currency: .eur,
            categories: [.new()]
        )
        func sums(
            _ scope: ReportScope,
            _ others: [Currency],
            byCategory: Bool = true,
            by interval: ReportInterval? = nil
        ) -> String {
            ReportStatements.sums(
                scope,
                of: Stretches(scope.period, by: interval),
                from: [today],
                byCategory: byCategory,
                others: others
            ).sql
        }
        let inCells = sums(scope, [])
        let inBoth = sums(scope, [.jpy], byCategory: false)
        let ofGroup = sums(group, [.jpy])
        group.least = 1
        let months = [today.month.firstDay]
        let byCurrency = "(currency = told.currency)"
        let ofOwner = "(month <= $"
        return [
            (inCells, ofOwner), (sums(scope, [], by: .week), ofOwner), (inBoth, ofOwner),
            (inBoth, byCurrency), (ofGroup, ofOwner), (ofGroup, byCurrency),
            (sums(group, [.eur]), byCurrency),
            (ReportStatements.days(scope, in: [.jpy]).sql, byCurrency),
            (ReportStatements.days(group, in: [.jpy]).sql, byCurrency),
            (ReportStatements.count(group, in: [.eur]).sql, byCurrency),
            (
                ReportStatements.furtherParts(scope, of: .new()).sql,
                "(user_id = $1) AND (day >= $2)"
            ),
            (
                ReportStatements.furtherParts(scope, of: .new()).sql,
                "(transaction_id = f.transaction_id)"
            ),
            (ReportStatements.currencies.sql, "(owner_id = $1)"),
            (
                CellStatements.cells(
                    CubeWay(isIncoming: false, isConverted: true),
                    in: .jpy,
                    of: [1, 2, 1, 0, 0],
                    in: months,
                    named: [["01"], ["IT"], nil, nil, nil]
                ).sql,
                "(levels = $4)"
            ),
            (
                CellStatements.cells(
                    CubeWay(isIncoming: false, isConverted: true),
                    in: nil,
                    of: [1, 0, 0, 0, 0],
                    in: months,
                    named: [nil, nil, nil, nil, nil]
                ).sql,
                "(levels = $3)"
            ),
            (PeopleStatements.settings.sql, "user_id = $1"),
            (PeopleStatements.forgetFacts.sql, "user_id = $1"),
            (PeopleStatements.forgetCategories.sql, "user_id = $1"),
            (RateStatements.known.sql, "day = ANY"),
            // One look for each expense, and not for each of each group.
            (GroupExpenseStatements.take.sql, "(expense_id = told.expense_id)"),
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
