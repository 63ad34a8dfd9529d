internal import Crypto
internal import Glibc
internal import HTTP
internal import Loops
internal import Messaging
internal import Names
internal import Postgres
internal import Synchronization
internal import WalletProtocol

/// One run of a service: what its loops share, and the order in which things start and stop.
final class ServiceRunner: Sendable {
    let definition: ServiceDefinition
    let executable: Executable
    let revocations = Revocations()
    let people = PeopleVersions()
    private let server: HTTPServer
    private let blocking: BlockingPool
    private let nats: NatsConnection
    private let bell = RelayBell()
    private let running = Mutex(Running())

    var settings: Settings { executable.settings }
    var logger: Logger { executable.logger }
    var metrics: Metrics { executable.metrics }
    private var readiness: ServiceReadiness { executable.readiness }

    private struct Running {
        var tasks: [Task<Void, Never>] = []
        var stops: [@Sendable () async -> Void] = []
    }

    init(_ definition: ServiceDefinition, settings: Settings) {
        self.definition = definition
        executable = Executable(definition.name, settings: settings)
        server = HTTPServer(loops: executable.group)
        // As many as there are loops: of replicas that share a machine each would else hash on all
        // cores, and push the other's 19 MiB out of the cache.
        blocking = BlockingPool(threads: executable.group.loops.count, queueMax: 64)
        let urls = settings.text(CommonVariables.natsURL).split(separator: ",").map(String.init)
        nats = NatsConnection(
            NatsConfiguration(urls: urls, name: "ezwallet-\(definition.name.rawValue)")
        )
    }

    // MARK: Serving

    func run() -> Never {
        executable.run(
            start: { [self] actor in try await start(actor) },
            drain: { [self] actor in await drain(actor) }
        )
    }

    private func start(_ actor: isolated LoopActor) async throws {
        nats.start()
        try await executable.onEachLoop(actor) { [self] actor in try await wire(actor) }
        let port = try executable.listen(server, CommonVariables.listen, actor)
        let loops = String(executable.group.loops.count)
        logger.info("listening", [("port", String(port)), ("loops", loops)])
    }

    /// Makes one loop's things, its routes and its workers.
    private func wire(_ actor: isolated LoopActor) async throws {
        let service = try makeLoop(actor)
        try await definition.wire(actor, service)
        server.attach(service.handler(readiness), on: actor)
        if service.isFirst { startShared(service, actor) }
        for worker in service.workers { start(worker.run, actor) }
        watchLoop(service, actor)
    }

    func makeLoop(_ actor: isolated LoopActor) throws(ConfigurationError) -> ServiceLoop {
        let gateway = settings.text(CommonVariables.gatewayURL)
        guard let (host, port) = splitAddress(withoutScheme(gateway)) else {
            throw ConfigurationError(
                faults: ["\(CommonVariables.gatewayURL.name): http://host:port is needed"])
        }
        let logger = self.logger
        let names = NameResolver(on: actor.loop)
        let database = Database(
            configuration: databaseConfiguration(owner: false),
            loop: actor.loop,
            resolve: names.resolveDatabase
        ) { logger.info("database", [("event", String(describing: $0))]) }
        return ServiceLoop(
            name: definition.name,
            settings: settings,
            names: names,
            database: database,
            internalClient: InternalClient(
                host: host,
                port: port,
                service: definition.name,
                secret: settings.secret(CommonVariables.serviceSecret),
                names: names
            ),
            logger: logger,
            metrics: metrics,
            revocations: revocations,
            people: people,
            blocking: blocking,
            nats: nats,
            relayBell: bell
        )
    }

    private func databaseConfiguration(owner: Bool) -> DatabaseConfiguration {
        let host = settings.text(CommonVariables.databaseHost)
        let port = UInt16(clamping: settings.integer(CommonVariables.databasePort))
        let user = owner ? CommonVariables.databaseOwnerUser : CommonVariables.databaseUser
        let password =
            owner ? CommonVariables.databaseOwnerPassword : CommonVariables.databasePassword
        let server: DatabaseConfiguration.Server
        if host.hasPrefix("/") {
            server = .unixSocket(folder: host, port: port)
        } else if NumericAddress(numeric: host) != nil {
            server = .address(host, port: port)
        } else {
            server = .name(host, port: port)
        }
        var configuration = DatabaseConfiguration(
            server: server,
            database: settings.text(CommonVariables.databaseName),
            user: settings.optional(user) ?? settings.text(CommonVariables.databaseUser),
            password: settings.optional(password)
        )
        configuration.applicationName = "ezwallet-\(definition.name.rawValue)"
        configuration.searchPath = ["\(definition.name.rawValue)", "pg_temp"].compactMap {
            Identifier($0)
        }
        configuration.sharedAvoidsBitmaps = definition.avoidsBitmaps
        configuration.split(
            connectionsMax: settings.integer(CommonVariables.databaseConnections),
            loops: owner ? 1 : executable.group.loops.count
        )
        return configuration
    }

