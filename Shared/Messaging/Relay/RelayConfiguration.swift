public import WalletProtocol

/// How a service's relay works.
public struct RelayConfiguration: Sendable {
    /// The service whose outbox it is.
    public var service: ServiceName
    /// The stream.
    public var stream = StreamConfiguration()
    /// How many rows of the outbox, and how many entries, are read and in flight at once.
    public var batchMax = 512
    /// How many rows, or postings, go in one message at most.
    public var eventsPerMessageMax = 512
    /// How large a message grows; an event or entry alone may be larger.
    public var messageBytesMax = 128 * 1_024
    /// The pause between looks while there is work.
    public var busyMilliseconds: UInt64 = 20
    /// The pause between looks while there is none and nobody rings.
    public var idleMilliseconds: UInt64 = 200
    /// How long the broker may take to acknowledge a batch before it is published again.
    public var acknowledgeMillisecondsMax: UInt64 = 5_000
    /// The pause before a relay that does not lead tries to.
    public var leadMilliseconds: UInt64 = 1_000
    /// How often the stream is compared with what is remembered of it.
    public var checkMilliseconds: UInt64 = 10_000
    /// How often the mark is saved while there is work.
    public var saveMilliseconds: UInt64 = 1_000
    /// How long rows stay, for consumers that ask again.
    public var keepDays = 30
    /// After how long without the broker another replica may try.
    public var giveUpMilliseconds: UInt64 = 10_000

    /// The defaults above.
    public init(service: ServiceName) { self.service = service }
}

/// What waits in an outbox.
public struct OutboxFigures: Sendable, Equatable {
    /// Rows above the saved mark, at most 100,000: those not published, within a second.
    public var depth: Int64 = 0
    /// The age of the oldest of them.
    public var oldestAgeMilliseconds: Int64 = 0
    /// Transaction ids between the oldest open one and the newest.
    public var openTransactionIDs: Int64 = 0
    /// The age of the oldest open writing transaction of our role.
    public var oldestTransactionMilliseconds: Int64 = 0
}

/// What waits in a journal.
public struct JournalFigures: Sendable, Equatable {
    /// Entries above the saved mark, at most 100,000.
    public var depth: Int64 = 0
    /// The age of the first of them.
    public var oldestAgeMilliseconds: Int64 = 0
}

/// The relay's numbers, for `/metrics`.
public struct RelayMetrics: Sendable, Equatable {
    /// Whether this replica publishes at the moment.
    public var leads = false
    /// How long it has looked for rows in all.
    public var lookNanoseconds: UInt64 = 0
    /// Rows and postings published, those again after a loss counted again.
    public var published: UInt64 = 0
    /// Batches that had to be published again, for want of an acknowledgement.
    public var retries: UInt64 = 0
    /// How often the stream had lost what it had acknowledged.
    public var losses: UInt64 = 0
    /// Rows that the broker does not take, recorded as dead letters.
    public var refused: UInt64 = 0
    /// What waits; read every ten seconds.
    public var outbox = OutboxFigures()
    /// The same of the journal, where the service has one.
    public var journal = JournalFigures()
    /// The outbox's row up to which everything was published, as it was saved last.
    public var mark: Int64 = 0
    /// The journal's place likewise.
    public var journalMark: Int64 = 0
}

/// Something worth a line in the log.
public enum MessagingEvent: Sendable {
    /// The relay leads, from this mark on.
    case relayLeads(mark: Int64)
    /// The relay does not lead any more.
    case relayEnded(cause: String)
    /// The stream had lost what it had acknowledged; it is published again from this mark on.
    case streamLost(mark: Int64, replaced: Bool)
    /// A row cannot be published.
    case rowRefused(id: Int64, cause: String)
    /// A consumer could not work and tries again.
    case consumerFailed(durable: String, cause: String)
    /// A durable was gone from the broker, alone or with its stream, and is made again.
    case consumerLost(durable: String)
    /// An event failed and waits for its next try.
    case eventFailed(durable: String, type: String, sequence: Int64, cause: String)
    /// An event became a dead letter.
    case eventBuried(durable: String, type: String, sequence: Int64, cause: String)
    /// A producer was asked again.
    case gapAsked(durable: String, fromSequence: Int64)
}
