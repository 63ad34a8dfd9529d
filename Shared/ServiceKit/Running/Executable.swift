internal import Glibc
package import HTTP
package import Loops
internal import Synchronization
package import WalletProtocol

/// One run of an executable: its settings, its loops, its admin port, its signals and its end.
///
///     settings ─▶ loops ─▶ admin port ─▶ `start`: each loop's wiring, listeners ─▶ requests
///     SIGTERM: readiness off ─▶ a pause for whoever balances us ─▶ `drain` ─▶ the end
package final class Executable: Sendable {
    package let settings: Settings
    package let logger: Logger
    package let metrics = Metrics()
    package let readiness = ServiceReadiness()
    package let group: LoopGroup
    private let admin: HTTPServer
    private let isStopping = Atomic<Bool>(false)

    /// How long after readiness has gone a balancer may still send: it looks each half second.
    private static let pauseNanoseconds: UInt64 = 700_000_000

    /// Of settings that `CommonVariables` are among.
    package init(_ name: ServiceName, settings: Settings) {
        self.settings = settings
        logger = Logger(
            service: name.rawValue,
            replica: Self.replica(settings),
            level: LogLevel(rawValue: settings.text(CommonVariables.logLevel)) ?? .info
        )
        let wanted = settings.integer(CommonVariables.loops)
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        group = LoopGroup(count: wanted == 0 ? max(1, cores) : wanted)
        admin = HTTPServer(loops: LoopGroup(sharing: [group.loops[0]]))
    }

    /// The host and the port, which tell replicas of a service apart in the log.
    private static func replica(_ settings: Settings) -> String {
        var name = [CChar](repeating: 0, count: 256)
        // Safety: the array has one byte more than the length that the call gets.
        unsafe _ = gethostname(&name, name.count - 1)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let host = String(decoding: bytes, as: UTF8.self)
        guard let address = settings.address(CommonVariables.listen) else { return host }
        return "\(host):\(address.port)"
    }

    /// Prepares the process and reads its settings; ends it where help or the version is asked for,
    /// or a setting is wrong (78, EX_CONFIG).
    package static func settings(
        of name: ServiceName,
        _ variables: [Variable],
        usage: String
    ) -> Settings {
        ignoreBrokenPipes()
        raiseDescriptorLimit()
        returnLargeBlocksToSystem()
        let own = "ezwallet-\(name.rawValue)"
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") || arguments.contains("-h") {
            let table = helpTable(variables)
            writeText("\(usage)\n\nenvironment (name, default, meaning):\n\(table)\n", to: 1)
            exit(0)
        }
        if arguments.contains("--version") {
            writeText("\(own) \(Service.version)\n", to: 1)
            exit(0)
        }
        do {
            return try Settings(variables, environment: processEnvironment())
        } catch {
            writeText("\(own):\n\(error)\n", to: 2)
            exit(78)
        }
    }

    /// Runs until SIGTERM or SIGINT; both closures run on the first loop.
    package func run(
        start: @escaping @Sendable (isolated LoopActor) async throws -> Void,
        drain: @escaping @Sendable (isolated LoopActor) async -> Void
    ) -> Never {
        let first = group.loops[0]
        let stop: @Sendable () -> Void = { [self] in self.stop(drain) }
        _ = SignalWatch(SIGTERM, on: first) { stop() }
        _ = SignalWatch(SIGINT, on: first) { stop() }
        first.actor.spawn { [self] actor in
            do {
                admin.attach(AdminHandler(metrics: metrics, readiness: readiness), on: actor)
                try listen(admin, CommonVariables.adminListen, actor)
                try await start(actor)
                readiness.listens()
                actor.loop.schedule(afterNanoseconds: 1_000_000_000) { releaseStartPages() }
            } catch {
                logger.error("cannot start", [("cause", String(describing: error))])
                logger.flush()
                exit(1)
            }
        }
        group.run()
        logger.flush()
        exit(0)
    }

    /// Runs on one loop after the other, the first first.
    package func onEachLoop(
        _ actor: isolated LoopActor,
        _ body: @escaping @Sendable (isolated LoopActor) async throws -> Void
    ) async throws {
        for loop in group.loops {
            if loop === actor.loop {
                try await body(actor)
            } else {
                try await loop.actor.run { other in try await body(other) }
            }
        }
    }

    /// Has a server listen where a setting says.
    @discardableResult
    package func listen(
        _ server: HTTPServer,
        _ variable: Variable,
        _ actor: isolated LoopActor
    ) throws -> Int {
        guard let address = settings.address(variable) else {
            throw ConfigurationError(faults: ["\(variable.name): host:port is needed"])
        }
        return try server.listen(host: address.host, port: address.port, on: actor)
    }

    private func stop(_ drain: @escaping @Sendable (isolated LoopActor) async -> Void) {
        guard !isStopping.exchange(true, ordering: .relaxed) else { return }
        logger.info("draining")
        readiness.drains()
        group.loops[0].actor.spawn { [self] actor in
            try? await actor.loop.sleep(nanoseconds: Self.pauseNanoseconds)
            await drain(actor)
            logger.info("ended")
            group.stop()
        }
    }
}
