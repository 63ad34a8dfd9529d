internal import Loops
public import Postgres
internal import WalletProtocol

/// Listens to one subject filter through a durable consumer that all replicas share.
///
/// One thread waits in the library's fetch and settles; everything else is on the loop:
/// ```
/// fetch (thread) → one transaction for the batch (loop) → settle (thread) → a moment → fetch …
/// ```
/// A replica killed between commit and settling gets the batch delivered to another, whose
/// sequences drop it. On-loop only.
public final class EventConsumer {
    /// Asks a producer for events that did not come: calls its `InternalEvents.replays`.
    public typealias Replay = (ReplayRequest) async throws -> ReplayAnswer

    let configuration: ConsumerConfiguration
    let inbox: Inbox
    private let connection: NatsConnection
    private let replay: Replay
    let report: (MessagingEvent) -> Void
    private let loop: EventLoop
    private let bell: Doorbell
    private let ended: Wait<Void>
    /// The one thread that waits for messages.
    private let fetcher = BlockingPool(threads: 1, queueMax: 4)
    private var subscription: PullSubscription?
    private var started = false
    private var stopping = false
    /// The last batch failed for want of the database: nothing is fetched until it answers.
    private var databaseIsAway = false
    private var tickDue: UInt64 = 0
    private var gapsDue: UInt64 = 0
    private var held = ConsumerMetrics()

    /// Called on the loop after each commit that applied something: rings the own relay's bell,
    /// wakes streams to clients.
    public var committed: () -> Void = {}

