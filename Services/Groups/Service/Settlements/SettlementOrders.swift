import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Settlements that are real transfers: the debt is settled and the money moved, or neither.
///
/// In four steps, after each of which a process may die:
///
/// 1. Under the group's lock the debt is taken from what is open, and the settlement is pending:
///    whoever pays at the same time finds less to settle.
/// 2. The ledger pays, under the debtor's own right, once for the settlement's id.
/// 3. Where its answer is anything but that, it is asked to decide: what is not paid by then will
///    not be, even if the first request comes later.
/// 4. Under the group's lock the settlement is paid, or the debt is open again.
///
/// Whoever repeats the call under its key goes on with the same settlement at step 2, or is told
/// why it was given up; and of what nobody asks for any more, `decideSome` takes the third and
/// fourth steps.
final class SettlementOrders {
    private let database: Database
    private let effects: KeyedEffects
    private let ledger: SettlementLedger

    init(database: Database, effects: KeyedEffects, ledger: SettlementLedger) {
        self.database = database
        self.effects = effects
        self.ledger = ledger
    }

    /// A settlement that is under way.
    private struct Begun {
        let id: ID<Settlement>
        let membership: Membership
        /// None where it can be asked for no more.
        let order: SettlementOrder?
    }

    /// Settles by a transfer from one of the caller's accounts.
    func pay(
        _ body: NewSettlement,
        from account: ID<Account>,
        in group: ID<Group>,
        by user: UserIdentity,
        today: Day,
        under scope: IdempotencyScope?
    ) async throws -> Response<SettlementView> {
        try await effects.run(scope) { keyed in
            let begun = try await database.transaction { transaction in
                let membership = try await Membership.lock(
                    user.id,
                    in: group,
                    to: .belong,
                    transaction
                )
                return try await begin(
                    body,
                    from: account,
                    by: membership,
                    today: today,
                    scope,
                    transaction
                )
            }
            let transfer = try await transfer(begun, in: group, by: user)
            // By itself: whatever the answer comes to, it is paid.
            try await effects.run { transaction in
                try await Self.finish(begun.id, of: group, by: transfer, in: transaction)
            }
            return try await keyed.answer { transaction in
                let views = try await SettlementStore.views(
                    of: [begun.id],
                    for: begun.membership,
                    transaction
                )
                guard let view = views.first else { throw APIError.notFound }
                return .created(view, at: "/v1/groups/\(group.text)/settlements/\(view.id.text)")
                    .tagged(view.state.rawValue)
            }
        }
    }

    /// The first step, or what it left under the same key: for that, whatever has changed since
    /// stands in nobody's way, for the money may have moved.
    private func begin(
        _ body: NewSettlement,
        from account: ID<Account>,
        by membership: Membership,
        today: Day,
        _ scope: IdempotencyScope?,
        _ transaction: Transaction
    ) async throws -> Begun {
        let group = membership.group.id
        let key = scope?.noteID
        let id: ID<Settlement>
        let payment: MemberDebt
        let paid: Money?
        if let key, let known = try await transaction.queryOne(SettlementOrderStatements.ofKey, key)
        {
            guard known.requestHash == scope?.requestHash else {
                throw APIError(.idempotencyKeyReused)
            }
            if let refusal = known.refusal {
                throw APIError(ErrorCode.named(refusal) ?? .settlementGivenUp)
            }
            id = known.id
            let payments = try await transaction.query(SettlementStatements.payments, group, [id])
            guard let first = payments.first else { throw APIError(.internalError) }
            let order = try? await Self.order(
                first.debt,
                first.paid,
                from: account,
                membership,
                transaction
            )
            return Begun(id: id, membership: membership, order: order)
        } else {
            try membership.check(.write)
            id = .new()
            let claim = try await SettlementStore.claim(
                body,
                by: membership,
                transferring: today,
                in: transaction
            )
            payment = try Self.single(claim.payments, by: membership)
            paid = claim.paid
            try await SettlementStore.write(
                id,
                claim,
                as: .pending,
                on: today,
                by: membership,
                transaction
            )
            try await transaction.execute(
                SettlementOrderStatements.insert,
                group,
                id,
                key,
                scope?.requestHash ?? []
            )
        }
        let order = try await Self.order(
            payment,
            paid,
            from: account,
            membership,
            transaction
        )
        return Begun(id: id, membership: membership, order: order)
    }

