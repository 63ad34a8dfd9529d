internal import Loops
internal import Synchronization
public import WalletProtocol

/// What has been revoked, shared by the loops of an executable and read on every request.
///
/// Rows live as long as the tokens that they end. Until the first load everything is unknown.
public final class Revocations: Sendable {
    private struct State {
        var sessions: [ID<Session>: Instant] = [:]
        var generations: [ID<User>: (below: Int, until: Instant)] = [:]
        var keys: [String: Instant] = [:]
        var prunedAbove = 10_000
        var count: Int { sessions.count + generations.count + keys.count }
    }
    private let state = Mutex(State())
    private let answeredAt = Atomic<UInt64>(0)
    private let askedAt = Atomic<UInt64>(0)

    /// How old the last answer may be for changes to be let through.
    static let freshNanoseconds: UInt64 = 5_000_000_000
    /// How long one asking may take: several fit into the time that an answer counts for, so that
    /// one that hangs on a frozen replica is no outage.
    static let askingNanosecondsMax: UInt64 = 1_000_000_000
    /// How long ago the last asking that has ended began, at most, in a process that runs: as long
    /// as one takes, a pause, and as long as the next takes.
    static let runningNanoseconds: UInt64 = 3_000_000_000

    /// Nothing loaded yet.
    public init() {}

    /// Whether the list has been loaded at all.
    public var isLoaded: Bool { answeredAt.load(ordering: .acquiring) != 0 }

    /// Whether the last answer is young enough for changes to be let through.
    var isFresh: Bool {
        let at = answeredAt.load(ordering: .acquiring)
        // Cannot wrap: the clock is read after the answer's time, and never goes back.
        return at != 0 && monotonicNanoseconds() &- at < Self.freshNanoseconds
    }

    /// Whether nothing was asked for so long that the process must have stood still: it asks as it
    /// goes on, and what it hears is worth waiting for.
    var isWaking: Bool {
        let at = askedAt.load(ordering: .acquiring)
        // Cannot wrap: the clock never goes back.
        return at != 0 && monotonicNanoseconds() &- at > Self.runningNanoseconds
    }

    /// An asking that began then has ended, with an answer or with none.
    func wasAsked(at beginning: UInt64) { askedAt.store(beginning, ordering: .releasing) }

    /// Takes in what was told; a row may come again.
    /// - Parameter isWhole: whether nothing was left for another page.
    public func add(_ rows: [Revocation], isWhole: Bool = true) {
        let now = Instant.now()
        state.withLock { state in
            for row in rows {
                switch row.kind {
                case .session:
                    if let id = row.sessionID { state.sessions[id] = row.expiresAt }
                case .generation:
                    if let id = row.userID, let generation = row.generation {
                        let old = state.generations[id]?.below ?? 0
                        state.generations[id] = (max(old, generation), row.expiresAt)
                    }
                case .key:
                    if let id = row.keyID { state.keys[id] = row.expiresAt }
                }
            }
            if state.count > state.prunedAbove {
                state.sessions = state.sessions.filter { $0.value > now }
                state.generations = state.generations.filter { $0.value.until > now }
                state.keys = state.keys.filter { $0.value > now }
                // Looked through again once it has doubled, not at each answer.
                state.prunedAbove = max(10_000, 2 * state.count)
            }
        }
        if isWhole { answeredAt.store(monotonicNanoseconds(), ordering: .releasing) }
    }

    /// How many are remembered.
    var count: Int { state.withLock { $0.count } }

    /// Whether a token counts no more.
    public func isRevoked(_ user: UserIdentity) -> Bool {
        state.withLock { state in
            if state.sessions[user.session] != nil || state.keys[user.keyID] != nil {
                return true
            }
            if let generation = state.generations[user.id], user.generation < generation.below {
                return true
            }
            return false
        }
    }

    /// How many keys are remembered as revoked.
    var revokedKeyCount: Int { state.withLock { $0.keys.count } }

    /// Whether a key's tokens count no more.
    public func isRevoked(keyID: String) -> Bool {
        state.withLock { $0.keys[keyID] != nil }
    }
}
