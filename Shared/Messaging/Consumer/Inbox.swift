internal import Loops
internal import Postgres
internal import WalletProtocol

/// An event's handler threw: which event, and what.
struct HandlerFailure: Error {
    var key: EventKey
    var cause: any Error
}

/// The handler of many threw: one of them is to blame.
private struct BatchFailure: Error {}

/// What is told of an event that could not be applied.
struct InboxFault: Sendable {
    var cause: String
    /// Its type, and the request that it tells of.
    var type: String?
    var traceParent: String?
}

/// What became of a batch.
struct InboxOutcome: Sendable {
    var applied = 0
    var duplicates = 0
    var parked = 0
    var buried: [EventKey: InboxFault] = [:]
    var failed: [EventKey: InboxFault] = [:]
    /// Of which something is parked that was not looked at, or may not be applied with others, and
    /// may have its turn.
    var more: [AggregateKey] = []

    mutating func merge(_ other: InboxOutcome) {
        applied += other.applied
        duplicates += other.duplicates
        parked += other.parked
        buried.merge(other.buried) { $1 }
        failed.merge(other.failed) { $1 }
    }
}

/// Applies events exactly once and in order, whatever arrives.
///
/// One transaction a batch: let each gate decide over what came, move the sequences (which locks
/// them, in one order), run the handlers, commit. Where that finds anything out of the common (an
/// event that comes too early, one that waits, a neighbour that was faster) it is rolled back and
/// done again with care: the sequences locked before they are read, and what was parked at hand.
/// Where a handler fails the batch is cut in halves, each a transaction of its own, down to the bad
/// event: that is set aside (parked until its next try, or buried after the last), so that it holds
/// up its aggregate alone, and many bad ones cost their number and no more.
/// After a commit whose answer was lost the same batch is safe to do again: the sequences tell.
final class Inbox {
    let database: Database
    /// What is noted as begun, and of whose end the database may not know yet.
    var begun: Set<EventKey> = []
    /// What is noted as begun to be read.
    let notes: ReadingNotes
    private let attemptsMax: Int
    let beginningsMax: Int
    private let handlerNanosecondsMax: UInt64
    private let handler: EventHandler

    init(
        database: Database,
        attemptsMax: Int,
        beginningsMax: Int,
        handlerMillisecondsMax: UInt64,
        handler: EventHandler
    ) {
        self.database = database
        notes = ReadingNotes(database)
        self.attemptsMax = attemptsMax
        self.beginningsMax = beginningsMax
        handlerNanosecondsMax = handlerMillisecondsMax * 1_000_000
        self.handler = handler
    }

    /// Applies a batch, and what waits of its aggregates and of `also`.
    /// - Parameters:
    ///   - only: what is noted as begun, and alone is applied; nil: whatever has its turn.
    ///   - gone: up to which sequences the producer has nothing any more.
    /// - Throws: `DatabaseError` where the database cannot be used; nothing has changed then, or
    ///   the answer to COMMIT was lost, or it was cut in halves of which some are committed.
    func apply(
        _ incoming: [IncomingEvent],
        also: [AggregateKey] = [],
        only: Set<EventKey>? = nil,
        gone: [AggregateKey: Int64] = [:]
    ) async throws -> InboxOutcome {
        var outcome = InboxOutcome()
        var part = Part(events: incoming, also: also, gone: gone)
        // From the last to the first.
        var parts: [Part] = []
        while true {
            switch try await attempt(part, only) {
            case .done(let own):
                outcome.merge(own)
                if only != nil {
                    outcome.more += own.more
                } else if !own.more.isEmpty {
                    parts.append(Part(also: own.more))
                }
            case .again(let halves):
                parts += halves.reversed()
            }
            guard let next = parts.popLast() else { return outcome }
            part = next
        }
    }

    /// What is applied in one transaction.
    private struct Part {
        var events: [IncomingEvent] = []
        var also: [AggregateKey] = []
        var gone: [AggregateKey: Int64] = [:]
        /// Which of its events failed, and why; their tries are not counted yet.
        var failed: [EventKey: String] = [:]

        var halves: [Part] {
            let middle = events.count / 2
            var first = Part(events: Array(events[..<middle]), also: also, gone: gone)
            var second = Part(events: Array(events[middle...]))
            let firstKeys = Set(first.events.map(\.key))
            let secondKeys = Set(second.events.map(\.key)).subtracting(firstKeys)
            // What is in neither was parked, and met on the way: it fails again by itself.
            first.failed = failed.filter { firstKeys.contains($0.key) }
            second.failed = failed.filter { secondKeys.contains($0.key) }
            return [first, second]
        }
    }
    private enum Attempt {
        case done(InboxOutcome)
        case again([Part])
    }

