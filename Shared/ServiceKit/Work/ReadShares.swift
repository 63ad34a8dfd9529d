internal import Loops
internal import WalletProtocol

/// How many heavy reads of one person, and of one group, a loop runs at once; further ones wait.
///
/// A group's members read one large group as often as they like. Without a bound these reads hold
/// every connection to the database, and everybody else waits behind them. A read is counted for
/// its person first, then for the thing that its path names: one member cannot fill the queue of a
/// group.
///
/// On-loop only.
final class ReadShares {
    /// Whose reads are counted together.
    enum Key: Hashable {
        case person(ID<User>)
        /// The first identifier in the path, in lower case: a group, an account, a child.
        case thing(String)
    }

    private struct Lane {
        var running = 0
        var waiting: [Turn] = []
    }

    private final class Turn {
        let wait: Wait<Void>
        var isGranted = false

        init(on loop: EventLoop) { wait = Wait(on: loop) }
    }

    /// How many reads with the same key run at once.
    static let runningMax = 2
    /// How many wait behind them.
    static let waitingMax = 16
    /// How many wait on a loop, whatever their keys: each holds a connection from the gateway.
    static let waitingOfAllMax = 96
    /// How long a read waits before it is refused.
    static let waitNanoseconds: UInt64 = 2_000_000_000

    private var lanes: [Key: Lane] = [:]
    private var waitingCount = 0
    private let refused: MetricValue

    /// No reads yet.
    init(metrics: Metrics) {
        refused = metrics.counter(
            "ezwallet_shared_reads_refused_total",
            "Heavy reads refused because too many of their person or group were under way."
        )
    }

    /// A place for a read, when one is free.
    /// - Throws: 429 `too-many-requests` where too many wait already, or the wait is too long.
    func take(_ key: Key, on loop: EventLoop) async throws -> Slot {
        if lanes[key, default: Lane()].running < Self.runningMax {
            lanes[key, default: Lane()].running += 1
        } else {
            try await waitForTurn(key, on: loop)
        }
        return Slot { [self] in leave(key) }
    }

    private func waitForTurn(_ key: Key, on loop: EventLoop) async throws {
        guard lanes[key, default: Lane()].waiting.count < Self.waitingMax,
            waitingCount < Self.waitingOfAllMax
        else { throw refusal() }
        let turn = Turn(on: loop)
        lanes[key, default: Lane()].waiting.append(turn)
        waitingCount += 1
        defer {
            waitingCount -= 1
            if !turn.isGranted { lanes[key]?.waiting.removeAll { $0 === turn } }
        }
        try await turn.wait.value(withinNanoseconds: Self.waitNanoseconds)
        guard turn.isGranted else { throw refusal() }
    }

    /// Hands the place to who has waited longest.
    private func leave(_ key: Key) {
        while let turn = lanes[key]?.waiting.first {
            lanes[key]?.waiting.removeFirst()
            turn.isGranted = turn.wait.resume(returning: ())
            if turn.isGranted { return }
        }
        lanes[key]?.running -= 1
        if lanes[key]?.running == 0 { lanes[key] = nil }
    }

    /// Counts a refusal.
    private func refusal() -> APIError {
        refused.add()
        return APIError(
            .tooManyRequests,
            "Too many reads of this are under way. Try again in a moment.",
            retryAfterSeconds: 1
        )
    }
}
