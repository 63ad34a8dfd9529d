import JSONCodec
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Writes, reads and removes shared expenses.
///
/// Whatever changes money holds the group's row: balances, totals and thresholds follow from what
/// was committed before, and from nothing that happens beside.
final class ExpenseStore {
    let database: Database

    init(database: Database) {
        self.database = database
    }

    /// Writes one down, with what it makes each owe each, and tells of each limit that it crosses.
    func add(
        _ body: NewExpense,
        _ id: ID<Expense> = .new(),
        to group: ID<Group>,
        by user: ID<User>,
        today: Day,
        recurrence: ID<Recurrence>? = nil,
        isMadeUpFor: Bool = false,
        in transaction: Transaction
    ) async throws -> ExpenseView {
        let asked = AskedExpense(
            id: id,
            body: body,
            group: group,
            user: user,
            today: today,
            recurrence: recurrence,
            isMadeUpFor: isMadeUpFor
        )
        return try await add(asked, in: transaction)
    }

    /// The one that an expense names, where the group has it; none for «Others».
    static func categories(
        _ category: ID<GroupCategory>?,
        of group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> [GroupCategoryRow] {
        guard let category, category != .others(of: group) else { return [] }
        return try await transaction.query(GroupCategoryStatements.find, group, category)
    }

    /// The lines of a bill.
    static func write(
        _ items: [SplitItem],
        of expense: ID<Expense>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws {
        guard !items.isEmpty else { return }
        try await transaction.execute(
            ExpenseStatements.insertItems,
            group,
            expense,
            items.map(\.name),
            items.map(\.amount.minorUnits),
            items.enumerated().flatMap { index, item in
                item.memberIDs.map { _ in Int32(clamping: index + 1) }
            },
            items.flatMap(\.memberIDs)
        )
    }

    /// What explains debts, and the group's total; balances are the caller's.
    /// - Returns: the debts that it makes.
    static func book(
        _ draft: ExpenseDraft,
        _ id: ID<Expense>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> [MemberDebt] {
        let debts = draft.debts
        if !debts.isEmpty {
            try await transaction.execute(
                ExpenseStatements.insertDebts,
                group,
                id,
                draft.amount.currency,
                debts.map(\.debtor),
                debts.map(\.creditor),
                debts.map(\.amount.minorUnits)
            )
        }
        try await BalanceStore.within64Bits {
            try await transaction.execute(
                ExpenseStatements.addToTotal,
                group,
                draft.amount.currency,
                draft.amount.minorUnits
            )
        }
        return debts
    }

    /// The version that stands, which is kept for the history: it is about to be another.
    /// - Throws: `precondition-failed` where it is none of the wanted ones.
    static func keep(
        _ id: ID<Expense>,
        of group: ID<Group>,
        ifMatch: EntityTags?,
        _ transaction: Transaction
    ) async throws -> ExpenseView {
        let row = try await standing(id, of: group, transaction)
        try ifMatch.check(row.version)
        return try await keep(row, of: group, transaction)
    }

    /// The same of one that was found.
    static func keep(
        _ row: ExpenseRow,
        of group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> ExpenseView {
        guard let old = try await keep([row], of: group, transaction).first else {
            throw APIError.notFound
        }
        return old
    }

    /// Whom it concerns.
    static func users(
        of expense: ExpenseView,
        _ transaction: Transaction
    ) async throws -> [ID<User>] {
        let members = try await transaction.query(GroupStatements.present, expense.groupID)
        return users(of: expense, among: members)
    }

    /// The same where it is known who is in the group.
    static func users(
        of expense: ExpenseView,
        among members: [(id: ID<Member>, user: ID<User>?)]
    ) -> [ID<User>] {
        let named = Set((expense.paidBy + expense.shares).map(\.memberID))
        return members.filter { named.contains($0.id) }.compactMap(\.user)
    }

    func find(
        _ id: ID<Expense>,
        in group: ID<Group>,
        for user: ID<User>
    ) async throws -> ExpenseView {
        let membership = try await Membership.find(user, in: group, database)
        let row = try await Self.standing(id, of: group, database)
        let view = try await Self.view(of: row, in: group, database)
        return try await LedgerLinkStore.shown(on: [view], to: membership, database).first ?? view
    }

    /// The row of one that is not removed.
    static func standing(
        _ id: ID<Expense>,
        of group: ID<Group>,
        _ database: some Querying
    ) async throws -> ExpenseRow {
        guard let found = try await database.queryOne(ExpenseStatements.find, group, id),
            found.removedAt == nil
        else { throw APIError.notFound }
        return found.expense
    }

    static func view(
        of row: ExpenseRow,
        in group: ID<Group>,
        _ database: some Querying
    ) async throws -> ExpenseView {
        guard let view = try await views([row], of: group, database).first else {
            throw APIError.notFound
        }
        return view
    }

    /// Rows with their two sides.
    static func views(
        _ rows: [ExpenseRow],
        of group: ID<Group>,
        _ database: some Querying
    ) async throws -> [ExpenseView] {
        guard !rows.isEmpty else { return [] }
        let ids = rows.map(\.id)
        let payments = Dictionary(
            grouping: try await database.query(ExpenseStatements.payments, group, ids),
            by: \.expense
        )
        let shares = Dictionary(
            grouping: try await database.query(ExpenseStatements.shares, group, ids),
            by: \.expense
        )
        let itemised = rows.filter { $0.splitKind == .itemised }.map(\.id)
        let items =
            itemised.isEmpty
            ? [] : try await database.query(ExpenseStatements.items, group, itemised)
        let itemsByExpense = Dictionary(grouping: items, by: \.expense)
        return rows.map { row in
            row.view(
                in: group,
                payments: payments[row.id, default: []].map(\.part),
                shares: shares[row.id, default: []].map(\.part),
                items: itemsByExpense[row.id, default: []].map {
                    SplitItem(
                        name: $0.name,
                        amount: Money(minorUnits: $0.amount, row.amount.currency),
                        memberIDs: $0.members
                    )
                }
            )
        }
    }
}

extension ExpenseDraft {
    /// Both sides of each member, as the event tells them.
    /// - Parameter others: who bore or paid some of it before, and hears that it is nothing now.
    func userShares(
        _ users: [ID<Member>: ID<User>?],
        and others: [ID<Member>] = []
    ) -> [UserShare] {
        // Cannot fire: a draft that names a member twice on a side is refused (`checkMembers`).
        let paid = Dictionary(uniqueKeysWithValues: payments.map { ($0.member, $0.amount) })
        let owed = Dictionary(uniqueKeysWithValues: shares.map { ($0.member, $0.amount) })
        return Set(paid.keys).union(owed.keys).union(others).sorted().map { member in
            UserShare(
                memberID: member,
                userID: users[member] ?? nil,
                paid: Money(minorUnits: paid[member] ?? 0, amount.currency),
                owed: Money(minorUnits: owed[member] ?? 0, amount.currency)
            )
        }
    }
}