    /// A consumer on the database's loop, which does nothing before `run`.
    public init(
        _ configuration: ConsumerConfiguration,
        database: Database,
        connection: NatsConnection,
        handler: EventHandler,
        replay: @escaping Replay,
        report: @escaping (MessagingEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.connection = connection
        self.replay = replay
        self.report = report
        inbox = Inbox(
            database: database,
            attemptsMax: configuration.attemptsMax,
            handlerMillisecondsMax: configuration.handlerMillisecondsMax,
            handler: handler
        )
        loop = database.loop
        bell = Doorbell(on: database.loop)
        ended = Wait(on: database.loop)
        connection.onChange { [bell] in bell.ring() }
    }

    /// Its numbers.
    public var metrics: ConsumerMetrics { held }

    /// Listens until `stop`; nothing that fails ends it.
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
                if connection.isConnected {
                    try await fetchAndApply()
                } else {
                    subscription = nil
                    _ = await bell.wait(nanoseconds: 500_000_000)
                }
                try await tick()
            } catch {
                guard !stopping else { break }
                subscription = nil
                report(.consumerFailed(durable: configuration.durable, cause: "\(error)"))
                _ = await bell.wait(nanoseconds: 250_000_000)
            }
        }
        subscription = nil
        fetcher.stop()
        ended.resume(returning: ())
    }

    /// Ends `run` after the batch under way, and waits for that.
    public func stop() async {
        stopping = true
        subscription?.stop()
        bell.ring()
        if started { try? await ended.value() }
    }

    // MARK: One batch

    /// Fetches what there is, applies it, and leaves others a moment to gather.

    private func fetchAndApply() async throws {
        let current = try await subscribed()
        let (count, wait) = (configuration.messagesMax, configuration.fetchMilliseconds)
        let started = monotonicNanoseconds()
        let messages = try await fetcher.run {
            try current.fetch(count, waitMilliseconds: wait)
        }
        guard !messages.isEmpty else {
            // Ended before its time by a late answer to an earlier request: a new inbox gets none.
            let waited = (monotonicNanoseconds() - started) / 1_000_000
            if waited < UInt64(wait) / 2 { subscription = nil }
            // The broker's «no more» is on its way; what lies there is passed over next time.
            _ = await bell.wait(nanoseconds: 20_000_000)
            return
        }
        let settlements = await take(messages)
        try await fetcher.run {
            for (message, settlement) in zip(messages, settlements) { message.settle(settlement) }
        }
        guard messages.count < count, !stopping else { return }
        _ = await bell.wait(nanoseconds: configuration.gatherMilliseconds * 1_000_000)
    }

    private func subscribed() async throws -> PullSubscription {
        if let subscription { return subscription }
        let (connection, configuration) = (connection, configuration)
        let made = try await fetcher.run {
            let administration = try JetStream(connection)
            _ = try administration.ensureStream(configuration.stream)
            return try administration.pull(
                PullConfiguration(
                    stream: configuration.stream.name,
                    durable: configuration.durable,
                    filter: configuration.filter,
                    acknowledgeSecondsMax: configuration.acknowledgeSeconds,
                    pendingMax: configuration.pendingMax
                )
            )
        }
        subscription = made
        return made
    }

    /// Applies the batch and answers what the broker is to be told of each message.
    private func take(_ messages: [IncomingMessage]) async -> [IncomingMessage.Settlement] {
        let lines = messages.map { IncomingLines($0) }
        for attempt in 0..<5 {
            do {
                for message in lines where !message.unreadable.isEmpty {
                    try await buryUnreadable(message)
                }
                let (suspects, others) = lines.reduce(into: ([IncomingEvent](), [IncomingEvent]()))
                { parts, message in
                    if message.message.deliveries > configuration.deliveriesMax {
                        parts.0 += message.events
                    } else {
                        parts.1 += message.events
                    }
                }
                for start in stride(from: 0, to: others.count, by: configuration.batchMax) {
                    let end = min(start + configuration.batchMax, others.count)
                    try await apply(Array(others[start..<end]))
                }
                for event in suspects { try await applySuspect(event) }
                return lines.map { $0.events.isEmpty ? .terminated : .acknowledged }
            } catch {
                report(.consumerFailed(durable: configuration.durable, cause: "\(error)"))
                guard !stopping else { break }
                _ = await bell.wait(nanoseconds: 100_000_000 << UInt64(attempt))
            }
        }
        databaseIsAway = true
        return messages.map { _ in .again(afterMilliseconds: 2_000) }
    }

    /// What came several times may be what kills us: its try is counted before it is had.
    private func applySuspect(_ event: IncomingEvent) async throws {
        let isCounted = try await inbox.countInAdvance(event)
        try await apply([event], counted: isCounted ? [event.key] : [])
    }

    private func buryUnreadable(_ lines: IncomingLines) async throws {
        let message = lines.message
        for line in lines.unreadable {
            try await inbox.buryUnreadable(line, of: message)
            held.buried += 1
            report(
                .eventBuried(
                    durable: configuration.durable,
                    type: "unreadable",
                    sequence: Int64(clamping: message.streamSequence),
                    cause: "no envelope of ours"
                )
            )
        }
    }

    private func apply(
        _ events: [IncomingEvent],
        also: [AggregateKey] = [],
        counted: Set<EventKey> = [],
        gone: [AggregateKey: Int64] = [:]
    ) async throws {
        guard !events.isEmpty || !also.isEmpty else { return }
        let outcome = try await inbox.apply(events, also: also, counted: counted, gone: gone)
        held.applied += UInt64(outcome.applied)
        held.duplicates += UInt64(outcome.duplicates)
        held.parked += UInt64(outcome.parked)
        held.failures += UInt64(outcome.failed.count)
        held.buried += UInt64(outcome.buried.count)
        for (key, cause) in outcome.failed {
            report(
                .eventFailed(
                    durable: configuration.durable,
                    type: key.producer,
                    sequence: key.sequence,
                    cause: cause
                )
            )
        }
        for (key, cause) in outcome.buried {
            report(
                .eventBuried(
                    durable: configuration.durable,
                    type: key.producer,
                    sequence: key.sequence,
                    cause: cause
                )
            )
        }
        guard outcome.applied > 0 else { return }
        if let last = events.last {
            held.lagMicroseconds = last.envelope.time.microseconds(to: .now())
        }
        committed()
    }

    // MARK: What waits

    /// Tries again what failed, and asks for what is missing, each in its time.
    private func tick() async throws {
        let now = monotonicNanoseconds()
        guard now >= tickDue, !stopping else { return }
        tickDue = now + configuration.tickMilliseconds * 1_000_000
        let due = try await inbox.claimRetries()
        for key in due {
            let aggregate = AggregateKey(producer: key.producer, aggregate: key.aggregate)
            try await apply([], also: [aggregate], counted: [key])
        }
        guard now >= gapsDue else { return }
        gapsDue = now + UInt64(configuration.gapSeconds) * 1_000_000_000 / 6
        for key in try await inbox.gaps(olderThanSeconds: configuration.gapSeconds) {
            guard !stopping else { return }
            try await closeGap(key)
        }
    }

    private func closeGap(_ key: AggregateKey) async throws {
        guard let missing = try await inbox.missing(key) else {
            return try await apply([], also: [key])
        }
        guard let producer = ServiceName(rawValue: key.producer) else { return }
        held.replays += 1
        report(.gapAsked(durable: configuration.durable, fromSequence: missing))
        let request = ReplayRequest(
            producer: producer,
            aggregate: key.aggregate,
            fromSequence: missing
        )
        let answer: ReplayAnswer
        do {
            answer = try await replay(request)
        } catch {
            // The producer is away; the gap is asked for again after another while.
            report(.consumerFailed(durable: configuration.durable, cause: "replay: \(error)"))
            return
        }
        let events = try answer.events.map { try IncomingEvent(Array($0.utf8)) }
        var gone: [AggregateKey: Int64] = [:]
        let next = events.first?.envelope.sequence ?? answer.lastSequence + 1
        if next > missing { gone[key] = next - 1 }
        try await apply(events, also: [key], gone: gone)
    }
}
