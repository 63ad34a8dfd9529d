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

    @Test func theDatabaseRefusesAnExpenseThatDoesNotSum() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 1)
            do {
                try await harness.database.transaction { transaction in
                    _ = try await transaction.queryOne(
                        ExpenseStatements.insert,
                        group.id,
                        ID<Expense>.new(),
                        "Rent",
                        String?.none,
                        Int64(5),
                        Currency.eur,
                        Period.ever.start,
                        String?.none,
                        group.members[0],
                        ID<GroupCategory>?.none,
                        [String](),
                        Int32?.none,
                        Int32?.none,
                        String?.none
                    )
                }
                Issue.record("committed")
            } catch let error as DatabaseError {
                #expect(error.violatedConstraint == "expense_sums")
            }
        }
    }
}
