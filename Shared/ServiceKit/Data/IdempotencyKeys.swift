public import Postgres
internal import WalletProtocol

/// What a repeated key finds.
public enum IdempotencyOutcome: Sendable, Hashable {
    /// Nobody has used the key: it is ours now, and commits with the effect.
    case claimed
    /// The effect was done before: the resource that it made or changed.
    case done(resource: String)
}

/// Keys that commit with their effect, for every POST but the ledger's postings.
///
/// The claim is an insert in the effect's own transaction: a second caller waits there until the
/// first has committed (then it reads what was done) or rolled back (then the key is its own).
/// Table: `idempotency_key` in the service's schema, as README.md has it.
public enum IdempotencyKeys {
    /// Claims the key within the transaction of its effect; without a key everything is new.
    /// - Throws: `APIError(.idempotencyKeyReused)`; `.idempotencyKeyInUse` where the first
    ///   takes too long.
    public static func claim(
        _ scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws -> IdempotencyOutcome {
        guard let scope else { return .claimed }
        let inserted: Int
        do {
            inserted = try await transaction.execute(
                IdempotencyStatements.claim,
                scope.scope,
                scope.key,
                scope.requestHash
            )
        } catch .deadline { throw APIError(.idempotencyKeyInUse) }
        if inserted == 1 { return .claimed }
        guard
            let old = try await transaction.queryOne(
                IdempotencyStatements.find,
                scope.scope,
                scope.key
            )
        else { throw APIError(.idempotencyKeyInUse) }
        guard old.requestHash == scope.requestHash else { throw APIError(.idempotencyKeyReused) }
        return .done(resource: old.resource)
    }

    /// Forgets keys that are promised to nobody any more.
    public static func deleteOld(in database: Database) async throws {
        while try await database.execute(IdempotencyStatements.deleteOld) > 0 {}
    }

    /// Keeps what the effect made, in the same transaction.
    public static func record(
        _ resource: String,
        for scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws {
        guard let scope else { return }
        try await transaction.execute(
            IdempotencyStatements.record,
            scope.scope,
            scope.key,
            resource
        )
    }
}
