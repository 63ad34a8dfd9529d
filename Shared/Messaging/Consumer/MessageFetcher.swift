internal import Loops

/// Fetches the messages of a durable and settles them, on a thread of its own.
///
/// A durable that is gone with its stream leaves no trace: a request that nobody answers ends as
/// one for which there is no message. So silence is asked about, and what is gone is made again.
///
/// On-loop only; the thread is where calls of the library block.
final class MessageFetcher {
    private let wanted: PullConfiguration
    private let stream: StreamConfiguration
    private let connection: NatsConnection
    private let bell: Doorbell
    private let thread = BlockingPool(threads: 1, queueMax: 4)
    private var subscription: PullSubscription?
    /// Whether the durable has been there for us before.
    private var hasSubscribed = false
    /// Waits in a row in which no message came.
    private var silentWaits = 0
    /// Called when the durable that was there is gone.
    var whenLost: () -> Void = {}

    /// After how many silent waits in a row the broker is asked whether the durable is there.
    private static let silentWaitsMax = 3

    init(
        _ wanted: PullConfiguration,
        stream: StreamConfiguration,
        connection: NatsConnection,
        bell: Doorbell
    ) {
        self.wanted = wanted
        self.stream = stream
        self.connection = connection
        self.bell = bell
    }

    /// From how long a wait on an early end of it tells of a late answer to another request.
    private static let patienceMilliseconds: Int64 = 100

    /// Up to so many messages or about so many events; none, where none comes in time.
    func fetch(
        _ count: Int,
        events eventsMax: Int = .max,
        waitMilliseconds wait: Int64
    ) async throws -> [IncomingMessage] {
        let current = try await subscribed()
        let started = monotonicNanoseconds()
        let messages = try await thread.run {
            try current.fetch(count, events: eventsMax, waitMilliseconds: wait)
        }
        if !messages.isEmpty { silentWaits = 0 }
        guard messages.isEmpty, wait >= Self.patienceMilliseconds else { return messages }
        try await askAboutSilence()
        let waited = (monotonicNanoseconds() - started) / 1_000_000
        // The broker's «no more» is on its way; what lies there is passed over next time.
        _ = await bell.wait(nanoseconds: 20_000_000)
        guard waited < UInt64(wait) / 2 else { return [] }
        // Ended before its time by a late answer to an earlier request: a new inbox gets none, and
        // what has come on the old one meanwhile is taken along.
        subscription = nil
        return try await thread.run { current.queued(count) }
    }

    private func subscribed() async throws -> PullSubscription {
        if let subscription { return subscription }
        let (connection, stream, wanted) = (connection, stream, wanted)
        let isAgain = hasSubscribed
        let (made, isLost) = try await thread.run {
            let administration = try JetStream(connection)
            let isLost = isAgain && !isThere(wanted, administration)
            _ = try administration.ensureStream(stream)
            return (try administration.pull(wanted), isLost)
        }
        if isLost { whenLost() }
        hasSubscribed = true
        silentWaits = 0
        subscription = made
        return made
    }

    /// Subscribes anew the next time, where the durable is gone.
    private func askAboutSilence() async throws {
        silentWaits += 1
        guard silentWaits >= Self.silentWaitsMax else { return }
        silentWaits = 0
        let (connection, wanted) = (connection, wanted)
        let isKept = try await thread.run { isThere(wanted, try JetStream(connection)) }
        if !isKept { subscription = nil }
    }

    /// Tells the broker what has become of messages, and of others that they are worked on.
    func settle(
        _ done: [(message: IncomingMessage, settlement: IncomingMessage.Settlement)],
        keeping others: [IncomingMessage] = []
    ) async throws {
        guard !done.isEmpty || !others.isEmpty else { return }
        try await thread.run {
            for (message, settlement) in done { message.settle(settlement) }
            for message in others { message.keep() }
        }
    }

    /// Subscribes anew the next time.
    func forget() { subscription = nil }

    /// Ends a fetch under way.
    func interrupt() { subscription?.stop() }

    /// Ends the thread.
    func stop() {
        subscription = nil
        thread.stop()
    }
}

/// Whether the broker has the durable; it has, where the broker does not say.
private func isThere(_ wanted: PullConfiguration, _ administration: JetStream) -> Bool {
    (try? administration.hasConsumer(wanted.durable, of: wanted.stream)) ?? true
}
