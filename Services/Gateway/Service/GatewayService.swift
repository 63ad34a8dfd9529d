import Glibc
import HTTP
import Loops
import Names
import ServiceKit
import Synchronization
import WalletProtocol

/// Runs the gateway: TLS, limits, routes and balancing in front of the services.
public enum Gateway {
    /// Runs what the command line asks for; does not return.
    public static func main() -> Never {
        ignoreBrokenPipes()
        raiseDescriptorLimit()
        returnLargeBlocksToSystem()
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") || arguments.contains("-h") {
            writeText(
                "usage: ezwallet-gateway\n\nenvironment (name, default, meaning):\n"
                    + helpTable(GatewayVariables.all) + "\n",
                to: 1
            )
            exit(0)
        }
        if arguments.contains("--version") {
            writeText("ezwallet-gateway \(Service.version)\n", to: 1)
            exit(0)
        }
        do {
            let settings = try Settings(
                GatewayVariables.all,
                environment: processEnvironment()
            )
            try GatewayRunner(settings).run()
        } catch {
            writeText("ezwallet-gateway: \(error)\n", to: 2)
            exit(78)
        }
    }
}

/// One run of the gateway: what its loops share, and the order in which things start and stop.
final class GatewayRunner: Sendable {
    private let settings: Settings
    private let logger: Logger
    private let metrics = Metrics()
    private let readiness = ServiceReadiness()
    private let group: LoopGroup
    private let tls: TLSContext?
    private let outside: HTTPServer
    private let inside: HTTPServer
    private let admin: HTTPServer
    private let document: SuiteDescription
    private let limiter: SharedRateLimiter?
    private let isStopping = Atomic<Bool>(false)

    init(_ settings: Settings) throws {
        self.settings = settings
        logger = Logger(
            service: "gateway",
            level: LogLevel(rawValue: settings.text(CommonVariables.logLevel)) ?? .info
        )
        let wanted = settings.integer(CommonVariables.loops)
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        group = LoopGroup(count: wanted == 0 ? max(1, cores) : wanted)
        tls = try Self.tls(settings)
        limiter = SharedRateLimiter(
            perSecond: settings.integer(GatewayVariables.ratePerSecond),
            burst: settings.integer(GatewayVariables.rateBurst)
        )
        outside = HTTPServer(loops: group, limits: GatewayVariables.limits(settings), tls: tls)
        inside = HTTPServer(loops: group)
        admin = HTTPServer(loops: LoopGroup(sharing: [group.loops[0]]))
        // A service without replicas here is not part of this suite, nor of its document.
        let served = Catalogue.public.filter { endpoint in
            GatewayVariables.upstreams[endpoint.service].map { settings.optional($0) != nil }
                ?? true
        }
        document = SuiteDescription(of: served)
    }

    /// The certificate and key of the settings; nil where neither is set.
    ///
    /// One without the other is a mistake, never a reason to serve plain text.
    private static func tls(_ settings: Settings) throws -> TLSContext? {
        let certificate = settings.optional(GatewayVariables.certificate)
        let key = settings.optional(GatewayVariables.key)
        if certificate == nil, key == nil { return nil }
        guard let certificate, let key else {
            let names = (GatewayVariables.certificate.name, GatewayVariables.key.name)
            throw ConfigurationFault(
                description: certificate == nil
                    ? "\(names.1) is set without \(names.0)"
                    : "\(names.0) is set without \(names.1)"
            )
        }
        return try TLSContext(certificateFile: certificate, keyFile: key)
    }

    func run() throws -> Never {
        let first = group.loops[0]
        _ = SignalWatch(SIGTERM, on: first) { [self] in stop() }
        _ = SignalWatch(SIGINT, on: first) { [self] in stop() }
        _ = SignalWatch(SIGHUP, on: first) { [self] in reload() }
        first.actor.spawn { [self] actor in
            do { try await start(actor) } catch {
                logger.error("cannot start", [("cause", String(describing: error))])
                logger.flush()
                exit(1)
            }
        }
        group.run()
        logger.flush()
        exit(0)
    }

    private func reload() {
        do {
            try tls?.reload()
            logger.info("certificate read again")
        } catch {
            logger.error("certificate kept", [("cause", String(describing: error))])
        }
    }

    private func start(_ actor: isolated LoopActor) async throws {
        admin.attach(AdminHandler(metrics: metrics, readiness: readiness), on: actor)
        try listen(admin, CommonVariables.adminListen, actor)
        for loop in group.loops {
            if loop === actor.loop {
                try wire(actor)
            } else {
                try await loop.actor.run { [self] other in try wire(other) }
            }
        }
        try listen(inside, GatewayVariables.internalListen, actor)
        try listen(outside, GatewayVariables.listen, actor)
        readiness.needsOnlyListener()
        readiness.listens()
        actor.loop.schedule(afterNanoseconds: 1_000_000_000) { letGoOfStart() }
        logger.info(
            "listening",
            [
                ("address", settings.text(GatewayVariables.listen)),
                ("tls", tls == nil ? "no" : "yes"),
            ]
        )
    }

