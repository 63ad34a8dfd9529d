import Postgres
import ServiceKit
import WalletProtocol

/// Records what creditors have been paid back, and clears it in their own ledgers, and takes that
/// back: both or neither.
struct ClearedSettlements {
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
        guard body.settles == nil else {
            throw APIError.field(
                "/accountId",
                .conflict,
                "is for what was paid in the currency of the debt"
            )
        }
        return try await links.make(in: group, by: user, under: scope) { membership, transaction in
            try await begin(body, into: account, by: membership, today: today, in: transaction)
        } writing: { link, view, transaction in
            let id = link.id.retagged(Settlement.self)
            let cleared = NewSettlement(
                memberID: body.memberID,
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

    /// Takes a settlement back, behind what its creditor has cleared by it where they do so
    /// themselves: where the ledger will not, the settlement stays.
    func remove(
        _ id: ID<Settlement>,
        from group: ID<Group>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws {
        try await links.remove(id) { transaction in
            try await settlements.remove(
                id,
                from: group,
                by: user,
                ifMatch: ifMatch,
                in: transaction
            )
        }
    }

    /// What the ledger is to be asked for.
    private func begin(
        _ body: NewSettlement,
        into account: ID<Account>,
        by membership: Membership,
        today: Day,
        in transaction: Transaction
    ) async throws -> LedgerLinkStore.Beginning {
        let claim = try await SettlementStore.claim(body, by: membership, in: transaction)
        guard let payment = claim.payments.first, claim.payments.count == 1 else {
            throw APIError.field("/amount", .required, "several currencies are open")
        }
        guard payment.creditor == membership.member else {
            throw APIError.field("/accountId", .conflict, "is for who is owed: you owe")
        }
        let day = body.date ?? today
        return LedgerLinkStore.Beginning(
            id: .new(),
            expense: nil,
            account: account,
            category: nil,
            part: LedgerLink.Part(
                paid: payment.amount,
                share: Money(minorUnits: 0, payment.amount.currency),
                day: day
            ),
            asked: .clearing(
                ReceivableClearing(
                    accountID: account,
                    amount: payment.amount,
                    date: day,
                    name: membership.group.name
                )
            )
        )
    }
}
