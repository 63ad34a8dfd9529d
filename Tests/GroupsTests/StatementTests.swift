import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// 200 groups of five, of 50 expenses each.
private let someRows: SQLScript = """
    insert into groups.expense_group (id, name, currency, created_by)
    select md5('g' || g)::uuid, 'Group ' || g, 'EUR', md5('u' || g)::uuid
    from generate_series(1, 200) g;
    insert into groups.member (group_id, id, user_id)
    select md5('g' || g)::uuid, md5('m' || g || '-' || m)::uuid, md5('u' || (g * 7 + m) % 300)::uuid
    from generate_series(1, 200) g cross join generate_series(1, 5) m;
    insert into groups.person
    select md5('u' || u)::uuid, 'u' || u, 'u' || u, 'u' || u || '@example.org', true, 'U', 'UTC',
        'EUR'
    from generate_series(0, 299) u;
    insert into groups.expense_group (id, name, currency, created_by, pair_low, pair_high)
    select md5('p' || p)::uuid, '–', 'EUR', low, least(low, high), greatest(low, high)
    from generate_series(1, 400) p,
        lateral (select md5('l' || p)::uuid as low, md5('h' || p)::uuid as high) two;
    insert into groups.invitation (id, group_id, invited_by, user_id, invitee)
    select md5('i' || g || '-' || i)::uuid, md5('g' || g)::uuid, md5('u' || g)::uuid,
        md5('u' || g || '-' || i)::uuid, 'u'
    from generate_series(1, 200) g cross join generate_series(1, 20) i;
    insert into groups.invitation (id, group_id, invited_by, email_folded, invitee)
    select md5('e' || g || '-' || i)::uuid, md5('g' || g)::uuid, md5('u' || g)::uuid,
        'e' || g || '-' || i, 'e'
    from generate_series(1, 200) g cross join generate_series(1, 20) i;
    insert into groups.invitation (id, account_id, role, name, invited_by, user_id, invitee)
    select md5('w' || g || '-' || i)::uuid, md5('a' || g)::uuid, 'viewer', 'Trip',
        md5('u' || g)::uuid, md5('u' || g || '-' || i)::uuid, 'u'
    from generate_series(1, 200) g cross join generate_series(1, 20) i;
    insert into groups.invitation (id, folder_id, access, name, invited_by, user_id, invitee)
    select md5('f' || g || '-' || i)::uuid, md5('d' || g)::uuid, 'read', 'Trip',
        md5('u' || g)::uuid, md5('u' || g || '-' || i)::uuid, 'u'
    from generate_series(1, 200) g cross join generate_series(1, 20) i;
    insert into groups.expense (group_id, id, name, amount, currency, day, added_by,
        payer_ids, paid, bearer_ids, borne, share_values)
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, 'Rent', 1, 'EUR',
        date '2026-01-01' + x, md5('m' || g || '-1')::uuid, array[md5('m' || g || '-1')::uuid],
        '{1}', array[md5('m' || g || '-2')::uuid], '{1}', '{}'
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.expense_debt
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, md5('m' || g || '-2')::uuid,
        md5('m' || g || '-1')::uuid, 'EUR', 1
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.foreign_walk (group_id, number, written_on, look_at)
    select md5('g' || g)::uuid, 0, '2026-01-01',
        case when g % 10 = 0 then now() + g * interval '1 hour' end
    from generate_series(1, 200) g;
    insert into groups.foreign_expense (
        group_id, expense_id, amount, currency, day, written_on, converted, rate, rate_source,
        rate_day, look_at)
    select group_id, id, amount, 'USD', day, day, c, c::text,
        case when c = 1 then 'ECB' end, case when c = 1 then day end,
        case when c is null then created_at end
    from groups.expense
    cross join lateral (
        select case when id > '10000000-0000-0000-0000-000000000000' then 1 end as c
    ) converted;
    insert into groups.family (id, name, currency)
    select md5('f' || f)::uuid, 'Us', 'EUR' from generate_series(1, 200) f;
    insert into groups.family_member (family_id, user_id, role)
    select md5('f' || f)::uuid, md5('fu' || f || m)::uuid, 'parent'
    from generate_series(1, 200) f cross join generate_series(1, 4) m;
    insert into groups.allowance_payment (id, request_hash, order_id, made_at)
    select md5('ap' || a)::uuid, decode('00', 'hex'), gen_random_uuid(),
        now() - a * interval '1 minute'
    from generate_series(1, 4000) a;
    insert into groups.allowance_task (family_id, user_id, action, currency)
    select md5('f' || t)::uuid, md5('fu' || t || 1)::uuid, 'open', 'EUR'
    from generate_series(1, 200) t;
    insert into groups.household_task (family_id, user_id, joined_at)
    select md5('f' || t)::uuid, md5('fu' || t || 1)::uuid, now() from generate_series(1, 200) t;
    insert into groups.invitation (
        id, family_id, family_role, name, invited_by, email_folded, invitee)
    select md5('fi' || f)::uuid, md5('f' || f)::uuid, 'child', 'Us', md5('u' || f)::uuid,
        'f' || f, 'f'
    from generate_series(1, 200) f;
    insert into groups.category (group_id, id, name, name_folded, color)
    select md5('g' || g)::uuid, md5('k' || g || '-' || k)::uuid, 'c' || k, 'c' || k, 0
    from generate_series(1, 200) g cross join generate_series(1, 40) k;
    insert into groups.expense_comment (group_id, expense_id, id, member_id, text)
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid,
        md5('c' || g || '-' || x || c)::uuid, md5('m' || g || '-2')::uuid, 'said'
    from generate_series(1, 200) g cross join generate_series(1, 50) x cross join
        generate_series(1, 3) c;
    insert into groups.expense_attachment
        (group_id, expense_id, id, member_id, user_id, number, name, media_type, size, sha256)
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, md5('f' || g || '-' || x)::uuid,
        md5('m' || g || '-2')::uuid, md5('u' || (g * 7 + 2) % 300)::uuid, 1, 'a file',
        'image/png', 1, sha256('')
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.attachment_chunk
    select id, 0, user_id, 'a' from groups.expense_attachment;
    insert into groups.attachment_usage select user_id, count(*) from groups.expense_attachment
    group by user_id;
    insert into groups.attachment_upload
    select md5('p' || p)::uuid, md5('u' || p % 300)::uuid from generate_series(1, 4000) p;
    insert into groups.receiving_account (user_id, currency, iban, name)
    select md5('u' || u)::uuid, c, 'DE89370400440532013000', 'Ada'
    from generate_series(0, 999) u cross join unnest(array['EUR', 'USD', 'GBP', 'JPY']) c;
    insert into groups.group_import (
        id, group_id, user_id, format, people, summary, duplicate_count, content, created_at)
    select md5('gi' || g || '-' || i)::uuid, md5('g' || g)::uuid, md5('u' || g)::uuid, 'splitwise',
        '[]', '{}', 0, '', now() - i * interval '1 hour'
    from generate_series(1, 200) g cross join generate_series(1, 20) i;
    insert into groups.imported_row (group_id, fingerprint, occurrence, expense_id)
    select md5('g' || g)::uuid, decode(md5('r' || x), 'hex'), 0, md5('x' || g || '-' || x)::uuid
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.family_member (family_id, user_id, role)
    select md5('f' || f)::uuid, md5('fc' || f || c)::uuid, 'child'
    from generate_series(1, 200) f cross join generate_series(1, 2) c;
    insert into groups.approval (
        id, family_id, child_id, amount, currency, name, state, decided_by, decided_at, look_at,
        created_at)
    select md5('ap' || f || c || '-' || a)::uuid, md5('f' || f)::uuid, md5('fc' || f || c)::uuid,
        1, 'EUR', 'Skates', state,
        case when state <> 'pending' then md5('fu' || f || 1)::uuid end,
        case when state <> 'pending' then now() end,
        case when state = 'approved' then now() end, now() - a * interval '1 hour'
    from generate_series(1, 200) f cross join generate_series(1, 2) c
    cross join generate_series(1, 20) a
    cross join lateral (
        select (array['pending', 'approved', 'declined', 'declined'])[1 + a % 4]) s (state);
    insert into groups.allowance_recurrence (
        id, family_id, child_id, parent_id, amount, currency, is_proved, every, unit, anchor,
        next_number, next_day, look_at)
    select md5('ar' || f || c || '-' || r)::uuid, md5('f' || f)::uuid, md5('fc' || f || c)::uuid,
        md5('fu' || f || 1 + r % 4)::uuid, 1, 'EUR', false, 1, 'week', '2026-01-01', 1,
        '2026-01-08', now() + r * interval '1 hour'
    from generate_series(1, 200) f cross join generate_series(1, 2) c
    cross join generate_series(1, 10) r;
    insert into groups.allowance_occurrence (
        recurrence_id, day, number, amount, is_proved, state, look_at, transaction_id)
    select id, date '2026-01-01' + d, d, 1, false, case when d = 4 then 'pending' else 'paid' end,
        case when d = 4 then now() end, case when d < 4 then gen_random_uuid() end
    from groups.allowance_recurrence cross join generate_series(0, 4) d;
    insert into groups.expense_recurrence (group_id, id, member_id, user_id, expense, every, unit,
        anchor, next_number, next_day, look_at)
    select md5('g' || g)::uuid, md5('r' || g || '-' || r)::uuid, md5('m' || g || '-1')::uuid,
        md5('u' || (g * 7 + 1) % 300)::uuid, '{}', 1, 'day', '2026-01-01', 1, '2026-01-02',
        now() + r * interval '1 hour'
    from generate_series(1, 200) g cross join generate_series(1, 20) r;
    insert into groups.expense_occurrence
        (group_id, recurrence_id, day, number, expense_id)
    select group_id, id, date '2026-01-01' + d, d, md5('x1-1')::uuid
    from groups.expense_recurrence cross join generate_series(0, 4) d;
    insert into groups.ledger_link (id, group_id, expense_id, member_id, user_id, state, account_id,
        paid, share, currency, day, posting, key_id, look_at)
    select md5('ll' || g || '-' || x)::uuid, md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid,
        md5('m' || g || '-1')::uuid, md5('u' || (g * 7 + 1) % 300)::uuid, state,
        md5('a' || g)::uuid,
        1, 1, 'EUR', '2026-01-01', case when state = 'making' then json '{}' end,
        case when state = 'making' then md5('key' || g || '-' || x)::uuid end,
        case when state = 'making' then now() + x * interval '1 hour' end
    from generate_series(1, 200) g cross join generate_series(1, 50) x
    cross join lateral (select case when x % 10 = 0 then 'making' else 'current' end) s (state);
    update groups.member set former_user_id = user_id, user_id = null, left_at = now(),
        display_name = 'gone'
    where id in (select md5('m' || g || '-5')::uuid from generate_series(1, 200) g);
    analyze;
    """