    /// What the ledger is asked for.
    /// - Throws: `no-receiving-account`.
    private static func order(
        _ payment: MemberDebt,
        _ paid: Money?,
        from account: ID<Account>,
        _ membership: Membership,
        _ transaction: Transaction
    ) async throws -> SettlementOrder {
        let group = membership.group
        let amount = paid ?? payment.amount
        let (payee, target) = try await receiver(
            of: amount.currency,
            payment.creditor,
            in: group.id,
            transaction
        )
        return SettlementOrder(
            fromAccountID: account,
            payeeID: payee,
            toAccountID: target,
            amount: amount,
            reference: group.reference,
            clears: paid.map { _ in false }
        )
    }

    /// The one payment that a transfer can be.
    private static func single(
        _ payments: [MemberDebt],
        by membership: Membership
    ) throws(APIError) -> MemberDebt {
        guard let payment = payments.first, payments.count == 1 else {
            throw .field("/amount", .required, "several currencies are open: a transfer is in one")
        }
        guard payment.debtor == membership.member else {
            throw .field("/fromAccountId", .conflict, "is for who owes: you are owed")
        }
        return payment
    }

    /// The account that the creditor has named, and whose it is.
    private static func receiver(
        of currency: Currency,
        _ creditor: ID<Member>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> (payee: ID<User>, account: ID<Account>) {
        let found = try await transaction.queryOne(GroupStatements.known, group, creditor)
        guard let payee = found?.user,
            let named = try await transaction.queryOne(
                ReceivingAccountStatements.find,
                payee,
                currency
            ), let account = named.account.account
        else { throw APIError(.noReceivingAccount) }
        return (payee, account)
    }

    /// The second and third steps.
    /// - Throws: why no money moved, once it is certain that none will; otherwise that the ledger
    ///   cannot be asked, and the settlement is left pending.
    private func transfer(
        _ begun: Begun,
        in group: ID<Group>,
        by user: UserIdentity
    ) async throws -> ID<Transfer> {
        do {
            guard let order = begun.order else { throw APIError(.noReceivingAccount) }
            let outcome = try await ledger.pay(begun.id, order, user)
            guard let transfer = outcome.transferID else { throw APIError(.settlementGivenUp) }
            return transfer
        } catch let refusal as APIError {
            if let transfer = try await ledger.decide(begun.id).transferID { return transfer }
            try await effects.run { transaction in
                try await Self.giveBack(begun.id, of: group, for: refusal, in: transaction)
            }
            throw refusal
        }
    }

    /// The fourth step, of what was paid; done again it changes nothing.
    private static func finish(
        _ id: ID<Settlement>,
        of group: ID<Group>,
        by transfer: ID<Transfer>,
        in transaction: Transaction
    ) async throws {
        guard try await transaction.queryOne(GroupStatements.lock, group) != nil,
            try await transaction.execute(SettlementOrderStatements.end, group, id, String?.none)
                == 1
        else { return }
        try await transaction.execute(SettlementOrderStatements.setTransfer, group, id, transfer)
        try await SettlementStore.tell(of: id, in: group, transaction)
    }

    /// The fourth step, of what was given up; done again it changes nothing.
    private static func giveBack(
        _ id: ID<Settlement>,
        of group: ID<Group>,
        for refusal: APIError,
        in transaction: Transaction
    ) async throws {
        let code = refusal.code.text
        guard try await transaction.queryOne(GroupStatements.lock, group) != nil,
            try await transaction.execute(SettlementOrderStatements.end, group, id, code) == 1
        else { return }
        // What says nothing of the debt, as that a proof was too old, is not told again.
        if !refusal.isKept {
            try await transaction.execute(SettlementOrderStatements.forget, group, id)
        }
        try await SettlementStore.takeBack(id, of: group, in: transaction)
    }

    /// Ends settlements that were cut off; one that cannot be ended now keeps none of the others.
    func decideSome() async throws {
        for left in try await database.query(SettlementOrderStatements.left) {
            do { try await decide(left.id, of: left.group) } catch {
                try await database.execute(SettlementOrderStatements.putOff, left.group, left.id)
            }
        }
    }

    private func decide(_ id: ID<Settlement>, of group: ID<Group>) async throws {
        let outcome = try await ledger.decide(id)
        try await effects.run { transaction in
            guard let transfer = outcome.transferID else {
                let refusal = APIError(.settlementGivenUp)
                return try await Self.giveBack(id, of: group, for: refusal, in: transaction)
            }
            try await Self.finish(id, of: group, by: transfer, in: transaction)
        }
    }

    /// Orders whose keys are of use to nobody any more.
    func deleteOld() async throws {
        try await database.execute(SettlementOrderStatements.deleteOld)
    }
}
