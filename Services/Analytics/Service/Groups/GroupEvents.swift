import Postgres
import ServiceKit
import WalletProtocol

/// Keeps what groups have spent, by their events: those of a group come in order, one replica at a
/// time, so that each is applied to what the one before left.
enum GroupEvents {
    static func apply(_ events: [EventEnvelope], in transaction: Transaction) async throws {
        var round = GroupRound(transaction: transaction)
        for event in events { try await round.apply(event) }
        try await round.finish()
    }
}

/// Events of one transaction.
///
/// Neighbouring changes of expenses are written together.
private struct GroupRound {
    let transaction: Transaction
    /// What has become of expenses since the last write; nothing of what is gone.
    private var expenses: [GroupExpense.Key: GroupExpense?] = [:]
    private var changes: [CellChange] = []

    init(transaction: Transaction) { self.transaction = transaction }

    mutating func apply(_ event: EventEnvelope) async throws {
        switch event.type {
        case GroupExpenseAdded.eventType:
            let body = try event.body(as: GroupExpenseAdded.self)
            note(body.expenseID, of: body.groupID, body.day, body.amount, body.categoryID)
        case GroupExpenseChanged.eventType:
            let body = try event.body(as: GroupExpenseChanged.self)
            note(body.expenseID, of: body.groupID, body.day, body.amount, body.categoryID)
        case GroupExpenseRemoved.eventType:
            let body = try event.body(as: GroupExpenseRemoved.self)
            expenses[GroupExpense.Key(group: body.groupID, id: body.expenseID)] = .some(nil)
        case GroupCategoryChanged.eventType:
            try await write()
            try await apply(try event.body(as: GroupCategoryChanged.self))
        case GroupChanged.eventType:
            let body = try event.body(as: GroupChanged.self)
            guard body.isDeleted else { return }
            try await write()
            try await forget(body.groupID)
        default: break
        }
    }

    private mutating func note(
        _ id: ID<Expense>,
        of group: ID<Group>,
        _ day: Day,
        _ amount: Money,
        _ category: ID<GroupCategory>?
    ) {
        expenses[GroupExpense.Key(group: group, id: id)] = GroupExpense(
            id: id,
            group: group,
            day: day,
            amount: amount,
            // «Others» has the group's own name.
            category: category ?? group.retagged(GroupCategory.self)
        )
    }

    mutating func finish() async throws {
        try await write()
        try await Cells.apply(changes, in: transaction)
    }

    /// Takes away what stood of the expenses noted, and puts there what stands now.
    private mutating func write() async throws {
        guard !expenses.isEmpty else { return }
        changes += try await GroupExpenses.replace(
            Array(expenses.keys),
            with: expenses.values.compactMap(\.self),
            in: transaction
        )
        expenses = [:]
    }

    /// What was in a category that is gone is in «Others».
    private mutating func apply(_ body: GroupCategoryChanged) async throws {
        if let parent = body.parentID, !body.isDeleted {
            try await transaction.execute(
                GroupExpenseStatements.placeCategory,
                body.groupID,
                body.categoryID,
                parent
            )
            return
        }
        try await transaction.execute(
            GroupExpenseStatements.raiseCategory,
            body.groupID,
            body.categoryID
        )
        guard body.isDeleted else { return }
        let moved = try await transaction.query(
            GroupExpenseStatements.move,
            body.groupID,
            body.categoryID,
            body.groupID.retagged(GroupCategory.self)
        )
        for expense in moved {
            changes += [expense.of(body.categoryID).change(-1), expense.change(1)]
        }
    }

    private mutating func forget(_ group: ID<Group>) async throws {
        for statement in GroupExpenseStatements.forget {
            try await transaction.execute(statement, group)
        }
        changes.removeAll { $0.owner == group.retagged(CellOwner.self) }
    }
}

/// Keeps what groups have spent.
enum GroupExpenses {
    /// Takes away what stood of some expenses, and puts there what stands now.
    /// - Returns: what cells change by it.
    static func replace(
        _ expenses: [GroupExpense.Key],
        with standing: [GroupExpense],
        in transaction: Transaction
    ) async throws -> [CellChange] {
        let taken = try await transaction.query(
            GroupExpenseStatements.take,
            expenses.map(\.group),
            expenses.map(\.id)
        )
        var changes = taken.map { $0.change(-1) }
        let standing = standing.sorted { $0.id < $1.id }
        guard !standing.isEmpty else { return changes }
        try await transaction.execute(
            GroupExpenseStatements.put,
            standing.map(\.group),
            standing.map(\.id),
            standing.map(\.day),
            standing.map(\.amount.minorUnits),
            standing.map(\.amount.currency.code),
            standing.map(\.category)
        )
        changes += standing.map { $0.change(1) }
        return changes
    }
}

/// What a group has spent at once.
struct GroupExpense {
    /// What it is found by.
    struct Key: Hashable {
        let group: ID<Group>
        let id: ID<Expense>
    }
    let id: ID<Expense>
    let group: ID<Group>
    let day: Day
    let amount: Money
    let category: ID<GroupCategory>

    /// The same in another category.
    fileprivate func of(_ category: ID<GroupCategory>) -> GroupExpense {
        GroupExpense(id: id, group: group, day: day, amount: amount, category: category)
    }

    /// What was spent is money out.
    fileprivate func change(_ sign: Int32) -> CellChange {
        CellChange(
            owner: group.retagged(CellOwner.self),
            account: group.retagged(Account.self),
            category: category.retagged(WalletProtocol.Category.self),
            amount: Money(minorUnits: -amount.minorUnits, amount.currency),
            day: day,
            part: 0,
            sign: sign
        )
    }
}