/// What statistics tell of, a group of two; and one of 100 that came behind them, where everybody
/// owes everybody of 40 expenses.
private let anImport: SQLScript = """
    create function pg_temp.group_of(people integer, expenses integer) returns void
    language sql
    as $$
        insert into groups.expense_group (id, name, currency, created_by)
        select md5('g' || people)::uuid, 'Club', 'EUR', md5('u1')::uuid;
        insert into groups.member (group_id, id, display_name)
        select md5('g' || people)::uuid, md5('m' || people || '-' || m)::uuid, 'P' || m
        from generate_series(1, people) m;
        insert into groups.expense (group_id, id, name, amount, currency, day, added_by,
            payer_ids, paid, bearer_ids, borne, share_values)
        select md5('g' || people)::uuid, md5('x' || people || '-' || x)::uuid, 'Rent', 99, 'EUR',
            date '2026-01-01', md5('m' || people || '-1')::uuid,
            array[md5('m' || people || '-1')::uuid], '{99}',
            array[md5('m' || people || '-1')::uuid], '{99}', '{}'
        from generate_series(1, expenses) x;
        insert into groups.expense_debt
        select md5('g' || people)::uuid, md5('x' || people || '-' || x)::uuid,
            md5('m' || people || '-' || m)::uuid,
            md5('m' || people || '-' || 1 + x % people)::uuid, 'EUR', 1
        from generate_series(1, expenses) x cross join generate_series(1, people) m
        where m <> 1 + x % people;
    $$;
    select pg_temp.group_of(2, 20);
    analyze;
    select pg_temp.group_of(100, 4000);
    """

