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
        let settings = Executable.settings(
            of: .gateway,
            GatewayVariables.all,
            usage: "usage: ezwallet-gateway"
        )
        do {
            try GatewayRunner(settings).run()
        } catch {
            writeText("ezwallet-gateway: \(error)\n", to: 2)
            exit(78)
        }
    }
}

/// One run of the gateway: what its loops share, and the order in which things start and stop.
final class GatewayRunner: Sendable {
    private let executable: Executable
    private let tls: TLSContext?
    private let outside: HTTPServer
    private let inside: HTTPServer
    private let document: SuiteDescription
    private let limiter: SharedRateLimiter?

    private var settings: Settings { executable.settings }
    private var logger: Logger { executable.logger }
    private var metrics: Metrics { executable.metrics }
    private var readiness: ServiceReadiness { executable.readiness }

    init(_ settings: Settings) throws {
        executable = Executable(.gateway, settings: settings)
        let group = executable.group
        tls = try Self.tls(settings)
        limiter = SharedRateLimiter(
            perSecond: settings.integer(GatewayVariables.ratePerSecond),
            burst: settings.integer(GatewayVariables.rateBurst)
        )
        outside = HTTPServer(loops: group, limits: GatewayVariables.limits(settings), tls: tls)
        inside = HTTPServer(loops: group)
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
            let fault =
                certificate == nil
                ? "\(names.1) is set without \(names.0)"
                : "\(names.0) is set without \(names.1)"
            throw ConfigurationError(faults: [fault])
        }
        return try TLSContext(certificateFile: certificate, keyFile: key)
    }

    func run() -> Never {
        _ = SignalWatch(SIGHUP, on: executable.group.loops[0]) { [self] in reload() }
        executable.run(
            start: { [self] actor in try await start(actor) },
            drain: { [self] actor in
                let seconds = UInt64(settings.integer(CommonVariables.drainSeconds))
                let servers = [outside, inside]
                await Self.drain(servers, within: seconds * 1_000_000_000, on: actor.loop)
            }
        )
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
        try await executable.onEachLoop(actor) { [self] actor in try wire(actor) }
        try executable.listen(inside, GatewayVariables.internalListen, actor)
        try executable.listen(outside, GatewayVariables.listen, actor)
        readiness.needsOnlyListener()
        logger.info(
            "listening",
            [
                ("address", settings.text(GatewayVariables.listen)),
                ("tls", tls == nil ? "no" : "yes"),
            ]
        )
    }

    /// Makes one loop's replicas, tokens and handlers, and starts its watchers.
    private func wire(_ actor: isolated LoopActor) throws {
        let names = NameResolver(on: actor.loop)
        var services: [ServiceName: UpstreamService] = [:]
        for (name, variable) in GatewayVariables.upstreams {
            guard let text = settings.optional(variable) else { continue }
            let addresses = try text.split(separator: ",").map { part in
                guard let address = splitAddress(String(part)) else {
                    throw ConfigurationError(faults: ["\(variable.name): \(part)"])
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
            throw ConfigurationError(
                faults: ["\(CommonVariables.gatewayURL.name): http://host:port is needed"]
            )
        }
        let client = InternalClient(
            host: own.host,
            port: own.port,
            service: .gateway,
            secret: settings.secret(CommonVariables.serviceSecret),
            names: names
        )
        let revocations = Revocations()
        let keys = NetworkKeys(client: client, revocations: revocations, loop: actor.loop)
        let token = GatewayToken(client: client, revocations: revocations, keys: keys)
        let publicURL = settings.text(CommonVariables.publicURL)
        let identity = Identity(
            verifier: TokenVerifier(issuer: publicURL, keys: keys),
            revocations: revocations,
            publicOrigin: publicURL
        )
        // Where there is no auth (a part of the suite), nobody gives us one.
        let (readiness, what) = (readiness, "service token")
        let isWaited = services[.auth] != nil
        if isWaited { readiness.waits(for: what) }
        let bound = LoopBound(token, to: actor)
        actor.spawn { actor in
            await bound.on(actor).keepFresh(actor.loop) { if isWaited { readiness.has(what) } }
        }
        let security = SecurityLog(logger, metrics: metrics)
        let boundLog = LoopBound(security, to: actor)
        actor.spawn { actor in await boundLog.on(actor).run(on: actor.loop) }
        let parts = LoopParts(services: services, token: token, security: security)
        let clients = handler(.outside, Catalogue.public, parts)
        clients.identity = identity
        outside.attach(clients, on: actor)
        inside.attach(handler(.inside, Catalogue.all, parts), on: actor)
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

    /// What the handlers of one loop share.
    private struct LoopParts {
        let services: [ServiceName: UpstreamService]
        let token: GatewayToken
        let security: SecurityLog
    }

    private func handler(
        _ side: Side,
        _ endpoints: [EndpointDescription],
        _ parts: LoopParts
    ) -> ProxyHandler {
        ProxyHandler(
            side: side,
            table: RouteTable(endpoints + [OpenAPIDocument.endpoint.erased], to: parts.services),
            requestNanoseconds: UInt64(settings.integer(CommonVariables.requestSeconds))
                * 1_000_000_000,
            limiter: limiter,
            document: document,
            ownToken: parts.token,
            security: parts.security,
            publicURL: settings.text(CommonVariables.publicURL)
        )
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

/// The document that describes the API, which the gateway itself serves.
enum OpenAPIDocument {
    static let endpoint = Endpoint<NoQuery, NoBody, NoView>(
        "getOpenAPIDocument",
        .get,
        "/openapi.json",
        of: .gateway,
        for: .anyone,
        caching: .everybody(seconds: 300),
        summary: "This document"
    )
}
