internal import Loops
public import Postgres
public import WalletProtocol

/// Follows a producer's journal through a durable consumer that all replicas share.
///
/// ```
/// fetch (thread) → one transaction for what came (loop) → settle (thread) → a moment → fetch …
///        gap of 30 s → page after page from the producer, between two fetches
/// ```
/// What it holds of the journal is one row; whoever has lost everything is made anew from the first
/// place on, while it serves. On-loop only.
public final class JournalConsumer {
    /// Asks a producer for places that did not come: calls its `InternalEvents.journals`.
    public typealias Replay = (JournalRequest) async throws -> Postings

    let configuration: JournalConsumerConfiguration
    let inbox: JournalInbox
    private let connection: NatsConnection
    let replay: Replay
    let report: (MessagingEvent) -> Void
    let bell: Doorbell
    private let ended: Wait<Void>
    let fetcher: MessageFetcher
    private var started = false
    private(set) var stopping = false
    /// The last batch failed for want of the database: nothing is fetched until it answers.
    private var databaseIsAway = false
    /// Which of the replicas this is.
    let own = ID<JournalConsumer>.new()
    var watch = GapWatch()
    /// What has been missing for long, and is asked for now.
    var wanted = PlaceSet()
    var tickDue: UInt64 = 0
    var gapsDue: UInt64 = 0
    var held = JournalConsumerMetrics()
    private var listeners: [() -> Void] = []

