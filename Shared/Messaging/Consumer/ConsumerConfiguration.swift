/// How a service listens to another.
public struct ConsumerConfiguration: Sendable {
    /// The durable's name, shared by all replicas: `ledger-auth`; no dots.
    public var durable: String
    /// The subjects: `ezwallet.auth.>`.
    ///
    /// It takes in every type of the aggregates that it sees, for sequences count all of them; what
    /// the handler does not know it passes over.
    public var filter: String
    /// The stream.
    public var stream = StreamConfiguration()
    /// How many events are applied in one transaction at most.
    public var batchMax = 512
    /// How many messages, of one event or many, are fetched at once.
    public var messagesMax = 32
    /// From how many events on no more messages are fetched: all of them wait to be settled.
    public var eventsMax = 2_048
    /// How long events gather after a batch: under load, each then brings many.
    ///
    /// One that comes after a while of nothing is not kept waiting.
    public var gatherMilliseconds: UInt64 = 50
    /// The same after a batch of at least `manyEvents`: where hundreds come a second, what a
    /// transaction costs by itself is most of what it costs.
    public var gatherManyMilliseconds: UInt64 = 150
    /// From how many events on a batch was a large one.
    public var manyEvents = 16
    /// How many events may be out to all replicas and not settled.
    public var pendingMax = 1_024
    /// How often an event is tried before it becomes a dead letter.
    public var attemptsMax = 5
    /// How often the broker delivers an event to be applied with others; after that it is applied
    /// alone, and noted as begun before.
    public var deliveriesMax: UInt64 = 1
    /// How often an event is begun alone without coming to an end before it becomes a dead letter:
    /// it ended the process each time.
    public var beginningsMax = 3
    /// How long a gap may stand before the producer is asked.
    public var gapSeconds = 30
    /// How long a fetch waits for the first event.
    public var fetchMilliseconds: Int64 = 1_000
    /// After how long the broker delivers again what a replica took and did not settle.
    public var acknowledgeSeconds: Int64 = 15
    /// How long a handler's waits may last.
    public var handlerMillisecondsMax: UInt64 = 10_000
    /// How often parked events are looked at.
    public var tickMilliseconds: UInt64 = 1_000

    func gatherMilliseconds(after events: Int) -> UInt64 {
        events < manyEvents ? gatherMilliseconds : gatherManyMilliseconds
    }

    /// Whose events it takes in, by its filter: of what waits in the database it tries those alone,
    /// for the others are another handler's.
    var producer: String {
        let words = filter.split(separator: ".")
        return words.count > 1 ? String(words[1]) : ""
    }

    /// The defaults above.
    public init(durable: String, filter: String) {
        self.durable = durable
        self.filter = filter
    }
}

/// A consumer's numbers, for `/metrics`.
public struct ConsumerMetrics: Sendable, Equatable {
    /// Events applied.
    public var applied: UInt64 = 0
    /// Events dropped, for they were applied before.
    public var duplicates: UInt64 = 0
    /// Events kept for they came too early.
    public var parked: UInt64 = 0
    /// Tries that failed.
    public var failures: UInt64 = 0
    /// Dead letters.
    public var buried: UInt64 = 0
    /// How often a producer was asked for what is missing.
    public var replays: UInt64 = 0
    /// How often the durable was gone from the broker, and was made again.
    public var lost: UInt64 = 0
    /// The age of the last event when it was applied.
    public var lagMicroseconds: Int64 = 0
}
