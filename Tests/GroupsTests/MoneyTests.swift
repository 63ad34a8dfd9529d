import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Sums at their ends, on a real server.
@Suite struct MoneyTests {
    @Test func sumsBeyondSixtyFourBitsAreRefusedAndChangeNothing() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 3)
            func expense(_ units: Int64) -> NewExpense {
                NewExpense(
                    name: "Moon",
                    amount: Money(minorUnits: units, .eur),
                    split: Split(
                        kind: .equal,
                        parts: group.members.dropFirst().map { SplitPart(memberID: $0) }
                    )
                )
            }
            let today = Period.ever.start
            let expenses = harness.parts.expenses
            _ = try await harness.database.transaction { transaction in
                try await expenses.add(
                    expense(.max),
                    to: group.id,
                    by: group.users[0],
                    today: today,
                    in: transaction
                )
            }
            let before = try await harness.parts.balances.view(of: group.id, for: group.users[0])
            do {
                _ = try await harness.database.transaction { transaction in
                    try await expenses.add(
                        expense(1),
                        to: group.id,
                        by: group.users[0],
                        today: today,
                        in: transaction
                    )
                }
                Issue.record("a sum wrapped")
            } catch let error as APIError {
                #expect(error.errors.map(\.code) == [.outOfRange])
            }
            let after = try await harness.parts.balances.view(of: group.id, for: group.users[0])
            #expect(after == before)
        }
    }

    @Test func aRemovalWhoseSumsDoNotFitIsRefused() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let expenses = harness.parts.expenses
            func add(_ units: Int64, by payer: Int) async throws -> ID<Expense> {
                let other = group.members[1 - payer]
                return try await harness.database.transaction { transaction in
                    try await expenses.add(
                        NewExpense(
                            name: "Moon",
                            amount: Money(minorUnits: units, .eur),
                            split: Split(kind: .equal, parts: [SplitPart(memberID: other)])
                        ),
                        to: group.id,
                        by: group.users[payer],
                        today: Period.ever.start,
                        in: transaction
                    )
                }.id
            }
            func remove(_ id: ID<Expense>) async throws {
                try await harness.database.transaction { transaction in
                    try await expenses.remove(
                        id,
                        from: group.id,
                        by: group.users[0],
                        ifMatch: nil,
                        in: transaction
                    )
                }
            }
            let whole = try await add(.max, by: 0)
            _ = try await harness.database.transaction { transaction in
                try await harness.parts.settlements.settle(
                    NewSettlement(withMemberID: group.members[0]),
                    in: group.id,
                    by: group.users[1],
                    today: Period.ever.start,
                    in: transaction
                )
            }
            try await remove(whole)
            let mine = try await add(1_000, by: 0)
            _ = try await add(1_000, by: 1)
            do {
                try await remove(mine)
                Issue.record("a sum wrapped")
            } catch let error as APIError {
                #expect(error.errors.map(\.code) == [.outOfRange])
            }
        }
    }

    /// An expense of 5 whose two sides are as given.
    private static let fiveOnSides = Statement<Void>(
        """
        insert into groups.expense (group_id, id, name, amount, currency, day, added_by,
            payer_ids, paid, bearer_ids, borne, share_values)
        values ($1, $2, 'Rent', 5, 'EUR', '2026-01-01', $3, $4, $5, $6, $7, $8)
        """
    )

    @Test func theDatabaseRefusesSidesThatDoNotSumOrNameMembersTwiceOrStrangers() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let (ada, bob, nobody) = (group.members[0], group.members[1], ID<Member>.new())
            typealias Sides = ([ID<Member>], [Int64], [ID<Member>], [Int64])
            let bad: [Sides] = [
                ([], [], [], []), ([ada], [4], [ada], [5]), ([ada], [5], [ada, bob], [5, 1]),
                ([ada, bob], [6, -1], [ada], [5]), ([ada], [5], [ada, bob], [6, -1]),
                ([ada, bob], [5, 0], [ada], [5]), ([ada], [5], [ada, bob], [5]),
                ([nobody], [5], [ada], [5]), ([ada], [5], [nobody], [5]),
                ([ada, ada], [2, 3], [ada], [5]), ([ada], [5], [bob, bob], [2, 3]),
            ]
            for (payers, paid, bearers, borne) in bad {
                do {
                    try await harness.database.execute(
                        Self.fiveOnSides,
                        group.id,
                        ID<Expense>.new(),
                        ada,
                        payers,
                        paid,
                        bearers,
                        borne,
                        [String]()
                    )
                    Issue.record("committed: \(payers) \(paid) \(bearers) \(borne)")
                } catch let error as DatabaseError {
                    let constraint = error.violatedConstraint ?? ""
                    #expect(["expense_sums", "expense_members"].contains(constraint), "\(error)")
                }
            }
            try await harness.database.execute(
                Self.fiveOnSides,
                group.id,
                ID<Expense>.new(),
                ada,
                [ada],
                [Int64(5)],
                [bob, ada],
                [Int64(0), 5],
                [String?.none, "1"]
            )
        }
    }

    @Test func theDatabaseKeepsAMemberWhomAnExpenseNames() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 3)
            let (ada, bob, eve) = (group.members[0], group.members[1], group.members[2])
            try await harness.database.execute(
                Self.fiveOnSides,
                group.id,
                ID<Expense>.new(),
                ada,
                [ada],
                [Int64(5)],
                [bob],
                [Int64(5)],
                [String]()
            )
            let delete = Statement<Void>("delete from groups.member where id = $1")
            do {
                try await harness.database.execute(delete, bob)
                Issue.record("who bears it is gone")
            } catch let error as DatabaseError {
                #expect(error.violatedConstraint == "expense_members")
            }
            #expect(try await harness.database.execute(delete, eve) == 1)
        }
    }

    @Test func theDatabaseKeepsDebtsWithTheirExpenses() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 2)
            let database = harness.database
            let (ada, bob, id) = (group.members[0], group.members[1], ID<Expense>.new())
            try await database.execute(
                Self.fiveOnSides,
                group.id,
                id,
                ada,
                [ada],
                [Int64(5)],
                [bob],
                [Int64(5)],
                [String]()
            )
            let owe = Statement<Void>(
                "insert into groups.expense_debt values ($1, $2, $3, $4, 'EUR', 5)"
            )
            try await database.execute(owe, group.id, id, bob, ada)
            let move = Statement<Void>("update groups.expense set id = $2 where id = $1")
            func isRefused(_ doing: () async throws -> Int) async throws {
                do {
                    _ = try await doing()
                    Issue.record("committed")
                } catch let error as DatabaseError {
                    #expect(error.violatedConstraint == "expense_debt_expense", "\(error)")
                }
            }
            let other = try await harness.makeGroup(of: 2).id
            try await isRefused { try await database.execute(owe, group.id, ada, bob, ada) }
            try await isRefused { try await database.execute(owe, other, id, bob, ada) }
            try await isRefused { try await database.execute(move, id, ID<Expense>.new()) }
            let delete = Statement<Void>("delete from groups.expense where id = $1")
            try await database.execute(delete, id)
            let left = Statement("select count(*) from groups.expense_debt") { row in
                try row.int64(0)
            }
            #expect(try await database.queryOne(left) == 0)
        }
    }
}
