public import Postgres
public import WalletProtocol

/// Does what a key names at most once, and answers each repetition as the first call was answered,
/// though what it made has been changed or is gone.
///
/// Claim, effect and answer are one transaction: a second caller waits at the claim until the first
/// has committed (then it reads that answer) or rolled back (then the key is its own). A refusal
/// takes everything back, and is kept under the key after that, whatever it was that refused; of
/// two that come at once the one that was served has the last word. What says nothing of the thing
/// asked for is not kept: no right, a stale `If-Match`, too many requests, a fault of ours.
/// Answers go with the keys, after two days.
public final class KeyedEffects {
    private let database: Database
    private let relayBell: RelayBell

    /// Events of an effect are published once it has committed.
    public init(database: Database, relayBell: RelayBell) {
        self.database = database
        self.relayBell = relayBell
    }

    /// Answers with what `effect` made, in a transaction that commits with the answer.
    /// - Parameter constraints: what it means that one of the database's rules was broken.
    public func answer<View>(
        _ scope: IdempotencyScope?,
        refusing constraints: [String: ErrorCode] = [:],
        _ effect: (Transaction) async throws -> Response<View>
    ) async throws -> Response<View> {
        try await keep(scope, refusing: constraints) {
            try await KeyedEffect(scope: scope, database: database).answer(effect)
        }
    }

    /// The same for an effect with something to be done before its transaction: that is left out
    /// where there is an answer already, and what it refuses is kept, too.
    public func run<View>(
        _ scope: IdempotencyScope?,
        refusing constraints: [String: ErrorCode] = [:],
        _ body: (KeyedEffect) async throws -> Response<View>
    ) async throws -> Response<View> {
        try await keep(scope, refusing: constraints) {
            if let answer = try await IdempotencyKeys.find(scope, in: database) {
                return try StoredResponse.response(of: answer)
            }
            return try await body(KeyedEffect(scope: scope, database: database))
        }
    }

    private func keep<View>(
        _ scope: IdempotencyScope?,
        refusing constraints: [String: ErrorCode],
        _ body: () async throws -> Response<View>
    ) async throws -> Response<View> {
        do {
            let response = try await refusing(constraints, body)
            relayBell.ring()
            return response
        } catch let kept as KeptRefusal {
            throw kept.error
        } catch let error as APIError {
            return try await keep(error, under: scope)
        }
    }

    /// Answers as the first call was answered, or as `body` does, which has the effect done
    /// together with others' by `answer(together:)`.
    public func answer<View>(
        _ scope: IdempotencyScope?,
        waitingFor body: () async throws -> Response<View>
    ) async throws -> Response<View> {
        try await keep(scope, refusing: [:], body)
    }

    /// Answers several calls in one transaction, each under its own key: those that were answered
    /// before as they were, the others with what `effect` makes of them, by their places.
    ///
    /// A refusal is one caller's: nothing was written for them, and their key is free again when
    /// this commits; `answer(_:waitingFor:)` keeps it. Keys are written with their answers, and
    /// not before. What is thrown takes everything back, and nothing is tried again. Nobody waits
    /// for another's key: `KeyIsHeld` stands for its answer. Statements are planned once a
    /// connection.
    /// - Parameter lockMilliseconds: how long any lock is waited for before 55P03.
    public func answer<View>(
        together scopes: [IdempotencyScope?],
        lockMilliseconds: Int,
        _ effect: (_ new: [Int], Transaction) async throws -> [Result<Response<View>, any Error>]
    ) async throws -> [Result<Response<View>, any Error>] {
        let once = TransactionOptions(attemptsMax: 1)
        let answers = try await database.transaction(once) { transaction in
            try transaction.setLockTimeout(milliseconds: lockMilliseconds)
            try transaction.planOnce()
            let claims = try await IdempotencyKeys.claim(all: scopes, in: transaction)
            var new: [Int] = []
            var answers: [Result<Response<View>, any Error>] = []
            for (place, claim) in claims.enumerated() {
                let answer = claim.flatMap { outcome -> Result<Response<View>, any Error> in
                    guard case .done(let answer) = outcome else {
                        new.append(place)
                        return .failure(APIError(.internalError))
                    }
                    return Result { try StoredResponse.response(of: answer) }
                }
                answers.append(answer)
            }
            guard !new.isEmpty else { return answers }
            var kept: [(scope: IdempotencyScope, answer: StoredResponse)] = []
            for (place, answer) in zip(new, try await effect(new, transaction)) {
                answers[place] = answer
                guard let scope = scopes[place], case .success(let response) = answer
                else { continue }
                let written = response.written
                answers[place] = .success(written)
                kept.append((scope, try StoredResponse(written, under: scope)))
            }
            try IdempotencyKeys.record(kept, in: transaction)
            return answers
        }
        relayBell.ring()
        return answers
    }

    /// Runs an effect that has no key.
    public func run<Value>(
        _ effect: (Transaction) async throws -> Value
    ) async throws -> Value {
        let value = try await database.transaction { try await effect($0) }
        relayBell.ring()
        return value
    }

    /// Throws the refusal; unless somebody else was served under the key meanwhile.
    private func keep<View>(
        _ error: APIError,
        under scope: IdempotencyScope?
    ) async throws -> Response<View> {
        guard let scope, error.isKept else { throw error }
        let served: Response<View>? = try await database.transaction { transaction in
            if case .done(let answer) = try await IdempotencyKeys.claim(scope, in: transaction) {
                do { return try StoredResponse.response(of: answer) } catch is KeptRefusal {
                    return nil
                }
            }
            let answer = StoredResponse(refusing: error)
            try await IdempotencyKeys.record(answer, for: scope, in: transaction)
            return nil
        }
        guard let served else { throw error }
        return served
    }
}

/// One effect under its key.
public struct KeyedEffect {
    fileprivate let scope: IdempotencyScope?
    fileprivate let database: Database

    /// Answers as the first call was answered, or with what `effect` makes, in a transaction.
    public func answer<View>(
        _ effect: (Transaction) async throws -> Response<View>
    ) async throws -> Response<View> {
        try await database.transaction { transaction in
            try await answer(in: transaction) { try await effect(transaction) }
        }
    }

    /// Whether somebody else has been answered by now: for a step before the answer, behind a lock
    /// that the answer's transaction takes, too.
    public func isAnswered(in transaction: Transaction) async throws -> Bool {
        try await IdempotencyKeys.find(scope, in: transaction) != nil
    }

    /// The same within a transaction of the caller's, who may begin another where it must be tried
    /// again.
    public func answer<View>(
        in transaction: Transaction,
        _ effect: () async throws -> Response<View>
    ) async throws -> Response<View> {
        if case .done(let answer) = try await IdempotencyKeys.claim(scope, in: transaction) {
            return try StoredResponse.response(of: answer)
        }
        let response = try await effect()
        if let scope {
            let answer = try StoredResponse(response, under: scope)
            try await IdempotencyKeys.record(answer, for: scope, in: transaction)
        }
        return response
    }
}
