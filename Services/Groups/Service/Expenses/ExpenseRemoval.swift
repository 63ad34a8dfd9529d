import Messaging
import Postgres
import ServiceKit
import WalletProtocol

// What becomes of expenses that are taken away: each version is kept, and balances and totals
// follow in the same transaction.
extension ExpenseStore {
    /// Expenses that are taken away at once: so many are read with both of their sides.
    private static let removedMax = 200

    /// Takes one away: what it made each owe each is taken back.
    func remove(
        _ id: ID<Expense>,
        from group: ID<Group>,
        by user: ID<User>,
        ifMatch: EntityTags?,
        in transaction: Transaction
    ) async throws {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        let row = try await Self.standing(id, of: group, transaction)
        try ifMatch.check(row.version)
        try await Self.remove([row], by: membership, in: transaction)
    }

    /// Takes all away that stand in a category.
    static func removeAll(
        in category: ID<GroupCategory>,
        by membership: Membership,
        in transaction: Transaction
    ) async throws {
        var last = ID<Expense>(high: 0, low: 0)
        while true {
            let rows = try await transaction.query(
                ExpenseStatements.ofCategory,
                membership.group.id,
                category,
                last,
                removedMax
            )
            guard let end = rows.last else { return }
            try await remove(rows, by: membership, in: transaction)
            last = end.id
        }
    }

    private static func remove(
        _ rows: [ExpenseRow],
        by membership: Membership,
        in transaction: Transaction
    ) async throws {
        let group = membership.group
        let ids = rows.map(\.id)
        let old = try await keep(rows, of: group.id, transaction)
        var changes = PlaceChanges()
        for expense in old { changes.remove(expense) }
        try await changes.check(by: membership, transaction)
        let debts = try await unbook(old, of: group.id, transaction)
        try await transaction.execute(ExpenseStatements.remove, group.id, ids, membership.member)
        try await BalanceStore.add(debts.map(\.reversed), to: group.id, in: transaction)
        try await LedgerLinkStore.follow(removalOf: ids, by: membership, in: transaction)
        let members = try await transaction.query(GroupStatements.present, group.id)
        try await ThresholdStore.announceCrossings(
            byRemovalOf: rows.map { SpentExpense(id: $0.id, amount: $0.amount, day: $0.day) },
            in: group,
            telling: members.compactMap(\.user),
            in: transaction
        )
        try await tell(of: old, removedBy: membership, among: members, in: transaction)
    }

    private static func tell(
        of old: [ExpenseView],
        removedBy membership: Membership,
        among members: [(id: ID<Member>, user: ID<User>?)],
        in transaction: Transaction
    ) async throws {
        let group = membership.group
        var divisions: [ID<GroupCategory>: Coicop] = [:]
        for category in Set(old.map(\.categoryID)).sorted() {
            let found = try await categories(category, of: group.id, transaction)
            divisions[category] = found.first?.coicop
        }
        try await Outbox.append(
            all: old.map { expense in
                let isInOthers = expense.categoryID == .others(of: group.id)
                return GroupExpenseRemoved(
                    expenseID: expense.id,
                    groupID: group.id,
                    amount: expense.amount,
                    day: expense.date,
                    categoryID: isInOthers ? nil : expense.categoryID,
                    coicop: divisions[expense.categoryID],
                    splitKind: expense.split?.kind,
                    userIDs: users(of: expense, among: members),
                    removedBy: membership.user
                )
            },
            of: group.aggregate,
            in: transaction
        )
    }

    /// The versions that stand, which are kept for the history: they are about to be others.
    static func keep(
        _ rows: [ExpenseRow],
        of group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> [ExpenseView] {
        let old = try await views(rows, of: group, transaction)
        try await transaction.execute(
            ExpenseHistoryStatements.keep,
            group,
            old.map(\.id),
            old.map { JSON.text($0) }
        )
        return old
    }

    /// Takes back what expenses were booked for, balances excepted.
    /// - Returns: the debts that they made.
    static func unbook(
        _ expenses: [ExpenseView],
        of group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> [MemberDebt] {
        let ids = expenses.map(\.id)
        let debts = try await transaction.query(ExpenseStatements.debts, group, ids)
        try await transaction.execute(ExpenseStatements.deleteDebts, group, ids)
        let byCurrency = Dictionary(grouping: expenses) { $0.amount.currency }
        for (currency, some) in byCurrency.sorted(by: { $0.key < $1.key }) {
            try await transaction.execute(
                ExpenseStatements.takeFromTotal,
                group,
                currency,
                some.reduce(Int128(0)) { $0 + Int128($1.amount.minorUnits) }
            )
        }
        return debts
    }
}
