import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Decides what children ask for: each request once, and what is approved is posted once.
///
/// In three steps, after each of which a process may die:
///
/// 1. Under the family's lock the request is approved, or declined and told of: of two parents at
///    once the second finds it decided.
/// 2. The ledger posts what is approved, or says why not, once and for all by the request's id.
/// 3. Under the family's lock what the ledger said is written, and told of.
///
/// Whoever repeats the call under its key goes on at step 2; and of what nobody asks for any more
/// `finishSome` takes steps 2 and 3. Nothing takes the first one back: a parent's yes is carried
/// out, or the ledger's no is told.
final class ApprovalDecisions {
    private let database: Database
    private let effects: KeyedEffects
    private let ledger: PurchaseLedger

    init(database: Database, effects: KeyedEffects, ledger: PurchaseLedger) {
        self.database = database
        self.effects = effects
        self.ledger = ledger
    }

    /// - Throws: 404 for another family's, `parents-only`, 412, `already-decided`; 503 where it is
    ///   approved and the ledger cannot be asked yet.
    func decide(
        _ id: ID<Approval>,
        _ body: ApprovalDecision,
        by user: ID<User>,
        under scope: IdempotencyScope?,
        ifMatch: EntityTags? = nil
    ) async throws -> Response<ApprovalView> {
        try await effects.run(scope) { keyed in
            try await effects.run { transaction in
                try await begin(id, body, by: user, scope, ifMatch, transaction)
            }
            try await carryOut(id)
            return try await keyed.answer { transaction in
                let family = try await FamilyStore.row(of: user, transaction)
                let found = try await ApprovalStore.find(id, in: family, for: user, transaction)
                return .ok(found.view).tagged(found.view.tag)
            }
        }
    }

    /// The first step, or nothing where it was taken under the same key.
    private func begin(
        _ id: ID<Approval>,
        _ body: ApprovalDecision,
        by user: ID<User>,
        _ scope: IdempotencyScope?,
        _ ifMatch: EntityTags?,
        _ transaction: Transaction
    ) async throws {
        let family = try await FamilyStore.lock(user, transaction)
        let found = try await ApprovalStore.find(id, in: family, for: user, transaction)
        guard family.role == .parent else { throw APIError(.parentsOnly) }
        if let key = scope?.noteID, key == found.keyID {
            guard scope?.requestHash == found.requestHash else {
                throw APIError(.idempotencyKeyReused)
            }
            return
        }
        try ifMatch.check(found.view.version)
        let decided = try await transaction.execute(
            ApprovalStatements.decide,
            id,
            (body.isApproved ? ApprovalState.approved : .declined).rawValue,
            user,
            body.reason,
            scope?.noteID,
            scope?.requestHash
        )
        guard decided == 1 else { throw APIError(.alreadyDecided) }
        if !body.isApproved { try await Self.tell(of: id, in: family.id, transaction) }
    }

    /// The second and third steps of one that is approved; done again they change nothing.
    /// - Throws: 503 where the ledger has not decided, whatever else it has answered.
    private func carryOut(_ id: ID<Approval>) async throws {
        guard let approved = try await database.queryOne(ApprovalStatements.approved, id) else {
            return
        }
        let outcome: PurchaseOutcome
        do { outcome = try await ledger.post(id, approved.purchase) } catch let error as APIError {
            throw error.code.status < 500 ? APIError(.unavailable, retryAfterSeconds: 1) : error
        }
        let state = outcome.transactionID == nil ? ApprovalState.refused : .posted
        let family = approved.purchase.familyID
        try await effects.run { transaction in
            // Gone with the family, or with the child's place in it.
            guard try await transaction.queryOne(FamilyStatements.lock, family) != nil,
                try await transaction.execute(
                    ApprovalStatements.finish,
                    id,
                    state.rawValue,
                    outcome.transactionID,
                    outcome.transactionID == nil ? outcome.refusal ?? "internal-error" : nil
                ) == 1
            else { return }
            try await Self.tell(of: id, in: family, transaction)
        }
    }

    /// Tells the child how it ended and, where their yes could not be carried out, the parent.
    private static func tell(
        of id: ID<Approval>,
        in family: ID<Family>,
        _ transaction: Transaction
    ) async throws {
        let found = try await transaction.queryOne(ApprovalStatements.find(id, in: family))
        guard let ended = found?.view else { return }
        let parent = ended.state == .refused ? ended.decidedBy : nil
        try await Outbox.append(
            FamilyApprovalEnded(
                familyID: family,
                approvalID: id,
                childID: ended.childID,
                amount: ended.amount,
                state: ended.state,
                refusal: ended.refusal,
                userIDs: [ended.childID] + (parent.map { [$0] } ?? [])
            ),
            of: "family:\(family.text)",
            in: transaction
        )
    }

    /// Carries out what was cut off; what cannot be now keeps none of the others.
    /// - Throws: the last of what failed, after all have been looked at.
    func finishSome() async throws {
        var failure: (any Error)?
        for id in try await database.query(ApprovalStatements.left) {
            do { try await carryOut(id) } catch {
                failure = error
                try await database.execute(ApprovalStatements.putOff, id)
            }
        }
        if let failure { throw failure }
    }

    /// Ends what nobody has decided in time; what cannot be ended now keeps none of the others.
    /// - Throws: the last of what failed, after all have been looked at.
    func expireSome() async throws {
        var failure: (any Error)?
        for late in try await database.query(ApprovalStatements.late) {
            do { try await expire(late.id, of: late.family) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func expire(_ id: ID<Approval>, of family: ID<Family>) async throws {
        try await effects.run { transaction in
            guard try await transaction.queryOne(FamilyStatements.lock, family) != nil,
                try await transaction.execute(ApprovalStatements.expire, id) == 1
            else { return }
            try await Self.tell(of: id, in: family, transaction)
        }
    }

    /// Requests that have ended long ago.
    func deleteOld() async throws {
        while try await database.execute(ApprovalStatements.deleteOld) > 0 {}
    }
}
