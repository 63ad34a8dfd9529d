internal import Loops
public import Postgres
internal import WalletProtocol

/// Brings the outbox's rows to the stream in the order of their ids, and where the service has one
/// the journal's postings in the order of their places; one leads per database.
///
/// Who leads holds an advisory lock on a leased connection, and does all its SQL there: with the
/// connection goes the lock, so a leader that lost it can neither read nor save any more. Two that
/// publish at once for a moment do no harm, for the broker and the consumers drop the second copy.
/// ```
///          lock had            batch acknowledged
/// waits ───────────▶ leads ──▶ (window moves, mark saved once a second) ─┐
///   ▲                  │ ▲──────────────────────────────────────────────┘
///   └──────────────────┘ broker gone for 10 s, connection lost, stream in doubt, stop
/// ```
/// Every term begins with the saved mark and a check of the stream, so that whatever ended the last
/// one leaves nothing to be carried over. On-loop only.
public final class OutboxRelay {
    let configuration: RelayConfiguration
    let journal: JournalSource?
    let database: Database
    let connection: NatsConnection
    /// The thread on which calls into nats.c block.
    let broker = BlockingPool(threads: 1, queueMax: 8)
    let report: (MessagingEvent) -> Void
    /// No pause is longer: what waits meanwhile is to be there within a second.
    private static let pauseNanosecondsMax: UInt64 = 500_000_000
    private let loop: EventLoop
    private let ended: Wait<Void>
    private var started = false
    private var stopping = false
    private var figuresDue: UInt64 = 0
    private var link: BrokerLink?
    var metricsHeld = RelayMetrics()

    /// Woken by `ring()`, from any thread, once a transaction with events has committed.
    public let bell: Doorbell

    /// A relay on the database's loop, which does nothing before `run`.
    public init(
        _ configuration: RelayConfiguration,
        journal: JournalSource? = nil,
        database: Database,
        connection: NatsConnection,
        report: @escaping (MessagingEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.journal = journal
        self.database = database
        self.connection = connection
        self.report = report
        loop = database.loop
        bell = Doorbell(on: database.loop)
        ended = Wait(on: database.loop)
        connection.onChange { [bell] in bell.ring() }
    }

    /// Its numbers.
    public var metrics: RelayMetrics { metricsHeld }

    /// Relays until `stop`; nothing that fails ends it.
    ///
    /// Run once, by `loop.actor.spawn`.
    public func run() async {
        started = true
        while !stopping {
            var cause: String?
            do {
                if connection.isConnected { try await lead() }
            } catch {
                cause = "\(error)"
            }
            if metricsHeld.leads || cause != nil {
                metricsHeld.leads = false
                report(.relayEnded(cause: cause ?? "stopped"))
            }
            guard !stopping else { break }
            try? await refreshFigures(database)
            _ = await bell.wait(nanoseconds: configuration.leadMilliseconds * 1_000_000)
        }
        broker.stop()
        ended.resume(returning: ())
    }

    /// Ends `run` after the batch under way, and waits for that.
    public func stop() async {
        stopping = true
        bell.ring()
        if started { try? await ended.value() }
    }

    /// The contexts of the library, made at their first use and kept through reconnects.
    func brokerLink() async throws -> BrokerLink {
        if let link { return link }
        let (connection, name, inFlight) = (
            connection, configuration.stream.name, configuration.batchMax
        )
        let made = try await broker.run {
            try BrokerLink(connection, name, inFlightMax: inFlight)
        }
        link = made
        return made
    }

    private func lead() async throws {
        try await database.lease { lease in
            guard try await lease.queryOne(OutboxStatements.lead) == true else { return }
            let term = try await RelayTerm(self, on: lease)
            metricsHeld.leads = true
            report(.relayLeads(mark: term.window.mark))
            try await relay(term, lease)
            try await term.save()
        }
    }

    private func relay(_ term: RelayTerm, _ lease: LeasedConnection) async throws {
        var gone: UInt64?
        while !stopping {
            guard connection.isConnected else {
                let since = gone ?? monotonicNanoseconds()
                gone = since
                let limit = configuration.giveUpMilliseconds * 1_000_000
                // Cannot wrap: the clock never goes back.
                if monotonicNanoseconds() &- since > limit { throw NatsError.disconnected }
                _ = await bell.wait(nanoseconds: configuration.idleMilliseconds * 1_000_000)
                continue
            }
            gone = nil
            try await term.checkIfDue()
            // Cannot fire: the step ends before this function does, which holds the relay.
            let count = try await term.step { [unowned self] in stopping }
            try await term.keepHouse()
            try await refreshFigures(lease)
            if count >= configuration.batchMax { continue }
            try await pause(after: count, term)
        }
    }

    /// A moment for others to commit, so that one look finds several rows.
    ///
    /// A large transaction that has not committed yet leaves its rows for each look to walk over:
    /// however many they are, looking takes a fifth of the time at most.
    private func pause(after count: Int, _ term: RelayTerm) async throws {
        let busy = configuration.busyMilliseconds * 1_000_000
        let walked = min(term.lookNanoseconds * 4, Self.pauseNanosecondsMax)
        // Whoever rings does not shorten that.
        let least = max(walked, count > 0 ? busy : 0)
        try await loop.sleep(nanoseconds: least)
        guard count == 0 else { return }
        let idle = configuration.idleMilliseconds * 1_000_000
        let most = term.hasHoles ? busy * 4 : idle
        if most > least { _ = await bell.wait(nanoseconds: most - least) }
    }

    private func refreshFigures(_ connection: some Querying) async throws {
        let now = monotonicNanoseconds()
        guard now >= figuresDue else { return }
        figuresDue = now + 10_000_000_000
        if let figures = try await connection.queryOne(OutboxStatements.figures) {
            metricsHeld.outbox = figures
        }
        guard let journal else { return }
        let mark = try await connection.queryOne(OutboxStatements.journalMark) ?? 0
        if let waiting = try await connection.queryOne(journal.waiting, mark) {
            metricsHeld.journal = JournalFigures(
                depth: waiting.entries,
                oldestAgeMilliseconds: waiting.milliseconds
            )
        }
    }
}