    // MARK: Workers

    private func start(_ work: @escaping () async -> Void, _ actor: isolated LoopActor) {
        let bound = LoopBound(work, to: actor)
        let task = actor.spawn { actor in await bound.on(actor)() }
        running.withLock { $0.tasks.append(task) }
    }

    /// What one replica does once: relay, consumers, revocations, readiness.
    private func startShared(_ service: ServiceLoop, _ actor: isolated LoopActor) {
        let logger = self.logger
        let relay = OutboxRelay(
            RelayConfiguration(service: definition.name),
            journal: service.journal,
            database: service.database,
            connection: nats
        ) { logger.info("messaging", [("event", String(describing: $0))]) }
        bell.set(relay.bell)
        start({ await relay.run() }, actor)
        let boundRelay = LoopBound(relay, to: actor)
        for consumer in service.consumers {
            consumer.whenCommitted { relay.bell.ring() }
            start({ await consumer.run() }, actor)
            watchConsumer(consumer, actor)
            let bound = LoopBound(consumer, to: actor)
            running.withLock {
                $0.stops.append { await actor.run { actor in await bound.on(actor).stop() } }
            }
        }
        for consumer in service.journalConsumers {
            consumer.whenCommitted { relay.bell.ring() }
            start({ await consumer.run() }, actor)
            watchJournal(consumer, actor)
            let bound = LoopBound(consumer, to: actor)
            running.withLock {
                $0.stops.append { await actor.run { actor in await bound.on(actor).stop() } }
            }
        }
        running.withLock {
            $0.stops.append { await actor.run { actor in await boundRelay.on(actor).stop() } }
        }
        start({ [self] in await pollRevocations(service) }, actor)
        start({ [self] in await watchSchema(service) }, actor)
        watchRelay(relay, service, actor)
    }

    /// Asks each second what has been revoked, and four times a second while nobody answers.
    ///
    /// Readiness waits for the first whole answer.
    private func pollRevocations(_ service: ServiceLoop) async {
        let client = service.internalClient
        let load =
            service.loadRevocations ?? { after in
                let context = RequestContext(
                    // Cannot wrap: a second is added to the clock.
                    deadline: monotonicNanoseconds() &+ Revocations.askingNanosecondsMax,
                    requestID: "revocations",
                    traceparent: nil
                )
                return try await RequestContext.with(context) {
                    try await client.call(
                        InternalAuth.revocations,
                        query: RevocationQuery(after: after),
                        body: NoBody()
                    )
                }
            }
        var after: Int?
        while !Task.isCancelled {
            var pause: UInt64 = 1_000_000_000
            let began = monotonicNanoseconds()
            do {
                let list = try await load(after)
                people.add(list.people)
                revocations.add(list.items, isWhole: !list.hasMore)
                revocations.wasAsked(at: began)
                after = list.after
                if list.hasMore { continue }
                readiness.revocationsAreLoaded()
            } catch {
                pause = 250_000_000
                revocations.wasAsked(at: began)
                if !revocations.isLoaded {
                    logger.info(
                        "waiting for revocations",
                        [("cause", String(describing: error))]
                    )
                }
            }
            try? await service.loop.sleep(nanoseconds: pause)
        }
    }

    /// Ready is a replica whose database answers and has our schema.
    private func watchSchema(_ service: ServiceLoop) async {
        let migrations = self.migrations
        while !Task.isCancelled {
            let isThere = await migrations.areApplied(on: service.database)
            readiness.schema(isThere: isThere)
            if !isThere {
                logger.info("waiting for the database and its schema")
            }
            try? await service.loop.sleep(nanoseconds: isThere ? 2_000_000_000 : 250_000_000)
        }
    }

