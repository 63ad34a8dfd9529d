import Postgres
import Synchronization
import TestKit
import WalletProtocol

@testable import GroupsService

/// One of many members, who does something at random.
struct OneOfMany {
    let place: Int
    let group: TestGroup
    let harness: Harness
    var random: SeededGenerator
    private var isIn = true

    /// What somebody may be told who is not in the group, or names somebody or something that is
    /// not there any more.
    static let refusals: [ErrorCode] = [
        .notFound, .invalidBody, .nothingToSettle, .unsettledBalance, .preconditionFailed,
        .memberHasLeft,
    ]

    init(place: Int, group: TestGroup, harness: Harness, random: SeededGenerator) {
        (self.place, self.group, self.harness, self.random) = (place, group, harness, random)
    }

    mutating func act(_ made: borrowing Mutex<[ID<Expense>]>) async throws {
        guard isIn else {
            try await comeBack()
            isIn = true
            return
        }
        let known = made.withLock { $0 }.randomElement(using: &random)
        switch (Int.random(in: 0..<12, using: &random), known) {
        case (5, let id?):
            let (amount, split) = (amount(), try await split())
            try await change(id, ExpenseChange(amount: .set(amount), split: .set(split)))
        case (6, let id?): try await remove(id)
        case (7, let id?): try await restore(id)
        case (8..<10, _):
            let other = group.members.randomElement(using: &random)
            try await settle(with: other ?? group.members[0])
        case (10, _) where place > 0:
            let isForced = Bool.random(using: &random)
            try await harness.parts.members.end(nil, in: group.id, by: user, isForced: isForced)
            isIn = false
        case (11, _): try await addGuest()
        default:
            let (amount, split) = (amount(), try await split())
            let id = try await add(NewExpense(name: "Thing", amount: amount, split: split))
            made.withLock { $0.append(id) }
        }
    }

    private var user: ID<User> { group.users[place] }
    private var today: Day { Period.ever.start }

    private mutating func amount() -> Money {
        Money(
            minorUnits: random.amount(upTo: 1 << 40) + 1,
            Bool.random(using: &random) ? .eur : .jpy
        )
    }

    private mutating func split() async throws -> Split {
        let present = try await harness.database.query(GroupStatements.present, group.id)
        let some = present.shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
        return Split(kind: .equal, parts: some.map { SplitPart(memberID: $0.id) })
    }

    private func add(_ body: NewExpense) async throws -> ID<Expense> {
        try await harness.database.transaction { transaction in
            try await harness.parts.expenses.add(
                body,
                to: group.id,
                by: user,
                today: today,
                in: transaction
            )
        }.id
    }

    private func change(_ id: ID<Expense>, _ change: ExpenseChange) async throws {
        _ = try await harness.database.transaction { transaction in
            try await harness.parts.expenses.change(
                id,
                of: group.id,
                change,
                by: user,
                today: today,
                ifMatch: nil,
                in: transaction
            )
        }
    }

    private func remove(_ id: ID<Expense>) async throws {
        try await harness.database.transaction { transaction in
            try await harness.parts.expenses.remove(
                id,
                from: group.id,
                by: user,
                ifMatch: nil,
                in: transaction
            )
        }
    }

    private func restore(_ id: ID<Expense>) async throws {
        _ = try await harness.database.transaction { transaction in
            try await harness.parts.expenses.restore(
                id,
                of: group.id,
                by: user,
                today: today,
                in: transaction
            )
        }
    }

    private func settle(with other: ID<Member>) async throws {
        _ = try await harness.database.transaction { transaction in
            try await harness.parts.settlements.settle(
                NewSettlement(withMemberID: other),
                in: group.id,
                by: user,
                today: today,
                in: transaction
            )
        }
    }

    private func comeBack() async throws {
        try await harness.database.transaction { transaction in
            _ = try await transaction.queryOne(GroupStatements.lock, group.id)
            try await MemberStore.join(group.id, user, in: transaction)
        }
    }

    private func addGuest() async throws {
        _ = try await harness.database.transaction { transaction in
            try await harness.parts.members.add(
                NewGuest(displayName: "Guest"),
                to: group.id,
                by: user,
                in: transaction
            )
        }
    }
}
