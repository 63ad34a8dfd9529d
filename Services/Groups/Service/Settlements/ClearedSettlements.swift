import Postgres
import ServiceKit
import WalletProtocol

/// Records what creditors have been paid back, and clears it in their own ledgers: both or neither,
/// in the three steps of `LinkedExpenses`.
struct ClearedSettlements {
    let database: Database
    let effects: KeyedEffects
    let settlements: SettlementStore
    let links: LedgerLinkWork

    func record(
        _ body: NewSettlement,
        into account: ID<Account>,
        in group: ID<Group>,
        by user: ID<User>,
        today: Day,
        under scope: IdempotencyScope?
    ) async throws -> Response<SettlementView> {
        try await effects.run(scope) { keyed in
            let link: LedgerLink? = try await database.transaction { transaction in
                try await ErasedUsers.hold([user], in: transaction)
                let membership = try await Membership.lock(user, in: group, to: .write, transaction)
                // Whoever asked first has posted it, and written it down.
                if try await keyed.isAnswered(in: transaction) { return LedgerLink?.none }
                return try await begin(
                    body,
                    into: account,
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
                let id = link.id.retagged(Settlement.self)
                let cleared = NewSettlement(
                    withMemberID: body.withMemberID,
                    amount: link.posted.paid,
                    date: link.posted.day
                )
                var made = try await settlements.settle(
                    cleared,
                    id,
                    in: group,
                    by: user,
                    today: today,
                    in: transaction
                )
                // Whoever was owed may owe by now.
                guard made.payments.map(\.toMemberID) == [link.member] else {
                    throw APIError(.nothingToSettle)
                }
                made.link = view
                return .created(made, at: "/v1/groups/\(group.text)/settlements/\(id.text)")
            }
        }
    }

    /// The first step, or what it left under the same key.
    private func begin(
        _ body: NewSettlement,
        into account: ID<Account>,
        by membership: Membership,
        today: Day,
        under scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws -> LedgerLink {
        if let begun = try await LedgerLinkStore.begun(under: scope, in: transaction) {
            return begun
        }
        let claim = try await SettlementStore.claim(body, by: membership, in: transaction)
        guard let payment = claim.payments.first, claim.payments.count == 1 else {
            throw APIError.field("/amount", .required, "several currencies are open")
        }
        guard payment.creditor == membership.member else {
            throw APIError.field("/accountId", .conflict, "is for who is owed: you owe")
        }
        let id = ID<LedgerLink>.new()
        let day = body.date ?? today
        let clearing = ReceivableClearing(
            accountID: account,
            amount: payment.amount,
            date: day,
            name: membership.group.name
        )
        try await LedgerLinkStore.begin(
            LedgerLinkStore.Beginning(
                id: id,
                expense: nil,
                account: account,
                category: nil,
                part: LedgerLink.Part(
                    paid: payment.amount,
                    share: Money(minorUnits: 0, payment.amount.currency),
                    day: day
                ),
                asked: .clearing(clearing)
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
