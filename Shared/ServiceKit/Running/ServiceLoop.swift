package import HTTP
public import Loops
public import Messaging
public import Names
public import Postgres
public import WalletProtocol

/// What one loop of a service holds: made on the loop, used there alone.
public final class ServiceLoop {
    /// The service.
    public let name: ServiceName
    /// The settings.
    public let settings: Settings
    /// The loop.
    public let loop: EventLoop
    /// Makes addresses of names.
    public let names: NameResolver
    /// Its connections.
    public let database: Database
    /// Calls of other services.
    public let internalClient: InternalClient
    /// The log.
    public let logger: Logger
    /// The metrics.
    public let metrics: Metrics
    /// Log-ins and refusals.
    public let security: SecurityLog
    /// Where handlers are added.
    public let router: Router
    /// What has been revoked.
    public let revocations: Revocations
    /// Whose profile has changed.
    public let people: PeopleVersions
    /// Threads for what blocks or burns CPU, shared by the loops.
    public let blocking: BlockingPool
    /// The connection to the broker, shared by the loops.
    public let nats: NatsConnection
    /// Whether this is loop 0, which carries relay, consumers and other workers.
    public var isFirst: Bool { loop.index == 0 }
    /// Where keys of tokens come from; auth sets its own.
    public var keySource: (any KeySource)?
    /// How revocations are loaded; auth sets its own.
    public var loadRevocations: ((_ after: Int?) async throws -> RevocationList)?
    /// Wakes the relay after a commit that wrote to the outbox.
    public let relayBell: RelayBell
    package private(set) var workers: [(name: String, run: () async -> Void)] = []
    private(set) var consumers: [EventConsumer] = []
    private(set) var journalConsumers: [JournalConsumer] = []
    /// The journal whose postings the relay tells of, where the service has one.
    public var journal: JournalSource?

    package init(
        name: ServiceName,
        settings: Settings,
        names: NameResolver,
        database: Database,
        internalClient: InternalClient,
        logger: Logger,
        metrics: Metrics,
        revocations: Revocations,
        people: PeopleVersions,
        blocking: BlockingPool,
        nats: NatsConnection,
        relayBell: RelayBell
    ) {
        self.name = name
        self.settings = settings
        self.names = names
        loop = names.loop
        self.database = database
        self.internalClient = internalClient
        self.logger = logger
        self.metrics = metrics
        self.revocations = revocations
        self.people = people
        self.blocking = blocking
        self.nats = nats
        self.relayBell = relayBell
        router = Router(metrics: metrics)
        security = SecurityLog(logger, metrics: metrics)
        let (loop, security) = (loop, security)
        addWorker("security log") { await security.run(on: loop) }
    }

    /// The stack around this loop's routes, once they have been added.
    package func handler(_ readiness: ServiceReadiness) -> any HTTPHandler {
        let publicURL = settings.text(CommonVariables.publicURL)
        let keys = keySource ?? keysOfNetwork()
        if let replay = InternalEvents.replays[name] {
            router.add(ReplayEvents(database: database, service: name), as: replay.erased)
        }
        if let journal, let replay = InternalEvents.journals[name] {
            router.add(ReplayJournal(journal: journal, database: database), as: replay.erased)
        }
        return ServiceHandler(
            router: router,
            identity: Identity(
                verifier: TokenVerifier(issuer: publicURL, keys: keys),
                revocations: revocations,
                publicOrigin: publicURL
            ),
            security: security,
            logger: logger,
            metrics: metrics,
            readiness: readiness,
            requestNanoseconds: UInt64(settings.integer(CommonVariables.requestSeconds))
                * 1_000_000_000
        )
    }

    private func keysOfNetwork() -> any KeySource {
        let keys = NetworkKeys(client: internalClient, revocations: revocations, loop: loop)
        addPeriodicWorker("keys", everyMilliseconds: 1_000) { await keys.keepFresh() }
        return keys
    }

    /// Runs `work` as a task of the loop from start to drain; it ends when it is cancelled.
    public func addWorker(_ name: String, _ work: @escaping () async -> Void) {
        workers.append((name, work))
    }

    /// Connections of one's own for what reads the whole of it: no statement is too long, and
    /// whoever asks for it closes it.
    public func longDatabase() -> Database {
        Database(
            configuration: database.configuration.withoutDeadlines,
            loop: loop,
            resolve: names.resolveDatabase
        )
    }

    /// Repeats `work` every so often, and sooner where `bell` tells of work; what it throws is
    /// logged and it goes on.
    public func addPeriodicWorker(
        _ name: String,
        everyMilliseconds milliseconds: UInt64,
        wokenBy bell: WorkBell? = nil,
        _ work: @escaping () async throws -> Void
    ) {
        let (logger, bell) = (logger, bell ?? WorkBell(on: loop))
        addWorker(name) {
            while !Task.isCancelled {
                do { try await work() } catch {
                    if Task.isCancelled { return }
                    logger.warning(
                        "worker failed",
                        [("worker", name), ("cause", String(describing: error))]
                    )
                }
                await bell.sleep(nanoseconds: milliseconds * 1_000_000)
            }
        }
    }

    func add(_ consumer: EventConsumer) { consumers.append(consumer) }
    func add(_ consumer: JournalConsumer) { journalConsumers.append(consumer) }
}
