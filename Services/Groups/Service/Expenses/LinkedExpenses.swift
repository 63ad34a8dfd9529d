import Postgres
import ServiceKit
import WalletProtocol

/// Writes expenses down that are in their payers' own ledgers from the first moment on.
struct LinkedExpenses {
    let expenses: ExpenseStore
    let links: LedgerLinkWork

    func add(
        _ body: NewExpense,
        from account: ID<Account>,
        to group: ID<Group>,
        by person: Person,
        under scope: IdempotencyScope?
    ) async throws -> Response<ExpenseView> {
        let today = person.day(at: .now())
        return try await links.make(in: group, by: person.id, under: scope) {
            membership,
            transaction in
            try await begin(body, from: account, by: membership, today: today, in: transaction)
        } writing: { link, view, transaction in
            guard let id = link.expense else { throw APIError(.internalError) }
            var made = try await expenses.add(
                body,
                id,
                to: group,
                by: person.id,
                // Of the day on which it is posted, though midnight may have passed since.
                today: body.date == nil ? link.posted.day : today,
                in: transaction
            )
            made.link = view
            return .created(made, at: "/v1/groups/\(group.text)/expenses/\(id.text)")
                .tagged(String(made.version))
        }
    }

    /// What the ledger is to be asked for.
    private func begin(
        _ body: NewExpense,
        from account: ID<Account>,
        by membership: Membership,
        today: Day,
        in transaction: Transaction
    ) async throws -> LedgerLinkStore.Beginning {
        let group = membership.group.id
        let members = try await transaction.query(GroupStatements.present, group)
        try membership.group.checkIsJoined(by: members.count)
        let categories = try await ExpenseStore.categories(body.categoryID, of: group, transaction)
        let draft = try ExpenseDraft(
            body,
            by: membership,
            members: Set(members.map(\.id)),
            categories: Set(categories.map(\.id)),
            today: today
        )
        try await PlaceChanges(adding: draft).check(by: membership, transaction)
        guard let own = draft.own(membership.member) else { throw APIError(.internalError) }
        return LedgerLinkStore.Beginning(
            id: .new(),
            expense: .new(),
            account: account,
            category: body.ownCategoryID,
            part: own.part,
            asked: .posting(own.posting(to: account, body.ownCategoryID, version: 1))
        )
    }
}

extension ExpenseDraft {
    /// What of it is a member's who paid.
    fileprivate func own(_ member: ID<Member>) -> OwnPart? {
        guard let paid = payments.first(where: { $0.member == member })?.amount else { return nil }
        let owed = shares.first { $0.member == member }?.amount ?? 0
        return OwnPart(
            part: LedgerLink.Part(paid: paid, owed: owed, amount.currency, on: day),
            name: details.name
        )
    }
}
