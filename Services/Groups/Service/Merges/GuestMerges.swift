import JSONCodec
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Merges a guest's place into that of the member who the guest is, and undoes it.
///
/// All of it is one transaction under the group's lock. Expenses become their next versions, with
/// payments and shares added up; settlements name the member, and one between the two ends as void;
/// what is open with the guest is open with the member. Each change of a balance is kept as debts
/// that were added, so that it is undone by adding the reverse, whatever has happened since.
enum GuestMerges {
    /// How long a merge can be undone.
    static let undoSeconds: Int64 = 600

    /// Deletes what was kept for undoing merges that cannot be undone any more.
    static func deleteOld(in database: Database) async throws {
        let seconds = Double(undoSeconds)
        while try await database.execute(GuestMergeStatements.deleteOld, seconds) == 100 {}
    }

    static func merge(
        _ guest: ID<Member>,
        in group: ID<Group>,
        into user: ID<User>,
        _ transaction: Transaction
    ) async throws {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        let row = try await transaction.queryOne(MemberStatements.find, group, guest)
        guard row?.isGuest == true else { throw APIError.notFound }
        var merge = GuestMerge(guest: guest, member: membership.member)
        merge.expenses = try await moveExpenses(of: merge, by: membership, transaction)
        merge.recurrences = try await moveRecurrences(of: merge, in: group, transaction)
        try await moveSettlements(&merge, in: group, transaction)
        let open = try await transaction.query(BalanceStatements.pairs, group, [guest]).map(\.debt)
        let moved =
            open.map(\.reversed)
            + open.compactMap { $0.naming(merge.member, insteadOf: guest) }
        try await BalanceStore.add(moved, to: group, in: transaction)
        merge.debts += moved
        try await transaction.execute(MemberStatements.leave, group, guest)
        try await transaction.execute(GroupStatements.raiseVersion, group)
        try await insert(merge, in: group, transaction)
        try await Outbox.append(
            GroupMemberLeft(groupID: group, memberID: guest, leftAt: .now()),
            of: group.aggregate,
            in: transaction
        )
        try await tell(of: merge, isUndone: false, by: membership, transaction)
    }

    /// - Throws: `undo-expired`, `member-has-left`; 404 where the guest was not merged.
    static func undo(
        _ guest: ID<Member>,
        in group: ID<Group>,
        by user: ID<User>,
        _ transaction: Transaction
    ) async throws {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        guard let merge = try await transaction.queryOne(GuestMergeStatements.find, group, guest)
        else { throw APIError.notFound }
        guard Instant.now() < merge.mergedAt.adding(seconds: undoSeconds) else {
            throw APIError(.undoExpired)
        }
        // Parted, a member who has left meanwhile could owe more.
        guard try await transaction.queryOne(MemberStatements.find, group, merge.member) != nil
        else { throw APIError(.memberHasLeft) }
        try await MemberStore.checkRoom(in: group, transaction)
        guard
            let joinedAt = try await transaction.queryOne(
                GuestMergeStatements.bringBack,
                group,
                guest
            )
        else { throw APIError.notFound }
        try await BalanceStore.add(merge.debts.map(\.reversed), to: group, in: transaction)
        try await transaction.execute(
            GuestMergeStatements.restoreSettlements,
            group,
            merge.settlements
        )
        try await setVoid(merge.void, false, in: group, transaction)
        try await restoreExpenses(of: merge, by: membership, transaction)
        for recurrence in merge.recurrences {
            try await transaction.execute(
                GuestMergeStatements.setRecurrence,
                group,
                recurrence.id,
                recurrence.was,
                recurrence.version
            )
        }
        try await transaction.execute(GuestMergeStatements.delete, group, guest)
        try await transaction.execute(GroupStatements.raiseVersion, group)
        try await MemberStore.tell(guest, nil, joined: group, at: joinedAt, in: transaction)
        try await tell(of: merge, isUndone: true, by: membership, transaction)
    }

    // MARK: Expenses

    // A removed expense is booked nowhere. It is rewritten so that it names the right place when
    // its removal is undone.

    /// - Returns: the version of each that it made.
    private static func moveExpenses(
        of merge: GuestMerge,
        by membership: Membership,
        _ transaction: Transaction
    ) async throws -> [(id: ID<Expense>, version: Int32)] {
        let group = membership.group.id
        var moved: [(id: ID<Expense>, version: Int32)] = []
        var last = ID<Expense>(high: 0, low: 0)
        while true {
            let rows = try await transaction.query(
                GuestMergeStatements.expenses,
                group,
                merge.guest,
                last,
                Double(ExpenseStore.undoSeconds)
            )
            guard let end = rows.last?.expense else { return moved }
            let kept = try await ExpenseStore.keep(rows.map(\.expense), of: group, transaction)
            let removed = Set(rows.filter(\.isRemoved).map(\.expense.id))
            for expense in kept {
                let draft = ExpenseDraft(
                    expense,
                    naming: merge.member,
                    insteadOf: merge.guest
                )
                if removed.contains(expense.id) {
                    try await ExpenseStore.rewrite(
                        expense.id,
                        as: draft,
                        by: membership,
                        transaction
                    )
                } else {
                    try await replace(expense, by: draft, membership, transaction)
                }
                moved.append((id: expense.id, version: Int32(clamping: expense.version + 1)))
            }
            last = end.id
        }
    }