    /// A consumer on the database's loop, which does nothing before `run`.
    public init(
        _ configuration: JournalConsumerConfiguration,
        database: Database,
        connection: NatsConnection,
        handler: @escaping PostingHandler,
        replay: @escaping Replay,
        report: @escaping (MessagingEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.connection = connection
        self.replay = replay
        self.report = report
        inbox = JournalInbox(configuration, database: database, handler: handler)
        let bell = Doorbell(on: database.loop)
        self.bell = bell
        ended = Wait(on: database.loop)
        fetcher = MessageFetcher(
            PullConfiguration(
                stream: configuration.stream.name,
                durable: configuration.durable,
                filter: PostingsPack.subject(of: configuration.producer),
                acknowledgeSecondsMax: configuration.acknowledgeSeconds,
                pendingMax: configuration.pendingMax
            ),
            stream: configuration.stream,
            connection: connection,
            bell: bell
        )
        connection.onChange { [bell] in bell.ring() }
        fetcher.whenLost = { [weak self] in
            self?.held.lost += 1
            report(.consumerLost(durable: configuration.durable))
        }
    }

    /// The durable's name, by which its numbers are told apart.
    public var name: String { configuration.durable }

    /// Its numbers.
    public var metrics: JournalConsumerMetrics { held }

    /// Has `listener` called on the loop after each commit that applied something.
    public func whenCommitted(_ listener: @escaping () -> Void) { listeners.append(listener) }

    /// Follows until `stop`; nothing that fails ends it.
    ///
    /// Run once, by `loop.actor.spawn`.
    public func run() async {
        started = true
        while !stopping {
            do {
                if databaseIsAway {
                    try await inbox.database.ping()
                    databaseIsAway = false
                }
                try await inbox.notes.giveBackAll()
                if connection.isConnected {
                    try await fetchAndApply()
                } else {
                    fetcher.forget()
                    if wanted.isEmpty { _ = await bell.wait(nanoseconds: 500_000_000) }
                }
                try await lookForGaps()
                try await fillGaps()
            } catch {
                guard !stopping else { break }
                fetcher.forget()
                report(.consumerFailed(durable: name, cause: "\(error)"))
                _ = await bell.wait(nanoseconds: 250_000_000)
            }
        }
        try? await inbox.notes.giveBackAll()
        fetcher.stop()
        ended.resume(returning: ())
    }

    /// Ends `run` after the transaction under way, and waits for that.
    public func stop() async {
        stopping = true
        fetcher.interrupt()
        bell.ring()
        if started { try? await ended.value() }
    }

    /// Fetches what there is, applies it, and leaves others a moment to gather.
    private func fetchAndApply() async throws {
        let count = configuration.messagesMax
        let messages = try await fetcher.fetch(
            count,
            waitMilliseconds: wanted.isEmpty ? configuration.fetchMilliseconds : 10
        )
        guard !messages.isEmpty else { return }
        try await take(messages)
        guard messages.count < count, wanted.isEmpty, !stopping else { return }
        _ = await bell.wait(nanoseconds: configuration.gatherMilliseconds * 1_000_000)
    }

    // MARK: One batch

    /// Applies what was fetched, what came seldom first and together, and tells the broker.
    private func take(_ messages: [IncomingMessage]) async throws {
        let common = messages.filter { $0.deliveries <= configuration.deliveriesMax }
        let suspects = messages.filter { $0.deliveries > configuration.deliveriesMax }
        var open = messages
        var isDone = await attempt { try await self.applyTogether(common, &open) }
        for message in suspects where isDone && !stopping {
            isDone = await attempt { try await self.applySuspect(message, &open) }
        }
        guard !open.isEmpty else { return }
        // To another replica at once, or to whoever has a database again.
        let pause: Int64 = databaseIsAway ? 2_000 : 0
        try await fetcher.settle(open.map { ($0, .again(afterMilliseconds: pause)) })
    }

    /// Works something off; answers false where the database is away for long, or an end is wanted.
    private func attempt(_ work: () async throws -> Void) async -> Bool {
        for attempt in 0..<5 {
            do {
                try await work()
                return true
            } catch {
                guard !stopping else { return false }
                report(.consumerFailed(durable: name, cause: "\(error)"))
                _ = await bell.wait(nanoseconds: 100_000_000 << UInt64(attempt))
            }
        }
        databaseIsAway = true
        return false
    }

    private func applyTogether(
        _ messages: [IncomingMessage],
        _ open: inout [IncomingMessage]
    ) async throws {
        var read: [(message: IncomingMessage, batch: PostingBatch)] = []
        for message in messages where open.contains(where: { $0 === message }) {
            if let batch = PostingBatch(message) {
                read.append((message, batch))
            } else {
                try await bury(message, &open)
            }
        }
        guard !read.isEmpty else { return }
        let outcome = try await inbox.apply(read.map(\.batch))
        await count(outcome)
        try await settle(read, outcome, &open)
    }

    /// What comes again may be what ended a process: its reading and its applying are noted.
    private func applySuspect(
        _ message: IncomingMessage,
        _ open: inout [IncomingMessage]
    ) async throws {
        let reading = Reading(message, by: name)
        guard try await inbox.notes.begin(reading) <= configuration.beginningsMax else {
            return try await bury(message, &open)
        }
        let read = PostingBatch(message)
        try await inbox.notes.end(reading)
        guard let read else { return try await bury(message, &open) }
        let batch = read.without(try await inbox.window())
        let others = open
        var kept = monotonicNanoseconds()
        let outcome = try await inbox.applyNoted(
            batch,
            as: Reading(name: "\(name) whole", sequence: reading.sequence)
        ) {
            guard monotonicNanoseconds() - kept > 1_000_000_000 else { return }
            guard !self.stopping else { throw CancellationError() }
            kept = monotonicNanoseconds()
            try await self.fetcher.settle([], keeping: others)
        }
        await count(outcome)
        try await settle([(message, batch)], outcome, &open)
    }

    /// Tells the broker of those whose every place is settled, and has the others come again.
    private func settle(
        _ done: [(message: IncomingMessage, batch: PostingBatch)],
        _ outcome: JournalOutcome,
        _ open: inout [IncomingMessage]
    ) async throws {
        let failed = Set(outcome.failed.map(\.row.source.place))
        let told = done.map { message, batch in
            let own = failed.isEmpty ? [] : failed.intersection(batch.rows.map(\.source.place))
            return (
                message: message,
                settlement: own.isEmpty
                    ? IncomingMessage.Settlement.acknowledged
                    : .again(afterMilliseconds: inbox.pauseMilliseconds(of: own))
            )
        }
        open.removeAll { message in done.contains { $0.message === message } }
        try await fetcher.settle(told, keeping: open)
    }

    private func bury(_ message: IncomingMessage, _ open: inout [IncomingMessage]) async throws {
        try await inbox.notes.buryUnreadable([message.body], of: message, by: name)
        held.buried += 1
        report(
            .eventBuried(
                durable: name,
                type: "unreadable",
                sequence: Int64(clamping: message.streamSequence),
                cause: "no envelope of ours"
            )
        )
        open.removeAll { $0 === message }
        try await fetcher.settle([(message, .terminated)])
    }

    // MARK: Numbers

    /// Adds an outcome to the numbers, and tells of what could not be applied, under its own trace.
    func count(_ outcome: JournalOutcome) async {
        held.applied += UInt64(outcome.applied)
        held.failures += UInt64(outcome.failed.count)
        held.buried += UInt64(outcome.buried.count)
        held.lagMicroseconds = outcome.lagMicroseconds ?? held.lagMicroseconds
        let type = Postings.eventType
        for fault in outcome.failed {
            let place = fault.row.source.place
            await tell(
                .eventFailed(durable: name, type: type, sequence: place, cause: fault.cause),
                of: fault.row
            )
        }
        for fault in outcome.buried {
            let place = fault.row.source.place
            await tell(
                .eventBuried(durable: name, type: type, sequence: place, cause: fault.cause),
                of: fault.row
            )
        }
        guard outcome.applied > 0 else { return }
        for listener in listeners { listener() }
    }

    private func tell(_ event: MessagingEvent, of row: TransactionPosted) async {
        let context = RequestContext(
            deadline: .max,
            requestID: "event",
            traceparent: row.source.traceParent
        )
        await RequestContext.with(context) { report(event) }
    }
}

extension PostingBatch {
    /// What a message says; nil where it is none of ours.
    init?(_ message: IncomingMessage) {
        guard let event = try? IncomingEvent(message.body),
            event.envelope.type == Postings.eventType,
            let postings = try? event.envelope.body(as: Postings.self)
        else { return nil }
        guard let batch = try? PostingBatch(postings) else { return nil }
        self = batch
    }
}
