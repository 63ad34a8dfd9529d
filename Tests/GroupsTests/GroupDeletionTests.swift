import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// What deleting a group costs: each table's rows go at once.
@Suite struct GroupDeletionTests {
    /// A group whose first pays for all, so that each expense makes debts.
    private func makeGroup(_ harness: Harness, expenses: Int) async throws -> TestGroup {
        let group = try await harness.makeGroup(of: 4)
        let today = try #require(Day("2026-03-01"))
        for _ in 0..<expenses {
            let body = NewExpense(
                name: "Rent",
                amount: Money(minorUnits: 1_000, .eur),
                date: today,
                split: Split(
                    kind: .equal,
                    parts: group.members.map { SplitPart(memberID: $0) }
                )
            )
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    body,
                    to: group.id,
                    by: group.users[0],
                    today: today,
                    in: transaction
                )
            }
        }
        return group
    }

    @Test func noExpenseLooksForItsDebts() async throws {
        try await Harness.run { _, harness in
            let group = try await makeGroup(harness, expenses: 5)
            try await harness.database.transaction { transaction in
                #expect(try await transaction.queryOne(debts, group.id) == 15)
                for statement in GroupStatements.deleteMoney {
                    let left = try await transaction.queryOne(debts, group.id)
                    try await transaction.execute(statement, group.id)
                    guard try await transaction.queryOne(expenses, group.id) == 0 else { continue }
                    #expect(left == 0)
                    break
                }
                #expect(try await transaction.queryOne(expenses, group.id) == 0)
            }
        }
    }

    /// At the end each member is looked for in what their group still has: nothing.
    @Test func noMemberIsLookedForInAGroupThatIsGone() async throws {
        try await Harness.run { _, harness in
            let group = try await makeGroup(harness, expenses: 5)
            try await harness.database.transaction { transaction in
                try await GroupStore.delete(group.id, .eur, in: transaction)
                let before = try await transaction.queryOne(looks)
                try await transaction.execute(checkNow)
                #expect(try await transaction.queryOne(looks) == before)
            }
        }
    }

    /// A connection that began with an empty table would read all of it for ever after.
    @Test func whatLooksForEachRowDoesSoByAnIndex() async throws {
        try await Harness.run { _, harness in
            let names = try await harness.database.query(readingAll)
            #expect(names == [])
        }
    }
}

private let debts = Statement(
    "select count(*) from groups.expense_debt where group_id = $1"
) { row in try row.int64(0) }
private let expenses = Statement(
    "select count(*) from groups.expense where group_id = $1"
) { row in try row.int64(0) }
private let checkNow = Statement<Void>("set constraints all immediate")
private let looks = Statement(
    """
    select sum(pg_stat_get_xact_numscans(relation))::bigint
    from (
        select 'groups.expense'::regclass::oid
        union all
        select indexrelid from pg_index where indrelid = 'groups.expense'::regclass
    ) of_expenses (relation)
    """
) { row in try row.int64(0) }
/// Functions of expenses and debts that may read a table from end to end.
private let readingAll = Statement(
    """
    select distinct p.proname::text
    from pg_trigger t
    join pg_proc p on p.oid = t.tgfoid
    where t.tgrelid in ('groups.expense'::regclass, 'groups.expense_debt'::regclass,
            'groups.member'::regclass)
        and not t.tgisinternal and p.prosrc ~ '(from|join) (expense|expense_debt)\\M'
        and not coalesce('enable_seqscan=off' = any (p.proconfig), false)
    order by 1
    """
) { row in try row.string(0) }