    private func listen(
        _ server: HTTPServer,
        _ variable: Variable,
        _ actor: isolated LoopActor
    ) throws {
        guard let address = settings.address(variable) else {
            throw ConfigurationFault(description: "\(variable.name): host:port is needed")
        }
        try server.listen(host: address.host, port: address.port, on: actor)
    }

    /// Makes one loop's replicas, tokens and handlers, and starts its watchers.
    private func wire(_ actor: isolated LoopActor) throws {
        let names = NameResolver(on: actor.loop)
        var services: [ServiceName: UpstreamService] = [:]
        for (name, variable) in GatewayVariables.upstreams {
            guard let text = settings.optional(variable) else { continue }
            let addresses = try text.split(separator: ",").map { part in
                guard let address = splitAddress(String(part)) else {
                    throw ConfigurationFault(description: "\(variable.name): \(part)")
                }
                return address
            }
            let service = UpstreamService(name: name, loop: actor.loop, metrics: metrics)
            services[name] = service
            follow(addresses, of: service, names, actor)
            let bound = LoopBound(service, to: actor)
            actor.spawn { actor in await bound.on(actor).watch(actor.loop) }
        }
        let gateway = withoutScheme(settings.text(CommonVariables.gatewayURL))
        guard let own = splitAddress(gateway) else {
            throw ConfigurationFault(
                description: "\(CommonVariables.gatewayURL.name): http://host:port is needed"
            )
        }
        let token = GatewayToken(
            client: InternalClient(
                host: own.host,
                port: own.port,
                service: .gateway,
                secret: settings.secret(CommonVariables.serviceSecret),
                names: names
            )
        )
        // Where there is no auth (a part of the suite), nobody gives us one.
        let (readiness, what) = (readiness, "service token")
        let isWaited = services[.auth] != nil
        if isWaited { readiness.waits(for: what) }
        let bound = LoopBound(token, to: actor)
        actor.spawn { actor in
            await bound.on(actor).keepFresh(actor.loop) { if isWaited { readiness.has(what) } }
        }
        outside.attach(handler(.outside, Catalogue.public, services, token), on: actor)
        inside.attach(handler(.inside, Catalogue.all, services, token), on: actor)
    }

    /// Has a service's replicas be what its names stand for; until those are known we are not
    /// ready.
    private func follow(
        _ addresses: [(host: String, port: Int)],
        of service: UpstreamService,
        _ names: NameResolver,
        _ actor: isolated LoopActor
    ) {
        let (logger, readiness, name) = (logger, readiness, service.name.rawValue)
        let replicas = ReplicaNames(addresses, of: service, names: names) { event, detail in
            guard names.loop.index == 0 else { return }
            logger.info(event, [("service", name), ("detail", detail)])
        }
        guard replicas.haveNames else { return }
        let what = "addresses of \(name)"
        readiness.waits(for: what)
        let bound = LoopBound(replicas, to: actor)
        actor.spawn { actor in await bound.on(actor).follow { readiness.has(what) } }
    }

    private func handler(
        _ side: Side,
        _ endpoints: [EndpointDescription],
        _ services: [ServiceName: UpstreamService],
        _ token: GatewayToken
    ) -> ProxyHandler {
        ProxyHandler(
            side: side,
            table: RouteTable(endpoints + [OpenAPIDocument.endpoint.erased], to: services),
            requestNanoseconds: UInt64(settings.integer(CommonVariables.requestSeconds))
                * 1_000_000_000,
            limiter: limiter,
            document: document,
            ownToken: token
        )
    }

    /// Readiness off, a pause for whoever balances us, no new connections, requests under way.
    private func stop() {
        guard !isStopping.exchange(true, ordering: .relaxed) else { return }
        readiness.drains()
        logger.info("draining")
        group.loops[0].actor.spawn { [self] actor in
            try? await actor.loop.sleep(nanoseconds: 500_000_000)
            let patience = UInt64(settings.integer(CommonVariables.drainSeconds)) * 1_000_000_000
            await Self.drain([outside, inside], within: patience, on: actor.loop)
            logger.info("ended")
            group.stop()
        }
    }
}

extension GatewayRunner {
    /// Drains one server after the other: what clients have asked is answered by services that call
    /// each other through the next one.
    static func drain(
        _ servers: [HTTPServer],
        within nanoseconds: UInt64,
        on loop: EventLoop
    ) async {
        // Cannot wrap: 300 s at most, by the variable's range.
        let end = monotonicNanoseconds() &+ nanoseconds
        for server in servers {
            let now = monotonicNanoseconds()
            await server.drain(within: end > now ? end - now : 0, on: loop)
        }
    }
}

/// A setting that is not what it should be.
struct ConfigurationFault: Error, CustomStringConvertible {
    let description: String
}

/// The document that describes the API, which the gateway itself serves.
enum OpenAPIDocument {
    static let endpoint = Endpoint<NoQuery, NoBody, NoView>(
        "getOpenAPIDocument",
        .get,
        "/openapi.json",
        of: .gateway,
        for: .anyone,
        summary: "This document"
    )
}
