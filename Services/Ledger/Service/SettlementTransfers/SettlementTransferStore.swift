import Postgres
import ServiceKit
import WalletProtocol

/// Pays debts of groups: each is paid or given up, once and for all, and both are told alike to
/// whoever asks again.
///
/// Groups counts a debt as paid before it asks, and takes that back where it was given up. Both are
/// one row with the debt's id, which commits with the money: a request that was cut off and comes
/// late finds it, and so does another that is under way.
struct SettlementTransferStore {
    let database: Database
    let people: People
    let accounts: AccountLookup
    let stepUp: StepUpRule
    let relayBell: RelayBell

    /// Pays one; what was paid before is told again.
    /// - Throws: `settlement-given-up`, `no-receiving-account`, what the plan, the proof or the
    ///   posting says.
    func pay(
        _ id: ID<Settlement>,
        _ order: SettlementOrder,
        by user: UserIdentity
    ) async throws -> SettlementOutcome {
        if let made = try await made(id, database) { return made }
        let person = try await people.person(user.id)
        let operation = Posting.Operation(work: "settlement \(id)", part: 0)
        let plan = try await plan(order, for: user.id)
        try await stepUp.check([plan.debit], as: operation.id, by: user)
        let posting = plan.posting(
            operation,
            by: user.id,
            person,
            on: people.today(for: person),
            heldUntil: nil
        )
        do {
            let payee = order.clears == false ? nil : order.payeeID
            return try await post(posting, plan.id, of: id, clearing: payee)
        } catch {
            // What is not posted counts for nothing.
            try await stepUp.withdraw(operation.id, of: user.id)
            throw (error as? APIError)?.ofTransfer ?? error
        }
    }

    /// What the payee, if any is named, is owed in that currency is cleared in the same entry.
    private func post(
        _ posting: Posting,
        _ transfer: ID<Transfer>,
        of id: ID<Settlement>,
        clearing payee: ID<User>?
    ) async throws -> SettlementOutcome {
        let outcome = try await database.posting { transaction in
            let inserted = try await transaction.execute(
                SettlementTransferStatements.insert,
                id,
                transfer
            )
            if inserted == 0, let made = try await made(id, transaction) { return made }
            var posting = posting
            if let payee {
                posting.receivable = try await transaction.queryOne(
                    ReceivableStatements.find,
                    payee,
                    posting.currency?.code ?? ""
                )
            }
            _ = try await transaction.postIfFree([posting]).first?.posted()
            return SettlementOutcome(transferID: transfer)
        }
        relayBell.ring()
        return outcome
    }

    /// What stands already.
    /// - Throws: `settlement-given-up`.
    private func made(
        _ id: ID<Settlement>,
        _ database: some Querying
    ) async throws -> SettlementOutcome? {
        guard let made = try await database.queryOne(SettlementTransferStatements.find, id) else {
            return nil
        }
        guard made.transferID != nil else { throw APIError(.settlementGivenUp) }
        return made
    }

    private func plan(
        _ order: SettlementOrder,
        for user: ID<User>
    ) async throws -> TransferPlan {
        let payer = try await Parties.payer(order.fromAccountID, of: user, in: database)
        let found = try await accounts.find([order.toAccountID], ibans: [])
        guard let payee = found.accounts[order.toAccountID], payee.owner == order.payeeID,
            payee.iban != nil, !payee.isClosed
        else { throw APIError(.noReceivingAccount) }
        let parties = Parties(from: payer, to: payee)
        try parties.checkState()
        guard payer.currency == payee.currency else { throw APIError(.currencyMismatch) }
        var plan = TransferPlan(parties, try parties.amounts(of: order.amount, at: nil))
        // A name may be longer in normal form than it was allowed to be.
        plan.reference = order.reference.map { name in
            let scalars = composed(name).unicodeScalars.prefix(TransferPlanner.referenceMax)
            return String(String.UnicodeScalarView(scalars))
        }
        return plan
    }

    /// What became of one: what is not paid by now is given up.
    func decide(_ id: ID<Settlement>) async throws -> SettlementOutcome {
        try await database.transaction { transaction in
            try await transaction.execute(
                SettlementTransferStatements.insert,
                id,
                ID<Transfer>?.none
            )
            let made = try await transaction.queryOne(SettlementTransferStatements.find, id)
            guard let made else { throw APIError(.internalError) }
            return made
        }
    }
}
