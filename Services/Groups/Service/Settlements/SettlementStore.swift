import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Writes and reads settlements.
final class SettlementStore {
    private let database: Database

    init(database: Database) {
        self.database = database
    }

    /// Records that a debt between the caller and another member was paid back.
    func settle(
        _ body: NewSettlement,
        in group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> SettlementView {
        let id = ID<Settlement>.new()
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        // Whoever has left may owe still, and be owed.
        let found = try await transaction.queryOne(GroupStatements.known, group, body.withMemberID)
        guard let other = found else {
            throw APIError.field(
                "/withMemberId",
                .unknownReference,
                "is nobody in the group"
            )
        }
        guard other.id != membership.member else {
            throw APIError.field("/withMemberId", .conflict, "is oneself")
        }
        let payments = try await pay(body, by: membership, in: transaction)
        try await transaction.execute(SettlementStatements.insert, group, id, membership.member)
        for payment in payments {
            try await transaction.execute(
                SettlementStatements.insertPayment,
                group,
                id,
                payment.amount.currency,
                payment.debtor,
                payment.creditor,
                payment.amount.minorUnits
            )
        }
        try await Outbox.append(
            GroupSettlementRecorded(
                settlementID: id,
                groupID: group,
                payments: payments.map(\.settlementPart),
                recordedBy: user,
                userIDs: other.user.map { [$0] } ?? []
            ),
            of: membership.group.aggregate,
            in: transaction
        )
        let row = try await transaction.queryOne(SettlementStatements.find, group, id)
        let views = try await Self.views(row.map { [$0] } ?? [], of: group, transaction)
        guard let view = views.first else { throw APIError(.internalError) }
        return view
    }

    /// Decides who pays whom how much, and takes it from what is open.
    private func pay(
        _ body: NewSettlement,
        by membership: Membership,
        in transaction: Transaction
    ) async throws -> [MemberDebt] {
        let (group, one, other) = (membership.group.id, membership.member, body.withMemberID)
        let pairs = Dictionary(
            grouping: try await transaction.query(BalanceStatements.pairs, group, [one, other])
        ) { $0.amount.currency }
        let balances = Dictionary(
            grouping: try await transaction.query(BalanceStatements.members, group)
        ) { $0.amount.currency }
        var payments: [MemberDebt] = []
        var changes: [MemberDebt] = []
        for currency in Set(pairs.keys).union(balances.keys).sorted()
        where body.amount == nil || body.amount?.currency == currency {
            let open = OpenDebts(
                currency,
                pairs: pairs[currency] ?? [],
                balances: balances[currency] ?? [],
                simplifies: membership.group.simplifiesDebts
            )
            let payment: MemberDebt?
            if let amount = body.amount {
                payment = try open.largest(between: one, and: other).map { largest in
                    guard amount.minorUnits <= largest.amount.minorUnits else {
                        throw APIError(.settlementTooLarge, "\(largest.amount) is open")
                    }
                    return MemberDebt(
                        debtor: largest.debtor,
                        creditor: largest.creditor,
                        amount: amount
                    )
                }
            } else {
                payment = open.whole(between: one, and: other)
            }
            guard let payment else { continue }
            payments.append(payment)
            changes += open.changes(by: payment)
        }
        guard !payments.isEmpty else { throw APIError(.nothingToSettle) }
        try await BalanceStore.add(changes, to: group, in: transaction)
        for payment in payments where membership.group.simplifiesDebts {
            try await transaction.execute(
                BalanceStatements.clearCircles,
                group,
                payment.amount.currency
            )
        }
        return payments
    }

    func list(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<SettlementView> {
        _ = try await Membership.find(user, in: group, database)
        let before = try query.cursor?.decode(ID<Settlement>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            SettlementStatements.list,
            group,
            before,
            query.limit + 1
        )
        return Page(
            rows: try await Self.views(rows, of: group, database),
            limit: query.limit
        ) { Cursor($0.id) }
    }

    private static func views(
        _ rows: [SettlementRow],
        of group: ID<Group>,
        _ database: some Querying
    ) async throws -> [SettlementView] {
        guard !rows.isEmpty else { return [] }
        let payments = Dictionary(
            grouping: try await database.query(
                SettlementStatements.payments,
                group,
                rows.map(\.id)
            ),
            by: \.settlement
        )
        return rows.map { row in
            SettlementView(
                id: row.id,
                groupID: group,
                payments: payments[row.id, default: []].map { $0.payment.settlementPart },
                recordedBy: row.recordedBy,
                createdAt: row.createdAt
            )
        }
    }
}

extension MemberDebt {
    /// Paid back by whom to whom.
    fileprivate var settlementPart: SettlementPart {
        SettlementPart(fromMemberID: debtor, toMemberID: creditor, amount: amount)
    }
}
