internal import Loops
internal import Synchronization
public import WalletProtocol

/// Whose profile has changed, as the poll of revocations brings it: shared by the loops of an
/// executable, so that nothing that is remembered of a person outlives a change by two seconds.
public final class PeopleVersions: Sendable {
    private struct State {
        var versions: [ID<User>: Int] = [:]
        /// Those of before: whoever is in neither was last changed long ago.
        var earlier: [ID<User>: Int] = [:]
        var turnedAt: UInt64 = 0
        var answeredAt: UInt64 = 0
        var era = 0
    }
    private let state = Mutex(State())

    /// How long auth tells of a change.
    public static let toldSeconds: Int64 = 3_600
    /// A replica that had no answer for so long has missed changes, perhaps.
    static let awayNanoseconds: UInt64 = 1_800_000_000_000
    /// A version is kept for as long at least, and twice as long at most: by then the event of the
    /// change has come.
    static let keptNanoseconds: UInt64 = 3_600_000_000_000
    /// More are not kept: what was remembered until then is forgotten.
    static let countMax = 200_000

    /// Nothing told yet.
    public init() {}

    /// Adds what an answer of the poll has.
    public func add(_ changed: [PersonVersion]) { add(changed, at: monotonicNanoseconds()) }

    func add(_ changed: [PersonVersion], at now: UInt64) {
        state.withLock { state in
            let isAway =
                state.answeredAt != 0 && now > state.answeredAt + Self.awayNanoseconds
            if isAway || state.versions.count + changed.count > Self.countMax {
                // What they told is in what is read from now on.
                state.era += 1
                (state.versions, state.earlier) = ([:], [:])
            }
            if now > state.turnedAt + Self.keptNanoseconds {
                (state.earlier, state.versions) = (state.versions, [:])
                state.turnedAt = now
            }
            for person in changed {
                let old = state.versions[person.userID] ?? 0
                state.versions[person.userID] = max(old, person.version)
            }
            state.answeredAt = now
        }
    }

    /// The latest version of a person that auth has told of; 0 where it has told of none.
    public func version(of user: ID<User>) -> Int {
        state.withLock { max($0.versions[user] ?? 0, $0.earlier[user] ?? 0) }
    }

    /// Changes whenever everything that is remembered of people has to be forgotten.
    public var era: Int { state.withLock { $0.era } }
}

/// Asks auth for a person whose change it has told of, where the event of the change has not come.
///
/// On-loop only. Nobody waits long for it, and while auth does not answer it is not asked again.
public final class NewerPeople {
    /// Who has changed.
    public let versions: PeopleVersions
    private let ask: (ID<User>) async throws -> InternalUser
    private var pausedUntil: UInt64 = 0

    static let askingNanosecondsMax: UInt64 = 1_000_000_000
    static let pauseNanoseconds: UInt64 = 1_000_000_000

    /// With what asks auth.
    public init(
        versions: PeopleVersions,
        ask: @escaping (ID<User>) async throws -> InternalUser
    ) {
        self.versions = versions
        self.ask = ask
    }

    /// The person as auth has them now; nil where the version in hand is the latest that it has
    /// told of, and where it does not answer: then the last that is known holds.
    ///
    /// Version 0 is a copy from before copies had versions, which lacks what they have since.
    public func person(_ user: ID<User>, after version: Int) async -> InternalUser? {
        guard versions.version(of: user) > version || version == 0,
            monotonicNanoseconds() >= pausedUntil
        else { return nil }
        let deadline = RequestContext.deadline(within: Self.askingNanosecondsMax)
        let now = RequestContext.current
        let context = RequestContext(
            deadline: deadline,
            requestID: now?.requestID ?? "people",
            traceparent: now?.traceparent
        )
        do {
            let told = try await RequestContext.with(context) { try await ask(user) }
            return told.version > version ? told : nil
        } catch {
            pausedUntil = monotonicNanoseconds() + Self.pauseNanoseconds
            return nil
        }
    }
}