@Suite struct StatementTests {
    /// Those that are joined or stand in a list, and the indexes that serve them.
    private static func statements() throws -> [(sql: String, indexes: [String])] {
        let (user, group) = (ID<User>.new(), ID<Group>.new())
        let day = Period.ever.start
        let filtered = ExpenseQuery(from: day, to: day, words: "rent", isMine: true)
        let place = ExpensePlace(day: day, amount: 1, id: .new())
        let one = Membership.inTests(of: group)
        func list(_ query: ExpenseQuery) throws -> String {
            let filter = try ExpenseFilter(query, of: one, in: query.currency)
            return try ExpenseStatements.list(query, by: filter).sql
        }
        let near = TransactionVicinity(latitude: 45, longitude: 9, kilometres: 1)
        let around = ExpensePositionQuery(near: near)
        let summed = ExpenseQuery(from: day, near: near, groupBy: .category)
        return [
            (ApprovalStatements.find(.new(), in: .new()).sql, ["approval_"]),
            (
                ApprovalStatements.list(of: nil, in: .new(), before: .new(), limit: 9).sql,
                ["approval_family_idx"]
            ),
            (
                ApprovalStatements.list(of: user, in: .new(), before: .new(), limit: 9).sql,
                ["approval_child_idx"]
            ),
            (
                RecurringAllowanceStatements.find(.new(), of: user, in: .new()).sql,
                ["allowance_recurrence_", "allowance_occurrence_pkey", "person_pkey"]
            ),
            (
                RecurringAllowanceStatements.list(
                    of: user,
                    in: .new(),
                    before: .new(),
                    limit: 9
                ).sql,
                ["allowance_recurrence_child_idx", "allowance_occurrence_pkey"]
            ),
            (
                RecurringAllowanceStatements.due(at: .now()).sql,
                ["allowance_recurrence_look_at_idx"]
            ),
            (GroupStatements.deleteMoney[0].sql, ["expense_attachment_"]),
            (GroupStatements.deleteMoney[1].sql, ["expense_debt_pkey"]),
            (GroupStatements.deleteMoney[2].sql, ["expense_"]),
            (GroupStatements.deleteMoney[3].sql, ["settlement_pkey"]),
            (GroupStatements.deleteMoney[4].sql, ["pair_balance_pkey"]),
            (GroupStatements.deleteMoney[5].sql, ["member_balance_pkey"]),
            (GroupStatements.deleteMoney[6].sql, ["threshold_pkey"]),
            (GroupStatements.deleteMoney[7].sql, ["ledger_link_expense_idx"]),
            (
                GroupStatements.list(
                    of: user,
                    before: group,
                    words: "a",
                    isArchived: false,
                    limit: 9
                ).sql,
                ["member_user_idx"]
            ),
            (try list(ExpenseQuery()), ["expense_day_idx", "expense_item_pkey"]),
            (try list(filtered), ["expense_mine_idx"]),
            (try list(ExpenseQuery(cursor: Cursor(place))), ["expense_day_idx"]),
            (
                try list(
                    ExpenseQuery(currency: .eur, sort: .largestFirst, cursor: Cursor(place))
                ),
                ["expense_amount_idx"]
            ),
            (try list(ExpenseQuery(groupBy: .month, cursor: Cursor(place))), ["expense_day_idx"]),
            (try list(ExpenseQuery(groupBy: .category, cursor: Cursor(place))), ["expense_"]),
            (
                try ExpenseStatements.sums(
                    summed,
                    by: .category,
                    of: ExpenseFilter(summed, of: one, in: nil)
                ).sql,
                ["expense_"]
            ),
            (
                try GroupReportStatements.located(
                    around,
                    by: ExpenseFilter(around, of: one, in: nil)
                ).sql,
                ["expense_"]
            ),
            (
                try GroupReportStatements.totals(
                    GroupTotalsQuery(
                        groupBy: .month,
                        cursor: Cursor(TotalsPlace(currency: .eur, key: "2026-11"))
                    ),
                    of: group,
                    for: one.member
                ).sql,
                ["expense_", "expense_debt_"]
            ),
            (
                GroupReportStatements.places(
                    by: try ExpenseFilter(around, of: one, in: nil),
                    behind: MapPlace(north: 45_000, east: 9_000)
                ).sql,
                ["expense_"]
            ),
        ]
    }

