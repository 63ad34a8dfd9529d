internal import Loops
public import Postgres
public import WalletProtocol

/// An event cannot be told as it is.
public enum OutboxError: Error, Sendable, Equatable {
    /// The body is larger than an event may be: what is larger goes in chunks.
    case tooLarge(bytes: Int)
}

/// The events that a service's transactions tell of.
///
/// A change and its events commit together; the relay brings them to the stream afterwards.
public enum Outbox {
    /// The largest body: an event's bound less what the envelope around it takes.
    public static let bodyBytesMax = EventEnvelope.sizeMax - 2_048

    /// Adds an event to a transaction and answers its sequence among those of its aggregate.
    ///
    /// Shape: 1 row in `outbox`; the aggregate's row in `aggregate_sequence` stays locked until the
    /// end, so a transaction that tells of several aggregates goes through them in one order
    /// everywhere (sorted by name), and tells late.
    /// `aggregate` is `kind:id` (`user:0190…`). The trace is that of the request under way.
    /// After the commit the caller rings the relay's bell.
    /// - Throws: `OutboxError.tooLarge`, `DatabaseError`.
    @discardableResult
    public static func append(
        _ body: some EventBody,
        of aggregate: String,
        id: ID<Event> = .new(),
        in transaction: Transaction
    ) async throws -> Int64 {
        let text = JSON.text(body)
        guard text.utf8.count <= bodyBytesMax else {
            throw OutboxError.tooLarge(bytes: text.utf8.count)
        }
        let sequence = try await transaction.queryOne(
            OutboxStatements.append,
            aggregate,
            type(of: body).eventType,
            PostgresUUID(high: id.high, low: id.low),
            text,
            RequestContext.current?.traceparent
        )
        return sequence ?? 0
    }

    /// Events of one statement: more would be one long message to the server.
    private static let chunk = 200

    /// Adds many events of one kind to a transaction, in their order.
    ///
    /// The same as `append` for each, by one statement for some hundred.
    /// - Throws: `OutboxError.tooLarge`, `DatabaseError`.
    public static func append<Body: EventBody>(
        all bodies: [Body],
        of aggregate: String,
        in transaction: Transaction
    ) async throws {
        var rest = bodies[...]
        while !rest.isEmpty {
            let texts = rest.prefix(chunk).map { JSON.text($0) }
            rest = rest.dropFirst(chunk)
            if let long = texts.map(\.utf8.count).first(where: { $0 > bodyBytesMax }) {
                throw OutboxError.tooLarge(bytes: long)
            }
            try await transaction.execute(
                OutboxStatements.appendAll,
                aggregate,
                Body.eventType,
                texts.map { _ in
                    let id = ID<Event>.new()
                    return PostgresUUID(high: id.high, low: id.low)
                },
                texts,
                RequestContext.current?.traceparent
            )
        }
    }

    /// Adds events of several aggregates to a transaction, some tens of them, in their order, and
    /// does not wait: what is wrong with it is thrown by the commit.
    ///
    /// The same as `append` for each; what else is told of the aggregates comes behind them.
    /// - Throws: `OutboxError.tooLarge`, `DatabaseError`.
    public static func append<Body: EventBody>(
        _ told: [ToldEvent<Body>],
        in transaction: Transaction
    ) async throws {
        guard !told.isEmpty else { return }
        let texts = told.map { JSON.text($0.body) }
        if let long = texts.map(\.utf8.count).first(where: { $0 > bodyBytesMax }) {
            throw OutboxError.tooLarge(bytes: long)
        }
        var counts: [String: Int64] = [:]
        var later: [Int64] = []
        for event in told.reversed() {
            later.append(counts[event.aggregate, default: 0])
            counts[event.aggregate, default: 0] += 1
        }
        let sums = counts.sorted { $0.key < $1.key }
        try transaction.send(
            OutboxStatements.appendSome,
            sums.map(\.key),
            sums.map(\.value),
            Body.eventType,
            told.map(\.aggregate),
            Array(later.reversed()),
            told.map { _ in
                let id = ID<Event>.new()
                return PostgresUUID(high: id.high, low: id.low)
            },
            texts,
            told.map(\.traceparent)
        )
    }

    /// What a producer answers to a consumer that misses events of an aggregate.
    ///
    /// Served by each service's internal replay endpoint.
    public static func replay(
        _ request: ReplayRequest,
        of service: ServiceName,
        limit: Int = 200,
        in database: some Querying
    ) async throws(DatabaseError) -> ReplayAnswer {
        // The last sequence is read first: what is appended in between is then only more.
        let last = try await database.queryOne(
            OutboxStatements.lastSequence,
            request.aggregate
        )
        let rows = try await database.query(
            OutboxStatements.replay,
            request.aggregate,
            request.fromSequence,
            limit
        )
        return ReplayAnswer(
            events: rows.map { envelopeText($0, of: service) },
            lastSequence: last ?? 0
        )
    }

    /// Erases what was told of an aggregate from the outbox; the sequence itself goes on.
    ///
    /// The stream's copies go by `EventPurge`, those of consumers by their own erasure.
    public static func erase(
        _ aggregate: String,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(OutboxStatements.eraseOutbox, aggregate)
    }
}

/// An event among others that are told of together.
public struct ToldEvent<Body: EventBody> {
    let body: Body
    let aggregate: String
    let traceparent: String?

    /// An event of an aggregate, in the trace of the request that it comes of.
    public init(_ body: Body, of aggregate: String, traceparent: String?) {
        self.body = body
        self.aggregate = aggregate
        self.traceparent = traceparent
    }
}

/// Events of an aggregate that a consumer misses.
public struct ReplayRequest: Sendable, Equatable {
    /// The service that told them.
    public var producer: ServiceName
    /// The aggregate.
    public var aggregate: String
    /// The first that is missing.
    public var fromSequence: Int64

    /// A request.
    public init(producer: ServiceName, aggregate: String, fromSequence: Int64) {
        self.producer = producer
        self.aggregate = aggregate
        self.fromSequence = fromSequence
    }
}

/// What the producer still has of them.
public struct ReplayAnswer: Sendable, Equatable {
    /// Whole envelopes as JSON texts, in order; what is missing in front is gone for good.
    public var events: [String]
    /// The last sequence that the aggregate has; 0: the producer knows no such aggregate.
    public var lastSequence: Int64

    /// An answer.
    public init(events: [String], lastSequence: Int64) {
        self.events = events
        self.lastSequence = lastSequence
    }
}