    // MARK: Commands

    private var migrations: Migrations {
        let user = settings.text(CommonVariables.databaseUser)
        return Migrations(
            files: definition.migrations,
            settings: [("ezwallet.service_role", user)] + definition.migrationSettings(settings),
            report: { writeText("\($0)\n", to: 1) }
        )
    }

    func migrate(_ actor: isolated LoopActor) async throws {
        let database = Database(
            configuration: databaseConfiguration(owner: true).withoutDeadlines,
            loop: actor.loop,
            resolve: NameResolver(on: actor.loop).resolveDatabase
        )
        do {
            try await connect(database)
            let done = try await migrations.run(on: database)
            for name in done { writeText("applied \(name)\n", to: 1) }
            if done.isEmpty { writeText("the schema is up to date\n", to: 1) }
        } catch {
            await database.endAborts()
            database.close()
            throw error
        }
        database.close()
    }

    /// Waits a minute for a server that is not there yet, or is too busy to let anybody in.
    private func connect(_ database: Database) async throws {
        let deadline = monotonicNanoseconds() + 60_000_000_000
        var told: String?
        while true {
            do {
                return try await database.lease { _ in }
            } catch DatabaseError.unavailable(.cannotConnect(let cause))
                where monotonicNanoseconds() < deadline
            {
                if told != cause { writeText("waiting for the database: \(cause)\n", to: 1) }
                told = cause
                try await database.loop.sleep(nanoseconds: 1_000_000_000)
            }
        }
    }

    /// Runs one thing on loop 0 and ends the process with its outcome.
    ///
    /// A signal cancels it: statements under way are ended at the server, whose transactions roll
    /// back. The status is then 128 and the signal's number, as a shell has it.
    func runOnce(
        _ work: @escaping @Sendable (isolated LoopActor, ServiceRunner) async throws -> Void
    ) -> Never {
        let outcome = Outcome()
        let group = executable.group
        let own = "ezwallet-\(definition.name.rawValue)"
        let task = group.loops[0].actor.spawn { [self] actor in
            do { try await work(actor, self) } catch {
                if Task.isCancelled {
                    writeText("\(own): ended by a signal before it was done\n", to: 2)
                } else {
                    writeText("\(own): \(error)\n", to: 2)
                    outcome.fail((error as? any CommandFailure)?.exitStatus ?? 1)
                }
            }
            group.stop()
        }
        for signal in [SIGTERM, SIGINT] {
            _ = SignalWatch(signal, on: group.loops[0]) {
                outcome.fail(128 + signal)
                task.cancel()
                // For work that does not listen; a server ends what nobody waits for.
                group.loops[0].schedule(afterNanoseconds: 10_000_000_000) { group.stop() }
            }
        }
        group.run()
        exit(outcome.status)
    }

    // MARK: The end

    private func drain(_ actor: isolated LoopActor) async {
        let loop = actor.loop
        // Cannot wrap: 300 s at most, by the variable's range.
        let patience = UInt64(settings.integer(CommonVariables.drainSeconds)) * 1_000_000_000
        await server.drain(within: patience, on: loop)
        // Workers, consumers and relay end within a bound; a killed one loses nothing either.
        let group = executable.group
        let force = loop.schedule(afterNanoseconds: 5_000_000_000) { group.stop() }
        let (tasks, stops) = running.withLock { ($0.tasks, $0.stops) }
        for stop in stops { await stop() }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        force.cancel()
        nats.close()
    }
}

/// What a one-off command exits with.
private final class Outcome: Sendable {
    private let kept = Atomic<Int32>(0)
    func fail(_ status: Int32) { kept.store(status, ordering: .relaxed) }
    var status: Int32 { kept.load(ordering: .relaxed) }
}

extension NameResolver {
    /// How a database's name is resolved before each connection.
    ///
    /// Afresh: a second old at most, so that many connections that fail ask once between them.
    func resolveDatabase(_ name: String, afresh: Bool) async throws -> [String] {
        // Cannot wrap: five seconds are added to the clock.
        let end = monotonicNanoseconds() &+ 5_000_000_000
        return try await addresses(
            of: name,
            secondsOldMax: afresh ? 1 : .max,
            deadline: end
        ).map(\.text)
    }
}
