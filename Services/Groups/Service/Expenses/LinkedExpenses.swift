import Postgres
import ServiceKit
import WalletProtocol

/// Writes expenses down that are in their payers' own ledgers from the first moment on.
///
/// In three steps, after each of which a process may die:
///
/// 1. Under the group's lock everything is checked, and a link says what the ledger is asked for.
/// 2. The ledger posts it, or refuses: then there is neither.
/// 3. Under the group's lock the expense is written down, with the answer of the key.
///
/// `LedgerLinkWork` takes the second step back where the third never comes.
struct LinkedExpenses {
    let database: Database
    let effects: KeyedEffects
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
        return try await effects.run(scope) { keyed in
            let link: LedgerLink? = try await database.transaction { transaction in
                try await ErasedUsers.hold([person.id], in: transaction)
                let membership = try await Membership.lock(
                    person.id,
                    in: group,
                    to: .write,
                    transaction
                )
                // Whoever asked first has posted it, and written it down.
                if try await keyed.isAnswered(in: transaction) { return LedgerLink?.none }
                return try await begin(
                    body,
                    from: account,
                    by: membership,
                    today: today,
                    under: scope,
                    in: transaction
                )
            }
            guard let link else {
                return try await keyed.answer { _ in throw APIError(.unavailable) }
            }
            return try await links.make(link, keyed) { transaction, view in
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
    }

    /// The first step, or what it left under the same key.
    private func begin(
        _ body: NewExpense,
        from account: ID<Account>,
        by membership: Membership,
        today: Day,
        under scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws -> LedgerLink {
        if let begun = try await LedgerLinkStore.begun(under: scope, in: transaction) {
            return begun
        }
        let group = membership.group.id
        let members = try await transaction.query(GroupStatements.present, group)
        let categories = try await ExpenseStore.categories(body.categoryID, of: group, transaction)
        let draft = try ExpenseDraft(
            body,
            by: membership,
            members: Set(members.map(\.id)),
            categories: Set(categories.map(\.id)),
            today: today
        )
        let id = ID<LedgerLink>.new()
        guard let own = draft.own(membership.member) else { throw APIError(.internalError) }
        try await LedgerLinkStore.begin(
            LedgerLinkStore.Beginning(
                id: id,
                expense: .new(),
                account: account,
                category: body.ownCategoryID,
                part: own.part,
                asked: .posting(own.posting(to: account, body.ownCategoryID, version: 1))
            ),
            as: .making,
            of: membership,
            under: scope,
            in: transaction
        )
        guard let link = try await transaction.queryOne(LedgerLinkStatements.find, id) else {
            throw APIError(.internalError)
        }
        return link
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