    @Test func whatIsJoinedIsALookUpToo() async throws {
        try await Harness.run { actor, harness in
            let owner = Database(configuration: harness.made.owner, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            try await owner.lease { try await $0.executeScript(someRows) }
            for (sql, indexes) in try Self.statements() {
                let plan = try await planText(of: sql, on: owner)
                let isScanned = plan.contains("Seq Scan on")
                #expect(!isScanned, "\(sql)\n\(plan)")
                for index in indexes {
                    let isUsed = plan.contains(index)
                    #expect(isUsed, "\(index)\n\(sql)\n\(plan)")
                }
            }
        }
    }

    /// A page begins where it does, and does not walk over those before it.
    @Test func pagesOfDebtsBeginWithinTheirIndex() async throws {
        try await Harness.run { actor, harness in
            let owner = Database(configuration: harness.made.owner, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            try await owner.lease { try await $0.executeScript(anImport) }
            for (sql, condition) in [
                (BalanceStatements.explained.sql, "ROW(currency, low_id, high_id) > ROW("),
                (BalanceStatements.explaining.sql, "expense_id < "),
            ] {
                let plan = try await planText(of: sql, on: owner)
                let isInIndex = plan.split(separator: "\n").contains {
                    $0.contains("Index Cond") && $0.contains(condition)
                }
                #expect(isInIndex, "\(plan)")
            }
        }
    }

    /// An import makes a group of thousands of debts before statistics are taken again.
    @Test func debtsAreExplainedByTheirKeyThoughStatisticsAreOlder() async throws {
        try await Harness.run { actor, harness in
            let owner = Database(configuration: harness.made.owner, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            try await owner.lease { try await $0.executeScript(anImport) }
            let plan = try await planText(of: BalanceStatements.explained.sql, on: owner)
            let isByKey = plan.contains("expense_debt_pkey")
            #expect(isByKey, "\(plan)")
        }
    }

    @Test func everyStatementIsALookUpByTheIndexesThatItNames() async throws {
        let faults = try await WrittenStatement.faults(
            of: groupsService,
            with: ["Shared/ServiceKit/Data", "Shared/Receipts"],
            rows: [someRows]
        )
        for fault in faults { Issue.record("\(fault)") }
    }
}
