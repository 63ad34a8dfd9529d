internal import Loops
internal import Postgres
internal import WalletProtocol

/// An event's place among all: whose, of what, the how many-th.
struct EventKey: Hashable, Sendable {
    var producer: String
    var aggregate: String
    var sequence: Int64
}

/// Whose sequence a gate keeps.
struct AggregateKey: Hashable, Sendable, Comparable {
    var producer: String
    var aggregate: String

    static func < (left: Self, right: Self) -> Bool {
        left.producer != right.producer
            ? left.producer < right.producer : left.aggregate < right.aggregate
    }
}

/// An event that came in, with its text for parking.
struct IncomingEvent: Sendable {
    var envelope: EventEnvelope
    var producer: String
    var text: String

    var key: EventKey {
        EventKey(
            producer: producer,
            aggregate: envelope.aggregate,
            sequence: envelope.sequence
        )
    }
    var aggregateKey: AggregateKey {
        AggregateKey(producer: producer, aggregate: envelope.aggregate)
    }

    /// Reads an envelope.
    /// - Throws: `APIError`, for what is none of ours.
    init(_ bytes: [UInt8]) throws(APIError) {
        envelope = try EventEnvelope.read(bytes)
        guard let producer = envelope.producer else { throw APIError(.invalidBody) }
        self.producer = producer.rawValue
        text = String(decoding: bytes, as: UTF8.self)
    }
}

/// An event's handler threw: which event, and what.
struct HandlerFailure: Error {
    var key: EventKey
    var cause: any Error
}

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
/// One transaction a batch: lock the aggregates' sequences in one order, let each gate decide over
/// what came and what was parked, run the handlers, move the sequences, commit. Where a handler
/// fails the whole is rolled back and done again with that event set aside (parked until its next
/// try, or buried after the last), so that one bad event holds up its aggregate alone.
/// After a commit whose answer was lost the same batch is safe to do again: the sequences tell.
final class Inbox {
    typealias Apply = (EventEnvelope, Transaction) async throws -> Void

    let database: Database
    private let attemptsMax: Int
    private let handlerNanosecondsMax: UInt64
    private let handler: Apply

    init(
        database: Database,
        attemptsMax: Int,
        handlerMillisecondsMax: UInt64,
        handler: @escaping Apply
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
        while true {
            do {
                return try await database.transaction { transaction in
                    let round = InboxRound(
                        transaction,
                        attemptsMax: attemptsMax,
                        failed: failed,
                        counted: counted
                    )
                    try await round.gather(incoming, also, gone)
                    try await round.decide { event in
                        try await handle(event, transaction)
                    }
                    try await round.write()
                    return round.outcome
                }
            } catch let failure as HandlerFailure {
                // Each round sets one more aside, so they end.
                failed[failure.key] = describe(failure.cause)
            }
        }
    }

    private func handle(_ event: IncomingEvent, _ transaction: Transaction) async throws {
        let context = RequestContext(
            deadline: monotonicNanoseconds() &+ handlerNanosecondsMax,
            requestID: "event-\(event.envelope.id.text)",
            traceparent: event.envelope.traceParent
        )
        do {
            try await RequestContext.with(context) {
                try await handler(event.envelope, transaction)
            }
        } catch {
            if isOfTheDatabase(error) { throw error }
            throw HandlerFailure(key: event.key, cause: error)
        }
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
