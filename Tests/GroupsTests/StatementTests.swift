import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

private let explain = Statement("select explain_text($1, $2)") { row in try row.string(0) }

/// Plans a statement as it is planned for good: generic, and with sequential scans ruled out.
private let explainFunction: SQLScript = """
    create function public.explain_text(statement text, parameters bigint) returns setof text
    language plpgsql
    set enable_seqscan = off
    set plan_cache_mode = force_generic_plan
    as $$
    begin
        execute 'prepare explained as ' || statement;
        return query execute 'explain execute explained'
            || case when parameters = 0 then ''
                else '(' || rtrim(repeat('null,', parameters::int), ',') || ')' end;
        execute 'deallocate explained';
    end
    $$;
    """

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
    insert into groups.expense (group_id, id, name, amount, currency, day, added_by)
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, 'Rent', 1, 'EUR',
        date '2026-01-01' + x, md5('m' || g || '-1')::uuid
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.expense_payment
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, 1, md5('m' || g || '-1')::uuid, 1
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.expense_share
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, 1, md5('m' || g || '-2')::uuid, 1
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    insert into groups.expense_debt
    select md5('g' || g)::uuid, md5('x' || g || '-' || x)::uuid, md5('m' || g || '-2')::uuid,
        md5('m' || g || '-1')::uuid, 'EUR', 1
    from generate_series(1, 200) g cross join generate_series(1, 50) x;
    analyze;
    """

@Suite struct StatementTests {
    /// Each statement, and the indexes that its plan must look things up by.
    private static func statements() throws -> [(sql: String, indexes: [String])] {
        let (user, group) = (ID<User>.new(), ID<Group>.new())
        let day = Period.ever.start
        let filtered = ExpenseQuery(from: day, to: day, words: "rent", isMine: true)
        let place = ExpensePlace(day: day, id: .new())
        return [
            (SharedInvitationStatements.isOpen.sql, ["invitation_shared_"]),
            (SharedInvitationStatements.countOpen.sql, ["invitation_shared_"]),
            (SharedInvitationStatements.ofThing.sql, ["invitation_shared_"]),
            (SharedInvitationStatements.withdraw.sql, ["invitation_"]),
            (SharedInvitationStatements.take.sql, ["invitation_pkey"]),
            (SharedInvitationStatements.settle.sql, ["invitation_"]),
            (SharedInvitationStatements.taken.sql, ["invitation_"]),
            (SharedInvitationStatements.close.sql, ["invitation_shared_"]),
            (SharedInvitationStatements.unfinished.sql, ["invitation_accepting_idx"]),
            (PeopleStatements.find.sql, ["person_pkey"]),
            (PeopleStatements.findByUsername.sql, ["person_username_folded_idx"]),
            (PeopleStatements.findByEmail.sql, ["person_email_folded_idx"]),
            (PeopleStatements.delete.sql, ["person_pkey"]),
            (
                PeopleStatements.deleteInvitations.sql,
                ["invitation_user_idx", "invitation_inviter_idx", "invitation_email_idx"]
            ),
            (PeopleStatements.lockGroups.sql, ["member_user_idx", "expense_group_pkey"]),
            (PeopleStatements.hasUsers.sql, ["member_pkey"]),
            (GroupStatements.delete.sql, ["expense_group_pkey"]),
            (GroupStatements.deleteMoney[0].sql, ["expense_"]),
            (GroupStatements.deleteMoney[1].sql, ["settlement_pkey"]),
            (GroupStatements.deleteMoney[2].sql, ["pair_balance_pkey"]),
            (GroupStatements.deleteMoney[3].sql, ["member_balance_pkey"]),
            (GroupStatements.deleteMoney[4].sql, ["threshold_pkey"]),
            (PeopleStatements.leaveGroups.sql, ["member_user_idx"]),
            (GroupStatements.lock.sql, ["expense_group_pkey"]),
            (GroupStatements.raiseVersion.sql, ["expense_group_pkey"]),
            (GroupStatements.place.sql, ["member_user_idx", "expense_group_pkey", "member_pkey"]),
            (
                GroupStatements.list(of: user, before: group, words: "a", limit: 9).sql,
                ["member_user_idx"]
            ),
            (GroupStatements.members.sql, ["member_pkey"]),
            (GroupStatements.access.sql, ["member_user_idx"]),
            (
                InvitationStatements.isOpen.sql,
                ["invitation_group_user_idx", "invitation_group_email_idx"]
            ),
            (InvitationStatements.lockInviter.sql, ["person_pkey"]),
            (InvitationStatements.sent.sql, ["invitation_inviter_idx"]),
            (InvitationStatements.mailed.sql, ["invitation_email_idx"]),
            (InvitationStatements.ofGroup.sql, ["invitation_group_idx"]),
            (InvitationStatements.find.sql, ["invitation_pkey"]),
            (InvitationStatements.answerable.sql, ["invitation_pkey"]),
            (InvitationStatements.ofPerson.sql, ["invitation_user_idx", "invitation_email_idx"]),
            (InvitationStatements.isEmailAsked.sql, ["invitation_email_idx"]),
            (ExpenseStatements.find.sql, ["expense_pkey"]),
            (ExpenseStatements.remove.sql, ["expense_pkey"]),
            (ExpenseStatements.debts.sql, ["expense_debt_expense_idx"]),
            (ExpenseStatements.deleteDebts.sql, ["expense_debt_expense_idx"]),
            (ExpenseStatements.takeFromTotal.sql, ["group_total_pkey"]),
            (ExpenseStatements.members.sql, ["member_pkey"]),
            (
                try ExpenseStatements.list(in: group, ExpenseQuery(), mine: nil).sql,
                ["expense_day_idx"]
            ),
            (
                try ExpenseStatements.list(in: group, filtered, mine: .new()).sql,
                ["expense_mine_idx"]
            ),
            (
                try ExpenseStatements.list(
                    in: group,
                    ExpenseQuery(cursor: Cursor(place)),
                    mine: nil
                ).sql,
                ["expense_day_idx"]
            ),
            (ExpenseStatements.payments.sql, ["expense_payment_"]),
            (ExpenseStatements.shares.sql, ["expense_share_"]),
            (BalanceStatements.members.sql, ["member_balance_pkey"]),
            (BalanceStatements.pairs.sql, ["pair_balance_pkey"]),
            (BalanceStatements.clearCircles.sql, ["pair_balance_pkey", "member_balance_pkey"]),
            (BalanceStatements.openPairs.sql, ["pair_balance_pkey"]),
            (BalanceStatements.explained.sql, ["pair_balance_pkey", "expense_debt_pkey"]),
            (SettlementStatements.find.sql, ["settlement_pkey"]),
            (SettlementStatements.list.sql, ["settlement_pkey"]),
            (SettlementStatements.payments.sql, ["settlement_payment_pkey"]),
            (ThresholdStatements.list.sql, ["threshold_pkey"]),
            (ThresholdStatements.count.sql, ["threshold_pkey"]),
            (ThresholdStatements.delete.sql, ["threshold_pkey"]),
            (ThresholdStatements.spent.sql, ["expense_spent_idx"]),
            (ThresholdStatements.total.sql, ["group_total_pkey"]),
            (ThresholdStatements.due.sql, ["threshold_next_check_idx", "member_", "person_pkey"]),
            (ThresholdStatements.stillDue.sql, ["threshold_"]),
            (ThresholdStatements.schedule.sql, ["threshold_pkey"]),
            (GroupStatements.lockFree.sql, ["expense_group_pkey"]),
        ]
    }

    @Test func everyStatementIsServedByTheIndexesThatItNames() async throws {
        try await Harness.run { actor, harness in
            let owner = Database(configuration: harness.made.owner, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            try await owner.lease { try await $0.executeScript(someRows) }
            for (sql, indexes) in try Self.statements() {
                let numbers = sql.matches(of: /\$(\d+)/).compactMap { Int($0.1) }
                let lines = try await owner.query(explain, sql, numbers.max() ?? 0)
                let plan = lines.joined(separator: "\n")
                let isScanned = plan.contains("Seq Scan on")
                #expect(!isScanned, "\(sql)\n\(plan)")
                for index in indexes {
                    let isUsed = plan.contains(index)
                    #expect(isUsed, "\(index)\n\(sql)\n\(plan)")
                }
            }
        }
    }
}
