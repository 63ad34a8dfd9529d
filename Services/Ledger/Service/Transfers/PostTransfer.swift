import Postgres
import ServiceKit
import WalletProtocol

/// Moves money from one account to another, or holds it for that, at most once per key.
struct PostTransfer: Handler {
    static let endpoint = Transfers.post
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let planner: TransferPlanner
    let stepUp: StepUpRule
    /// How long money is held.
    let holdSeconds: Int64

    func handle(
        _ request: Request<NoQuery, NewTransfer>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        let user = caller.user.id
        let person = try await people.person(user)
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let plan: TransferPlan
        do {
            guard let found = try await planner.plans([request.body], for: user).first else {
                throw APIError(.internalError)
            }
            plan = try found.get()
            if !plan.isOwn {
                try await stepUp.check([plan.debit], under: scope, by: caller.user)
            }
        } catch let error as APIError {
            // What was posted under this key stands, though it could not be asked for any more: its
            // payee may be erased, its quote forgotten.
            guard let response = try await replayed(scope, by: user) else { throw error }
            return response
        }
        let until = request.body.hold ? Instant.now().adding(seconds: holdSeconds) : nil
        let outcome: PostingOutcome
        do {
            outcome = try await batcher.post(
                plan.posting(
                    Posting.Operation(scope),
                    by: user,
                    person,
                    on: people.today(for: person),
                    heldUntil: until
                )
            )
        } catch let error as APIError {
            throw try await planner.explained([(error, plan)], for: user).first ?? error
        }
        guard let made = outcome.transfer else { throw APIError(.internalError) }
        if outcome.isReplay { return try await stored(made, for: user) }
        return .created(plan.view(heldUntil: until), at: "/v1/transfers/\(made)")
    }

    /// The answer to a key under which a transfer was posted.
    private func replayed(
        _ scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> Response<TransferView>? {
        guard
            let posted = try await database.queryOne(
                TransferStatements.posted,
                scope.scope,
                scope.key
            ), let transfer = posted.transfer
        else { return nil }
        guard posted.hash == scope.requestHash else { throw APIError(.idempotencyKeyReused) }
        return try await stored(transfer, for: user)
    }

    /// A transfer that was made before, as it was answered then.
    private func stored(
        _ id: ID<Transfer>,
        for user: ID<User>
    ) async throws -> Response<TransferView> {
        guard let row = try await database.queryOne(TransferStatements.find, user, [id]) else {
            throw APIError.notFound
        }
        return .created(try row.viewWhenMade(for: user), at: "/v1/transfers/\(id)").replayed()
    }
}

extension APIError {
    /// The same, with the fields of a transfer.
    var ofTransfer: APIError {
        errors.first?.pointer == "/accountId"
            ? .field("/fromAccountId", .unknownReference, "is absent or not yours") : self
    }
}

/// One transfer, for whoever owns one of its accounts.
struct GetTransfer: Handler {
    static let endpoint = Transfers.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        let id = try request.path.id(of: Transfer.self)
        guard
            let row = try await database.queryOne(TransferStatements.find, caller.user.id, [id])
        else { throw APIError.notFound }
        return .ok(try row.view(for: caller.user.id))
    }
}
