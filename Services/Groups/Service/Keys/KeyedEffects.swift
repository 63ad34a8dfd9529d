import Postgres
import ServiceKit
import WalletProtocol

/// What a keyed effect came to.
enum KeyedOutcome<Value> {
    /// It was done now.
    case made(Value)
    /// It was done before, under the same key.
    case repeated(Value)
    /// It was refused, now or before.
    case refused(APIError)

    /// The answer, marked where it is the repetition of an earlier one.
    func response<View>(
        _ render: (Value) throws -> Response<View>
    ) throws -> Response<View> {
        switch self {
        case .made(let value): return try render(value)
        case .repeated(let value): return try render(value).replayed()
        case .refused(let error): throw error
        }
    }
}

/// Runs what changes a group: claim of the key, effect, events and the key's answer in one
/// transaction, then the relay's bell.
///
/// An effect reads and decides before it writes. So what it refuses is kept under the key in the
/// same transaction, and the same call gets the same refusal; a refusal that has no place there
/// (too late, no right, a stale `If-Match`) and whatever the database refuses roll everything back.
final class KeyedEffects {
    private let database: Database
    private let relayBell: RelayBell
    private static let refusedPrefix = "refused "

    init(database: Database, relayBell: RelayBell) {
        self.database = database
        self.relayBell = relayBell
    }

    /// Runs `effect` at most once for the key.
    /// - Parameters:
    ///   - effect: changes and answers what was made, by its identifier.
    ///   - load: what was made under the identifier, as the answer shows it.
    func run<Tag, Value>(
        _ scope: IdempotencyScope?,
        effect: (Transaction) async throws -> ID<Tag>,
        load: (ID<Tag>, Transaction) async throws -> Value?
    ) async throws -> KeyedOutcome<Value> {
        let outcome: KeyedOutcome<Value>
        do {
            outcome = try await database.transaction { transaction in
                switch try await IdempotencyKeys.claim(scope, in: transaction) {
                case .done(let resource):
                    return try await again(resource, in: transaction, load: load)
                case .claimed: break
                }
                let id: ID<Tag>
                do {
                    id = try await effect(transaction)
                } catch let error as APIError where scope != nil && error.isKept {
                    let text = Self.refusedPrefix + JSON.text(Problem(error))
                    try await IdempotencyKeys.record(text, for: scope, in: transaction)
                    return .refused(error)
                }
                guard let value = try await load(id, transaction) else { throw APIError.notFound }
                try await IdempotencyKeys.record(id.text, for: scope, in: transaction)
                return .made(value)
            }
        } catch let error as DatabaseError where error.isOutOfRange {
            throw Self.tooLarge(at: "/amount")
        }
        if case .made = outcome { relayBell.ring() }
        return outcome
    }

    /// Runs an effect that has neither key nor answer.
    func run(_ effect: (Transaction) async throws -> Void) async throws {
        do {
            try await database.transaction { transaction in try await effect(transaction) }
        } catch let error as DatabaseError where error.isOutOfRange {
            throw Self.tooLarge(at: "")
        }
        relayBell.ring()
    }

    private static func tooLarge(at pointer: String) -> APIError {
        .field(pointer, .outOfRange, "the group's sums would not fit any more")
    }

    private func again<Tag, Value>(
        _ resource: String,
        in transaction: Transaction,
        load: (ID<Tag>, Transaction) async throws -> Value?
    ) async throws -> KeyedOutcome<Value> {
        if resource.hasPrefix(Self.refusedPrefix) {
            let bytes = Array(resource.utf8.dropFirst(Self.refusedPrefix.utf8.count))
            let problem = try JSON.read(Problem.self, from: bytes, ignoringUnknownFields: true)
            return .refused(problem.refusal)
        }
        guard let id = ID<Tag>(resource), let value = try await load(id, transaction) else {
            throw APIError.notFound
        }
        return .repeated(value)
    }
}

extension APIError {
    /// Whether the same call again is to be refused in the same way, whatever has changed since.
    fileprivate var isKept: Bool {
        code.status < 500 && ![401, 403, 412, 429].contains(code.status)
            && code != .idempotencyKeyReused && code != .idempotencyKeyInUse
    }
}

extension Problem {
    /// The refusal that it was made from.
    fileprivate var refusal: APIError {
        let code = ErrorCode.all.first { $0.text == self.code } ?? .invalidBody
        return APIError(code, detail, errors: errors, members: members)
    }
}

extension DatabaseError {
    /// Whether a sum did not fit in 64 bits (22003, or the value without a counterpart).
    var isOutOfRange: Bool {
        guard case .server(let error) = self else { return false }
        return error.sqlState == SQLState("22003")
            || error.constraint == "pair_balance_fits"
            || error.constraint == "member_balance_fits"
    }
}
