import Messaging
import Postgres
import ServiceKit
import WalletProtocol

// What becomes of an expense that stands: each version is kept, and balances, totals and limits
// follow it in the same transaction.
extension ExpenseStore {
    /// How long a removal can be undone.
    static let undoSeconds: Int64 = 600

    /// Makes an expense another.
    /// - Parameter faults: what the change's shape tells of it already.
    func change(
        _ id: ID<Expense>,
        of group: ID<Group>,
        _ change: ExpenseChange,
        faults: [FieldError] = [],
        by user: ID<User>,
        today: Day,
        ifMatch: EntityTags?,
        in transaction: Transaction
    ) async throws -> ExpenseView {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        let old = try await Self.keep(id, of: group, ifMatch: ifMatch, transaction)
        let members = try await transaction.query(GroupStatements.present, group)
        // Who has left stays where they are named already.
        let named = (old.paidBy + old.shares).map(\.memberID)
        let body = change.applied(to: old)
        let categories = try await Self.categories(body.categoryID, of: group, transaction)
        let draft = try ExpenseDraft(
            body,
            faults: faults,
            by: membership,
            members: Set(members.map(\.id)).union(named),
            categories: Set(categories.map(\.id)),
            today: today
        ).keepingShares(of: old, under: body)
        var changes = PlaceChanges()
        changes.remove(old)
        changes.add(draft)
        try await changes.check(by: membership, transaction)
        let before = try await Self.unbook([old], of: group, transaction)
        try await Self.rewrite(id, as: draft, by: membership, transaction)
        let debts = try await Self.book(draft, id, in: group, transaction)
        try await BalanceStore.add(before.map(\.reversed) + debts, to: group, in: transaction)
        try await LedgerLinkStore.follow(id, of: membership, in: transaction)
        try await tell(
            draft,
            id,
            by: membership,
            replacing: SpentExpense(id: id, amount: old.amount, day: old.date),
            today: today,
            knowing: (members, named, categories),
            in: transaction
        )
        return draft.view(
            id,
            in: group,
            addedBy: old.addedBy,
            recurrence: old.recurrenceID,
            version: old.version + 1,
            createdAt: old.createdAt
        )
    }

    /// Writes the next version of one, whatever it was booked for.
    static func rewrite(
        _ id: ID<Expense>,
        as draft: ExpenseDraft,
        by membership: Membership,
        _ transaction: Transaction
    ) async throws {
        let (group, sides) = (membership.group.id, draft.sides)
        try await transaction.execute(
            ExpenseStatements.change,
            group,
            id,
            membership.member,
            draft.details.name,
            draft.details.description,
            draft.amount.minorUnits,
            draft.amount.currency,
            draft.day,
            draft.splitKind?.rawValue,
            draft.details.category,
            draft.details.tags,
            draft.details.location?.latitude,
            draft.details.location?.longitude,
            draft.details.location?.label,
            sides.payers,
            sides.paid,
            sides.bearers,
            sides.borne,
            sides.values
        )
        try await transaction.execute(ExpenseStatements.deleteItems, group, id)
        try await write(draft.items, of: id, in: group, transaction)
    }

    /// Undoes a removal: what the expense made each owe each is owed again.
    func restore(
        _ id: ID<Expense>,
        of group: ID<Group>,
        by user: ID<User>,
        today: Day,
        in transaction: Transaction
    ) async throws -> ExpenseView {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        guard let found = try await transaction.queryOne(ExpenseStatements.find, group, id),
            let removedAt = found.removedAt
        else { throw APIError.notFound }
        guard Instant.now() < removedAt.adding(seconds: Self.undoSeconds) else {
            throw APIError(.undoExpired)
        }
        let draft = ExpenseDraft(of: try await Self.keep(found.expense, of: group, transaction))
        try await PlaceChanges(adding: draft).check(by: membership, transaction)
        let members = try await transaction.query(GroupStatements.present, group)
        let category = draft.details.category
        let categories = try await Self.categories(category, of: group, transaction)
        try await transaction.execute(ExpenseStatements.restore, group, id, membership.member)
        let debts = try await Self.book(draft, id, in: group, transaction)
        try await BalanceStore.add(debts, to: group, in: transaction)
        try await LedgerLinkStore.follow(id, of: membership, undoes: true, in: transaction)
        try await tell(
            draft,
            id,
            by: membership,
            replacing: nil,
            today: today,
            knowing: (members, [], categories),
            in: transaction
        )
        let row = try await Self.standing(id, of: group, transaction)
        return try await Self.view(of: row, in: group, transaction)
    }

