internal import Loops
internal import Postgres
internal import WalletProtocol

/// An event's handler threw: which event, and what.
struct HandlerFailure: Error {
    var key: EventKey
    var cause: any Error
}

/// The handler of a whole batch threw: one of its events is to blame.
private struct BatchFailure: Error {}

/// What became of a batch.
struct InboxOutcome: Sendable {
    var applied = 0
    var duplicates = 0
    var parked = 0
    var buried: [EventKey: String] = [:]
    var failed: [EventKey: String] = [:]
}

/// Applies events exactly once and in order, whatever arrives.
///
/// One transaction a batch: let each gate decide over what came, move the sequences (which locks
/// them, in one order), run the handlers, commit. Where that finds anything out of the common (an
/// event that comes too early, one that waits, a neighbour that was faster) it is rolled back and
/// done again with care: the sequences locked before they are read, and what was parked at hand.
/// Where a handler fails the whole is done again with that event set aside (parked until its next
/// try, or buried after the last), so that one bad event holds up its aggregate alone; a batch's
/// handler is given its events one by one then, which tells the bad one.
/// After a commit whose answer was lost the same batch is safe to do again: the sequences tell.
final class Inbox {
    let database: Database
    private let attemptsMax: Int
    private let handlerNanosecondsMax: UInt64
    private let handler: EventHandler

    init(
        database: Database,
        attemptsMax: Int,
        handlerMillisecondsMax: UInt64,
        handler: EventHandler
    ) {
        self.database = database
        self.attemptsMax = attemptsMax
        handlerNanosecondsMax = handlerMillisecondsMax * 1_000_000
        self.handler = handler
    }

    /// Applies a batch, and what waits of its aggregates and of `also`.
    /// - Parameters:
    ///   - counted: parked events whose present try is counted already.
    ///   - gone: up to which sequences the producer has nothing any more.
    /// - Throws: `DatabaseError` where the database cannot be used; nothing has changed then, or
    ///   the answer to COMMIT was lost.
    func apply(
        _ incoming: [IncomingEvent],
        also: [AggregateKey] = [],
        counted: Set<EventKey> = [],
        gone: [AggregateKey: Int64] = [:]
    ) async throws -> InboxOutcome {
        var failed: [EventKey: String] = [:]
        var isCareful = !also.isEmpty || !counted.isEmpty || !gone.isEmpty
        var isOneByOne = false
        while true {
            do {
                return try await database.transaction { transaction in
                    let round = InboxRound(
                        transaction,
                        attemptsMax: attemptsMax,
                        failed: failed,
                        counted: counted,
                        isCareful: isCareful
                    )
                    try await round.gather(incoming, also, gone)
                    try round.decide()
                    try await round.move()
                    try await handle(round.toApply, transaction, oneByOne: isOneByOne)
                    try await round.write()
                    return round.outcome
                }
            } catch is WantsCare {
                isCareful = true
            } catch is BatchFailure {
                isOneByOne = true
            } catch let failure as HandlerFailure {
                // Each round sets one more aside, so they end.
                failed[failure.key] = describe(failure.cause)
                isCareful = true
            }
        }
    }

    private func handle(
        _ events: [IncomingEvent],
        _ transaction: Transaction,
        oneByOne: Bool
    ) async throws {
        guard let first = events.first else { return }
        switch handler {
        case .together(let handler) where !oneByOne && events.count > 1:
            do {
                try await within(first.envelope) {
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
                try await within(event.envelope) { try await handle(event.envelope) }
            } catch {
                if isOfTheDatabase(error) { throw error }
                throw HandlerFailure(key: event.key, cause: error)
            }
        }
    }

    private func within(
        _ event: EventEnvelope,
        _ body: () async throws -> Void
    ) async throws {
        let context = RequestContext(
            deadline: monotonicNanoseconds() &+ handlerNanosecondsMax,
            requestID: "event-\(event.id.text)",
            traceparent: event.traceParent
        )
        try await RequestContext.with(context) { try await body() }
    }
}

/// Whether an error says nothing of the event: the database is away, busy, or wants a retry.
private func isOfTheDatabase(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return error is CancellationError }
    switch error {
    case .server(let server):
        // 0A000 and 26000: a stale plan, which the transaction itself runs again.
        return error.isRetryable || ["0A000", "26000"].contains(server.sqlState.code)
            || ["53", "57"].contains(server.sqlState.code.prefix(2))
    case .connectionLost, .unavailable, .cancelled, .rolledBack: return true
    case .deadline, .decoding, .misuse: return false
    }
}

/// A cause for logs and `dead_letter.error`: never a client's or person's data.
private func describe(_ error: any Error) -> String {
    if case DatabaseError.server(let server) = error { return server.description }
    return String("\(error)".prefix(500))
}
