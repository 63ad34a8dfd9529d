public import Postgres
internal import WalletProtocol

/// What a repeated key finds.
enum IdempotencyOutcome: Sendable, Hashable {
    /// Nobody has used the key: it is ours now, and commits with the effect.
    case claimed
    /// The effect was done before: what was answered.
    case done(answer: String)
}

/// Keys that commit with their effect, for every POST but the ledger's postings; `KeyedEffects` has
/// the rules.
///
/// The claim is a lock and an insert in the effect's own transaction: a second caller waits there
/// until the first has committed (then it reads what was done) or rolled back (then the key is its
/// own). Of several at once nobody waits, and keys are inserted with their answers.
/// Table: `idempotency_key` in the service's schema, as README.md has it.
public enum IdempotencyKeys {
    /// Claims the key within the transaction of its effect; without a key everything is new.
    /// - Throws: `APIError(.idempotencyKeyReused)`; `.idempotencyKeyInUse` where the first
    ///   takes too long.
    static func claim(
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
        guard let answer = try await find(scope, in: transaction) else {
            throw APIError(.idempotencyKeyInUse)
        }
        return .done(answer: answer)
    }

    /// What was answered under the key; nil where nothing was yet.
    /// - Throws: `APIError(.idempotencyKeyReused)`.
    static func find(
        _ scope: IdempotencyScope?,
        in database: some Querying
    ) async throws -> String? {
        guard let scope else { return nil }
        let old = try await database.queryOne(
            IdempotencyStatements.find,
            scope.scope,
            scope.key
        )
        guard let old else { return nil }
        guard old.requestHash == scope.requestHash else { throw APIError(.idempotencyKeyReused) }
        return old.answer
    }

    /// Whether the key was used before, for whatever body.
    public static func isKnown(
        _ scope: IdempotencyScope,
        in database: some Querying
    ) async throws -> Bool {
        try await database.queryOne(IdempotencyStatements.isKnown, scope.scope, scope.key) == true
    }

    /// Forgets keys that are promised to nobody any more.
    public static func deleteOld(in database: Database) async throws {
        while try await database.execute(IdempotencyStatements.deleteOld) > 0 {}
    }

    /// Keeps what was answered, in the same transaction.
    static func record(
        _ answer: StoredResponse,
        for scope: IdempotencyScope?,
        in transaction: Transaction
    ) async throws {
        guard let scope else { return }
        try await transaction.execute(
            IdempotencyStatements.record,
            scope.scope,
            scope.key,
            answer.text,
            answer.people
        )
    }

    // MARK: Several at once

    /// Claims keys, each of them once, within the transaction of their effects; waits for none.
    /// - Returns: what each finds; a key that was used for something else is that caller's error,
    ///   and `KeyIsHeld` one that is in use.
    static func claim(
        all scopes: [IdempotencyScope?],
        in transaction: Transaction
    ) async throws -> [Result<IdempotencyOutcome, any Error>] {
        let asked = scopes.compactMap(\.self)
        guard !asked.isEmpty else { return scopes.map { _ in .success(.claimed) } }
        let (names, keys) = (asked.map(\.scope), asked.map(\.key))
        let locked = try transaction.ask(IdempotencyStatements.lockAll, names, keys)
        let used = try transaction.ask(IdempotencyStatements.usedAll, names, keys)
        let (ours, old) = (Set(try await locked.rows()), Set(try await used.rows()))
        var outcomes: [Result<IdempotencyOutcome, any Error>] = []
        for scope in scopes {
            guard let scope else {
                outcomes.append(.success(.claimed))
                continue
            }
            let name = [scope.scope, scope.key]
            if !ours.contains(name) {
                outcomes.append(.failure(KeyIsHeld()))
            } else if old.contains(name) {
                outcomes.append(try await found(scope, in: transaction))
            } else {
                outcomes.append(.success(.claimed))
            }
        }
        return outcomes
    }

    private static func found(
        _ scope: IdempotencyScope,
        in transaction: Transaction
    ) async throws -> Result<IdempotencyOutcome, any Error> {
        do {
            guard let answer = try await find(scope, in: transaction) else {
                throw APIError(.idempotencyKeyInUse)
            }
            return .success(.done(answer: answer))
        } catch let error as APIError { return .failure(error) }
    }

    /// Keeps what was answered, in the same transaction; what is wrong with that is thrown by its
    /// commit.
    static func record(
        _ answers: [(scope: IdempotencyScope, answer: StoredResponse)],
        in transaction: Transaction
    ) throws {
        guard !answers.isEmpty else { return }
        try transaction.send(
            IdempotencyStatements.recordAll,
            answers.map(\.scope.scope),
            answers.map(\.scope.key),
            answers.map(\.scope.requestHash),
            answers.map(\.answer.text),
            answers.map(\.answer.people)
        )
    }
}

/// A key is in use by another transaction, which ends it either way.
public struct KeyIsHeld: Error {}