    private func tell(
        _ draft: ExpenseDraft,
        _ id: ID<Expense>,
        by membership: Membership,
        replacing old: SpentExpense?,
        today: Day,
        knowing known: (
            members: [(id: ID<Member>, user: ID<User>?)], named: [ID<Member>],
            categories: [GroupCategoryRow]
        ),
        in transaction: Transaction
    ) async throws {
        let (group, category) = (membership.group, draft.details.category)
        // Cannot fire: a member's id stands once in a group (member_pkey).
        let users = Dictionary(uniqueKeysWithValues: known.members.map { ($0.id, $0.user) })
        try await Outbox.append(
            GroupExpenseChanged(
                expenseID: id,
                groupID: group.id,
                amount: draft.amount,
                day: draft.day,
                categoryID: category,
                coicop: known.categories.first { $0.id == category }?.coicop,
                splitKind: draft.splitKind,
                shares: draft.userShares(users, and: known.named),
                changedBy: membership.user
            ),
            of: group.aggregate,
            in: transaction
        )
        try await ThresholdStore.announceCrossings(
            by: SpentExpense(id: id, amount: draft.amount, day: draft.day),
            replacing: old,
            in: group,
            today: today,
            telling: known.members.compactMap(\.user),
            in: transaction
        )
    }

    /// What happened to an expense, removed or not, newest first.
    func history(
        _ query: PageQuery,
        of id: ID<Expense>,
        in group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<ExpenseHistoryItem> {
        _ = try await Membership.find(user, in: group, database)
        let before = try query.cursor?.decode(Int.self)
        let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
        let items = try await database.transaction(options) { transaction in
            guard let found = try await transaction.queryOne(ExpenseStatements.find, group, id)
            else { throw APIError.notFound }
            var items: [ExpenseHistoryItem] = []
            if before == nil {
                let now = try await Self.view(of: found.expense, in: group, transaction)
                items.append(ExpenseHistoryItem(found.step, expense: now))
            }
            items += try await transaction.query(
                ExpenseHistoryStatements.before,
                group,
                id,
                Int32(clamping: before ?? Int(Int32.max)),
                query.limit + 1 - items.count
            )
            return items
        }
        return Page(rows: items, limit: query.limit) { Cursor($0.version) }
    }
}

extension ExpenseChange {
    /// The whole expense as it would be written down anew.
    func applied(to old: ExpenseView) -> NewExpense {
        let amount = amount.applied(to: old.amount)
        // One payer has paid all of it, whatever that is now.
        let payers =
            old.paidBy.count == 1
            ? [MemberAmount(memberID: old.paidBy[0].memberID, amount: amount)] : old.paidBy
        return NewExpense(
            name: name.applied(to: old.name),
            amount: amount,
            date: date.applied(to: old.date),
            paidBy: paidBy.applied(to: payers),
            split: split.applied(to: old.split),
            description: description.applied(to: old.description),
            categoryID: categoryID.applied(to: old.categoryID),
            tags: tags.applied(to: old.tags),
            location: location.applied(to: old.location)
        )
    }
}

extension ExpenseDraft {
    /// An expense that stands, as it was divided.
    init(of expense: ExpenseView) {
        details = ExpenseDetails(
            name: expense.name,
            description: expense.description,
            category: expense.categoryID == .others(of: expense.groupID) ? nil : expense.categoryID,
            tags: expense.tags,
            location: expense.location.map { ExpenseDetails.Location($0) }
        )
        amount = expense.amount
        day = expense.date
        splitKind = expense.split?.kind
        payments = expense.paidBy.map { Part(member: $0.memberID, amount: $0.amount.minorUnits) }
        shares = expense.shares.map { Part(member: $0.memberID, amount: $0.amount.minorUnits) }
        items = expense.split?.items ?? []
    }
}
