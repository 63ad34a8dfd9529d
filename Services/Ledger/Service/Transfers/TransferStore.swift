import Postgres
import ServiceKit
import WalletProtocol

/// Moves money from one account to another, or holds it for that, and tells of it.
///
/// What is known before is the planner's; the order of checks is `0006_posting/1_header.sql`.
struct TransferStore {
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let planner: TransferPlanner
    let stepUp: StepUpRule
    /// How long money is held.
    let holdSeconds: Int64

    /// A transfer as it is answered, and whether it was made by an earlier call.
    typealias Answer = (view: TransferView, isReplay: Bool)

    /// Posts one, at most once under its key.
    /// - Throws: what the plan, the proof or the posting says, in this order.
    func post(
        _ body: NewTransfer,
        under scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> Answer {
        let person = try await people.person(user.id)
        let plan: TransferPlan
        do {
            plan = try await allowed(body, under: scope, by: user)
        } catch let error as APIError {
            // What was posted under this key stands, though it could not be asked for any more: its
            // payee may be erased, its quote forgotten.
            guard let made = try await replayed(scope, by: user.id) else { throw error }
            return made
        }
        let until = body.hold ? Instant.now().adding(seconds: holdSeconds) : nil
        let outcome: PostingOutcome
        do {
            outcome = try await batcher.post(
                plan.posting(
                    Posting.Operation(scope),
                    by: user.id,
                    person,
                    on: people.today(for: person),
                    heldUntil: until
                )
            )
        } catch let error as APIError {
            throw try await planner.explained([(error, plan)], for: user.id).first ?? error
        }
        guard let made = outcome.transfer else { throw APIError(.internalError) }
        if outcome.isReplay { return (try await viewWhenMade(made, for: user.id), true) }
        return (plan.view(heldUntil: until), false)
    }

    /// What is to be posted, which whoever asks may do.
    private func allowed(
        _ body: NewTransfer,
        under scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> TransferPlan {
        guard let found = try await planner.plans([body], for: user.id).first else {
            throw APIError(.internalError)
        }
        let plan = try found.get()
        if !plan.isOwn {
            try await stepUp.check([plan.debit], as: Posting.Operation(scope).id, by: user)
        }
        return plan
    }

    /// The answer to a key under which a transfer was posted.
    private func replayed(
        _ scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> Answer? {
        guard
            let posted = try await database.queryOne(
                TransferStatements.posted,
                Posting.Operation(scope).id
            ), let transfer = posted.transfer
        else { return nil }
        try Posting.Operation(scope).check(posted.request)
        return (try await viewWhenMade(transfer, for: user), true)
    }

    /// A transfer that was made before, as it was answered then.
    private func viewWhenMade(
        _ id: ID<Transfer>,
        for user: ID<User>
    ) async throws -> TransferView {
        try await find(id, for: user).viewWhenMade(for: user)
    }

    /// One, for whoever owns one of its accounts or is in its wallet.
    func find(_ id: ID<Transfer>, for user: ID<User>) async throws -> TransferRow {
        guard let row = try await database.queryOne(TransferStatements.find, user, [id]) else {
            throw APIError.notFound
        }
        return row
    }
}

extension APIError {
    /// The same, with the fields of a transfer.
    var ofTransfer: APIError {
        errors.first?.pointer == "/accountId"
            ? .field("/fromAccountId", .unknownReference, "is absent or not yours") : self
    }
}
