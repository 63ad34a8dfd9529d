import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Looks into the feeds of all who listen on one loop, once for all of them.
///
/// Four times a second as long as anybody listens, for an event is seen on whatever replica it was
/// written; and soon after this loop's own consumers have committed. Each look begins where nothing
/// could appear any more when the one before it was made, so that what commits late is not passed
/// over; a row may come several times, and whoever listens knows what they have told.
final class FeedWatch {
    static let lookNanoseconds: UInt64 = 250_000_000
    /// After a commit others mostly follow.
    static let pauseNanoseconds: UInt64 = 20_000_000

    private let database: Database
    private let loop: EventLoop
    /// Rung by the consumers.
    let bell: WorkBell
    private var listeners: [ID<User>: [FeedListener]] = [:]
    private var isRunning = false
    private var cursor = "0"

    init(database: Database, on loop: EventLoop) {
        self.database = database
        self.loop = loop
        bell = WorkBell(on: loop)
    }

    /// What commits from here on for the user is handed to the listener, and some of what was
    /// there before.
    func enter(_ listener: FeedListener) async throws {
        // Of the first look: what is below it has committed, and is the listener's to look at.
        let snapshot = isRunning ? nil : try await database.queryOne(FeedStatements.snapshot)
        listeners[listener.user, default: []].append(listener)
        guard !isRunning else { return }
        (isRunning, cursor) = (true, snapshot ?? "0")
        let bound = LoopBound(self, to: loop.actor)
        loop.actor.spawn { actor in await bound.on(actor).run() }
    }

    func leave(_ listener: FeedListener) {
        listeners[listener.user]?.removeAll { $0 === listener }
        if listeners[listener.user]?.isEmpty == true { listeners[listener.user] = nil }
    }

    private func run() async {
        while !listeners.isEmpty {
            // Nothing more comes where the loop ends.
            do { try await loop.sleep(nanoseconds: Self.pauseNanoseconds) } catch { break }
            await bell.sleep(nanoseconds: Self.lookNanoseconds - Self.pauseNanoseconds)
            await look()
        }
        isRunning = false
    }

    /// Hands everybody what they may not know; nothing while the database is away.
    private func look() async {
        let next: String
        var rows: [ID<User>: [FeedRow]] = [:]
        let asked = listeners.values.flatMap(\.self).map { ($0, $0.isReady) }
        do {
            next = try await database.queryOne(FeedStatements.snapshot) ?? cursor
            let users = listeners.keys.sorted()
            for found in try await database.query(FeedStatements.watched, users, cursor) {
                rows[found.user, default: []].append(found.row)
            }
        } catch { return }
        cursor = next
        for (listener, wasReady) in asked {
            let found = rows[listener.user] ?? []
            if wasReady || !found.isEmpty { listener.take(found) }
        }
    }
}

/// One who listens: what has been found for them since they last asked.
final class FeedListener {
    let user: ID<User>
    private let loop: EventLoop
    private var found: [FeedRow]?
    private var waiting: Wait<Void>?
    /// Whether they have looked themselves: a look that began before that may have found less than
    /// they have, and does not tell them that there is nothing.
    var isReady = false

    init(for user: ID<User>, on loop: EventLoop) {
        self.user = user
        self.loop = loop
    }

    fileprivate func take(_ rows: [FeedRow]) {
        found = (found ?? []) + rows
        waiting?.resume(returning: ())
    }

    /// What the looks since the last call have found; nil where there was none for so long.
    /// - Throws: `CancellationError`, where the client has gone.
    func next(withinNanoseconds bound: UInt64) async throws -> [FeedRow]? {
        if found == nil {
            let wait = Wait<Void>(on: loop)
            waiting = wait
            defer { waiting = nil }
            try await wait.value(withinNanoseconds: bound)
        }
        defer { found = nil }
        return found
    }
}
