import HTTP
import Loops
import Names
import ServiceKit
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import GatewayService

/// The gateway's stack on one loop, in front of replicas on these ports.
final class ProxyRig {
    let loop: EventLoop
    let service: UpstreamService
    let port: Int
    /// A path that goes to the replicas, for GET and POST.
    let path: String
    /// What its POST takes in bytes.
    let bodyLimit: Int
    /// A path whose POST takes a megabyte and more.
    let largePath: String

    init(
        _ actor: isolated LoopActor,
        replicas: [Int],
        side: Side = .outside,
        limits: ClientLimits = ClientLimits(),
        requestNanoseconds: UInt64 = 60_000_000_000,
        logger: Logger = Logger(service: "test", level: .error)
    ) throws {
        loop = actor.loop
        service = UpstreamService(
            name: .ledger,
            loop: loop,
            metrics: Metrics(),
            limits: limits
        )
        service.use(replicas.map { ("127.0.0.1", $0) })
        let posts = Catalogue.public.filter {
            $0.service == .ledger && $0.method == .post && !$0.path.text.contains("{")
        }
        let endpoint = try #require(
            posts.first { post in
                post.bodyLimit == 65_536
                    && Catalogue.public.contains { $0.path == post.path && $0.method == .get }
            }
        )
        path = endpoint.path.text
        bodyLimit = endpoint.bodyLimit
        largePath = try #require(posts.first { $0.bodyLimit >= 1 << 20 }).path.text
        let token = GatewayToken(
            client: InternalClient(
                host: "127.0.0.1",
                port: 1,
                service: .gateway,
                secret: "",
                loop: loop
            )
        )
        let handler = ProxyHandler(
            side: side,
            table: RouteTable(Catalogue.all, to: [.ledger: service]),
            requestNanoseconds: requestNanoseconds,
            limiter: nil,
            document: SuiteDescription { [] },
            ownToken: token,
            security: SecurityLog(logger, metrics: Metrics()),
            publicURL: "https://wallet.example"
        )
        let server = HTTPServer(loops: LoopGroup(sharing: [loop]))
        server.attach(handler, on: actor)
        port = try server.listen(host: "127.0.0.1", port: 0, on: actor)
    }
}

/// What a test sees of the rig from its own thread.
struct ProxyUnderTest: Sendable {
    let rig: LoopBound<ProxyRig>
    let actor: LoopActor
    let port: Int
    let path: String
    let bodyLimit: Int
    let largePath: String

    /// Looks at the rig on its loop.
    func look<Value: Sendable>(_ body: @Sendable (ProxyRig) -> Value) async -> Value {
        await actor.run { actor in body(rig.on(actor)) }
    }

    /// Waits until the rig is so.
    func waits(
        _ location: SourceLocation = #_sourceLocation,
        until condition: @Sendable (ProxyRig) -> Bool
    ) async throws {
        for _ in 0..<3_000 {
            if await look(condition) { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        Issue.record("it never came", sourceLocation: location)
    }

    /// Sends a head, and answers the peer.
    func open(
        _ method: String,
        _ other: String? = nil,
        query: String = "",
        fields: String = ""
    ) -> RawPeer {
        let peer = RawPeer(port: port)
        peer.send("\(method) \(other ?? path)\(query) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return peer
    }

    /// One request without a body on a connection of its own; the whole answer.
    func ask(_ method: String, query: String = "", fields: String = "") -> String {
        let length = method == "GET" ? "" : "Content-Length: 0\r\n"
        return open(method, query: query, fields: length + fields + "Connection: close\r\n")
            .readAll()
    }

    /// How many breakers are not closed.
    func breakersOpen() async -> Int {
        await look { rig in
            rig.service.balancer.endpoints.filter { $0.breaker.state != .closed }.count
        }
    }
}

/// Runs a test against the gateway's stack in front of these servers.
func withProxy(
    _ replicas: [RawServer],
    side: Side = .outside,
    limits: ClientLimits = ClientLimits(),
    requestNanoseconds: UInt64 = 60_000_000_000,
    _ body: (ProxyUnderTest) async throws -> Void
) async throws {
    let group = LoopGroup(count: 1)
    group.startAll()
    defer {
        group.stop()
        for replica in replicas { replica.stop() }
    }
    let actor = group.loops[0].actor
    let ports = replicas.map(\.port)
    let under = try await actor.run { actor in
        let rig = try ProxyRig(
            actor,
            replicas: ports,
            side: side,
            limits: limits,
            requestNanoseconds: requestNanoseconds
        )
        return ProxyUnderTest(
            rig: LoopBound(rig, to: actor),
            actor: actor,
            port: rig.port,
            path: rig.path,
            bodyLimit: rig.bodyLimit,
            largePath: rig.largePath
        )
    }
    try await body(under)
}

/// A replica that reads whole heads and answers each with this.
func answering(_ text: String) -> RawServer {
    RawServer { descriptor, _ in
        while RawServer.readHead(descriptor) { RawServer.write(text, to: descriptor) }
    }
}

/// A replica that answers well.
func good() -> RawServer { answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