    /// Those that nobody has changed since are as they were.
    private static func restoreExpenses(
        of merge: GuestMerge,
        by membership: Membership,
        _ transaction: Transaction
    ) async throws {
        let group = membership.group.id
        for (id, version) in merge.expenses {
            guard let found = try await transaction.queryOne(ExpenseStatements.find, group, id),
                found.expense.version == Int(version),
                let before = try await transaction.query(
                    ExpenseHistoryStatements.before,
                    group,
                    id,
                    version,
                    1
                ).first
            else { continue }
            let expense = try await ExpenseStore.keep(found.expense, of: group, transaction)
            let draft = ExpenseDraft(before.expense, naming: merge.guest, insteadOf: merge.guest)
            if found.removedAt == nil {
                try await replace(expense, by: draft, membership, transaction)
            } else {
                try await ExpenseStore.rewrite(id, as: draft, by: membership, transaction)
            }
        }
    }

    /// Writes the next version of one whose version that stands is kept, and what follows from it.
    private static func replace(
        _ expense: ExpenseView,
        by draft: ExpenseDraft,
        _ membership: Membership,
        _ transaction: Transaction
    ) async throws {
        let group = membership.group.id
        let before = try await ExpenseStore.unbook([expense], of: group, transaction)
        try await ExpenseStore.rewrite(expense.id, as: draft, by: membership, transaction)
        let debts = try await ExpenseStore.book(draft, expense.id, in: group, transaction)
        try await BalanceStore.add(before.map(\.reversed) + debts, to: group, in: transaction)
        try await LedgerLinkStore.follow(expense.id, of: membership, in: transaction)
    }

    // MARK: What else names the guest

    private static func moveRecurrences(
        of merge: GuestMerge,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> [(id: ID<Recurrence>, version: Int32, was: String)] {
        var moved: [(id: ID<Recurrence>, version: Int32, was: String)] = []
        let named = try await transaction.query(
            GuestMergeStatements.recurrences,
            group,
            merge.guest.text
        )
        for id in named {
            guard
                let found = try await transaction.queryOne(
                    ExpenseRecurrenceStatements.find,
                    group,
                    id
                )?.recurring
            else { continue }
            let new = found.expense.naming(
                merge.member,
                insteadOf: merge.guest,
                dividedOn: found.anchor
            )
            try await transaction.execute(
                GuestMergeStatements.setRecurrence,
                group,
                id,
                JSON.text(new.named(nil)),
                found.version
            )
            moved.append((id, found.version + 1, JSON.text(found.expense.named(nil))))
        }
        return moved
    }

    private static func moveSettlements(
        _ merge: inout GuestMerge,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws {
        merge.void = try await transaction.query(
            GuestMergeStatements.between,
            group,
            merge.guest,
            merge.member
        )
        for id in merge.void {
            merge.debts += try await transaction.query(SettlementStatements.changes, group, id)
                .map(\.reversed)
            try await LedgerLinkStore.follow(removalOf: id, in: transaction)
        }
        try await BalanceStore.add(merge.debts, to: group, in: transaction)
        try await setVoid(merge.void, true, in: group, transaction)
        let was = try await transaction.queryOne(
            GuestMergeStatements.renameSettlements,
            group,
            merge.guest,
            merge.member
        )
        merge.settlements = was ?? "[]"
    }

    private static func setVoid(
        _ ids: [ID<Settlement>],
        _ isVoid: Bool,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws {
        let states: [SettlementState] = isVoid ? [.void, .recorded] : [.recorded, .void]
        try await transaction.execute(
            GuestMergeStatements.setStates,
            group,
            ids,
            states[0].rawValue,
            states[1].rawValue
        )
    }

    private static func insert(
        _ merge: GuestMerge,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws {
        try await transaction.execute(
            GuestMergeStatements.insert,
            group,
            merge.guest,
            merge.member,
            merge.expenses.map(\.id),
            merge.expenses.map(\.version),
            merge.recurrences.map(\.id),
            merge.recurrences.map(\.version),
            merge.recurrences.map(\.was),
            merge.settlements,
            merge.void,
            merge.debts.map(\.amount.currency),
            merge.debts.map(\.debtor),
            merge.debts.map(\.creditor),
            merge.debts.map(\.amount.minorUnits)
        )
    }

    private static func tell(
        of merge: GuestMerge,
        isUndone: Bool,
        by membership: Membership,
        _ transaction: Transaction
    ) async throws {
        let group = membership.group
        let members = try await transaction.query(GroupStatements.present, group.id)
        try await Outbox.append(
            GroupGuestMerged(
                groupID: group.id,
                guestID: merge.guest,
                memberID: merge.member,
                mergedBy: membership.user,
                isUndone: isUndone,
                userIDs: members.compactMap(\.user)
            ),
            of: group.aggregate,
            in: transaction
        )
    }
}
