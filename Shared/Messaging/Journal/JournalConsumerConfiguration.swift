public import Postgres
public import WalletProtocol

/// How a service follows another's journal.
public struct JournalConsumerConfiguration: Sendable {
    /// The durable's name, shared by all replicas: `analytics-ledger-journal`; no dots.
    public var durable: String
    /// Whose journal it is.
    public var producer: ServiceName
    /// The stream.
    public var stream = StreamConfiguration()
    /// How many messages are fetched at once, and applied in one transaction.
    public var messagesMax = 8
    /// How long messages gather after a batch.
    ///
    /// One that comes after a while of nothing is not kept waiting.
    public var gatherMilliseconds: UInt64 = 50
    /// How many messages may be out to all replicas and not settled.
    public var pendingMax = 256
    /// How often a posting is tried before it becomes a dead letter.
    public var attemptsMax = 5
    /// How often the broker delivers a message to be applied with others; after that it is applied
    /// alone, and noted as begun before.
    public var deliveriesMax: UInt64 = 1
    /// How often a posting is begun alone without coming to an end before it becomes a dead letter:
    /// it ended the process each time.
    public var beginningsMax = 3
    /// How long places may be missing before the producer is asked.
    public var gapSeconds = 30
    /// How long a fetch waits for the first message.
    public var fetchMilliseconds: Int64 = 1_000
    /// After how long the broker delivers again what a replica took and did not settle.
    public var acknowledgeSeconds: Int64 = 15
    /// How long a handler's waits may last.
    public var handlerMillisecondsMax: UInt64 = 10_000
    /// How often it is looked at what is missing.
    public var tickMilliseconds: UInt64 = 1_000

    /// The defaults above.
    public init(durable: String, producer: ServiceName) {
        self.durable = durable
        self.producer = producer
    }
}

/// The numbers of a journal's consumer, for `/metrics`.
public struct JournalConsumerMetrics: Sendable, Equatable {
    /// Postings applied, those again that came again.
    public var applied: UInt64 = 0
    /// Tries that failed.
    public var failures: UInt64 = 0
    /// Dead letters.
    public var buried: UInt64 = 0
    /// How often the durable was gone from the broker, and was made again.
    public var lost: UInt64 = 0
    /// Pages that the producer was asked for.
    public var pages: UInt64 = 0
    /// The age of the last posting when it was applied.
    public var lagMicroseconds: Int64 = 0
    /// The place up to which everything is applied.
    public var mark: Int64 = 0
    /// How many places are missing below the highest that is applied.
    public var missing: Int64 = 0
}

/// What applies postings, within the transaction that also settles their places.
///
/// It has no effect but in the transaction, and its effects bear a repeat: what was applied before
/// may come again, in any order, among other postings, and must change nothing. It throws for what
/// it cannot apply, and is then given fewer, down to one.
public typealias PostingHandler = ([TransactionPosted], Transaction) async throws -> Void
