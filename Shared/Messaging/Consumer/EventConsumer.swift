internal import Loops
public import Postgres
internal import WalletProtocol

/// Listens to one subject filter through a durable consumer that all replicas share.
///
/// One thread waits in the library's fetch and settles; everything else is on the loop:
/// ```
/// fetch (thread) → a transaction for each 512 (loop) → settle (thread) → a moment → fetch …
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
    let bell: Doorbell
    private let ended: Wait<Void>
    /// The one thread that waits for messages.
    let fetcher: MessageFetcher
    private var started = false
    private(set) var stopping = false
    /// The last batch failed for want of the database: nothing is fetched until it answers.
    var databaseIsAway = false
    private var tickDue: UInt64 = 0
    private var gapsDue: UInt64 = 0
    var held = ConsumerMetrics()

    private var listeners: [() -> Void] = []

    /// Has `listener` called on the loop after each commit that applied something: it rings the own
    /// relay's bell, wakes streams to clients.
    public func whenCommitted(_ listener: @escaping () -> Void) { listeners.append(listener) }

    func committed() {
        for listener in listeners { listener() }
    }

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
            beginningsMax: configuration.beginningsMax,
            handlerMillisecondsMax: configuration.handlerMillisecondsMax,
            handler: handler
        )
        loop = database.loop
        let bell = Doorbell(on: database.loop)
        self.bell = bell
        ended = Wait(on: database.loop)
        fetcher = MessageFetcher(
            PullConfiguration(
                stream: configuration.stream.name,
                durable: configuration.durable,
                filter: configuration.filter,
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
                try await inbox.giveBackAll()
                if connection.isConnected {
                    try await fetchAndApply()
                } else {
                    fetcher.forget()
                    _ = await bell.wait(nanoseconds: 500_000_000)
                }
                try await tick()
            } catch {
                guard !stopping else { break }
                fetcher.forget()
                report(.consumerFailed(durable: configuration.durable, cause: "\(error)"))
                _ = await bell.wait(nanoseconds: 250_000_000)
            }
        }
        try? await inbox.giveBackAll()
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

    // MARK: One batch

    /// Fetches what there is, applies it, and leaves others a moment to gather.
    private func fetchAndApply() async throws {
        let (count, eventsMax) = (configuration.messagesMax, configuration.eventsMax)
        let messages = try await fetcher.fetch(
            count,
            events: eventsMax,
            waitMilliseconds: configuration.fetchMilliseconds
        )
        guard !messages.isEmpty else { return }
        try await take(messages)
        let events = messages.reduce(0) { $0 + $1.lineCount }
        guard messages.count < count, events < eventsMax, !stopping else { return }
        let wait = configuration.gatherMilliseconds(after: events)
        _ = await bell.wait(nanoseconds: wait * 1_000_000)
    }

    /// Applies events together.
    func apply(_ events: [IncomingEvent]) async throws {
        guard !events.isEmpty else { return }
        let outcome = try await inbox.apply(events)
        if outcome.applied > 0, let last = events.last {
            held.lagMicroseconds = last.envelope.time.microseconds(to: .now())
        }
        await count(outcome)
    }

    // MARK: What waits

    /// Tries again what failed, and asks for what is missing, each in its time.
    private func tick() async throws {
        let now = monotonicNanoseconds()
        guard now >= tickDue, !stopping else { return }
        tickDue = now + configuration.tickMilliseconds * 1_000_000
        try await applyRetries()
        guard now >= gapsDue else { return }
        gapsDue = now + UInt64(configuration.gapSeconds) * 1_000_000_000 / 6
        for key in try await inbox.gaps(
            of: configuration.producer,
            olderThanSeconds: configuration.gapSeconds
        ) {
            guard !stopping else { return }
            try await closeGap(key)
        }
    }

    private func closeGap(_ key: AggregateKey) async throws {
        guard let missing = try await inbox.missing(key) else {
            return try await applyWhatWaits(of: [key])
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
        let events = try await inbox.read(answer.events, of: key, from: missing)
        // Sequences begin at 1, so that there is a number before each; not behind each.
        var last = missing - 1
        for case let event? in events {
            let sequence = event.envelope.sequence
            if sequence - 1 > last { try await pass(over: key, to: sequence - 1) }
            try await applyAlone(event)
            last = max(last, sequence)
        }
        // What nobody can read is passed over, and where the producer has nothing, all of it.
        let unread = Int64(events.reversed().prefix { $0 == nil }.count)
        // Wraps: where it ends before the last there is nothing behind that.
        let end = events.isEmpty ? answer.lastSequence : last &+ unread
        if end > last { try await pass(over: key, to: end) }
        try await applyWhatWaits(of: [key])
    }

    /// Goes on behind what is lost; its dead letter says so.
    private func pass(over key: AggregateKey, to end: Int64) async throws {
        await count(try await inbox.apply([], also: [key], only: [], gone: [key: end]))
    }
}