    /// Applies a part, or answers the halves that it is to be applied in.
    private func attempt(_ whole: Part, _ only: Set<EventKey>?) async throws -> Attempt {
        var part = whole
        var isCareful =
            !part.also.isEmpty || only != nil || !part.gone.isEmpty || !part.failed.isEmpty
        var isOneByOne = false
        while true {
            do {
                let outcome = try await database.transaction { transaction in
                    let round = InboxRound(
                        transaction,
                        attemptsMax: attemptsMax,
                        beginningsMax: beginningsMax,
                        failed: part.failed,
                        only: only,
                        isCareful: isCareful
                    )
                    try await round.gather(part.events, part.also, part.gone)
                    try round.decide()
                    try await round.move()
                    try await handle(round.toApply, transaction, oneByOne: isOneByOne)
                    try await round.write()
                    return round.outcome
                }
                return .done(outcome)
            } catch is WantsCare {
                isCareful = true
            } catch is BatchFailure {
                if part.events.count > 1 { return .again(part.halves) }
                isOneByOne = true
            } catch let failure as HandlerFailure {
                part.failed[failure.key] = describe(failure.cause)
                if part.events.count > 1 { return .again(part.halves) }
                // Each round sets one more of its aggregate aside, so they end.
                isCareful = true
            }
        }
    }

    private func handle(
        _ events: [IncomingEvent],
        _ transaction: Transaction,
        oneByOne: Bool
    ) async throws {
        guard !events.isEmpty else { return }
        switch handler {
        case .together(let handler) where !oneByOne && events.count > 1:
            do {
                try await within(events) {
                    try await handler(events.map(\.envelope), transaction)
                }
            } catch {
                if isOfTheDatabase(error) { throw error }
                throw BatchFailure()
            }
        case .together(let handler):
            try await eachOf(events) { try await handler([$0], transaction) }
        case .single(let handler):
            try await eachOf(events) { try await handler($0, transaction) }
        }
    }

    private func eachOf(
        _ events: [IncomingEvent],
        _ handle: (EventEnvelope) async throws -> Void
    ) async throws {
        for event in events {
            do {
                try await within([event]) { try await handle(event.envelope) }
            } catch {
                if isOfTheDatabase(error) { throw error }
                throw HandlerFailure(key: event.key, cause: error)
            }
        }
    }

    /// Runs a handler as the work of the request that its events tell of, where that is one.
    private func within(
        _ events: [IncomingEvent],
        _ body: () async throws -> Void
    ) async throws {
        guard let first = events.first?.envelope else { return }
        let isOne = events.allSatisfy { $0.envelope.traceParent == first.traceParent }
        let context = RequestContext(
            // Cannot wrap: a setting of seconds is added to the clock.
            deadline: monotonicNanoseconds() &+ handlerNanosecondsMax,
            requestID: "event-\(first.id.text)",
            traceparent: isOne ? first.traceParent : nil
        )
        try await RequestContext.with(context) { try await body() }
    }
}

/// States that say nothing of the event.
///
/// 0A000 and 26000: a stale plan, which the transaction itself runs again. 42501, 42703, 42883,
/// 42P01 and 42P10: a right, column, function, table or unique key that is not there. It is when a
/// schema is newer than the process, which is about to be replaced, and its successor applies what
/// comes until then.
private let ofTheDatabase: Set = ["0A000", "26000", "42501", "42703", "42883", "42P01", "42P10"]

/// Whether an error says nothing of the event: the database is away, busy, or wants a retry.
func isOfTheDatabase(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return error is CancellationError }
    switch error {
    case .server(let server):
        return error.isRetryable || ofTheDatabase.contains(server.sqlState.code)
            || ["53", "57"].contains(server.sqlState.code.prefix(2))
    case .connectionLost, .unavailable, .cancelled, .rolledBack: return true
    case .deadline, .decoding, .misuse: return false
    }
}

/// A cause for logs and `dead_letter.error`: never a client's or person's data.
func describe(_ error: any Error) -> String {
    if case DatabaseError.server(let server) = error { return server.description }
    return String("\(error)".prefix(500))
}
