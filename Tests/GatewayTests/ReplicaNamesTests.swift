import Glibc
import HTTP
import Loops
import Names
import ServiceKit
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import GatewayService

@Suite struct ReplicaNamesTests {
    @Test func eachAddressOfANameIsAReplicaOfItsOwn() async throws {
        try await withRig { rig in
            rig.names.set("ledger.test", ["127.0.0.2", "127.0.0.3"], ttl: 1)
            _ = await rig.replicas.refresh()
            #expect(rig.replicas.areKnown)
            let answers = try await rig.answers(100)
            #expect(Set(answers.keys) == ["127.0.0.2", "127.0.0.3"])
        }
    }

    @Test func replicasComeAndGoWithoutARequestLost() async throws {
        try await withRig { rig in
            rig.names.set("ledger.test", ["127.0.0.2"], ttl: 1)
            let known = Atomic<Int>(0)
            let bound = LoopBound(rig, to: rig.loop.actor)
            let following = rig.loop.actor.spawn { actor in
                await bound.on(actor).replicas.follow { known.add(1, ordering: .relaxed) }
            }
            let watching = rig.loop.actor.spawn { actor in
                await bound.on(actor).service.watch(actor.loop)
            }
            while known.load(ordering: .relaxed) == 0 {
                try await rig.loop.sleep(nanoseconds: 1_000_000)
            }
            // Out and in, so that places are given away while requests are under way.
            let steps = [["127.0.0.2", "127.0.0.3"], ["127.0.0.3"], ["127.0.0.3", "127.0.0.2"]]
            for addresses in steps {
                rig.names.set("ledger.test", addresses, ttl: 1)
                let end = monotonicNanoseconds() + 30_000_000_000
                var seen: Set<String> = []
                while seen != Set(addresses), monotonicNanoseconds() < end {
                    seen = Set(try await rig.answers(40).keys)
                }
                #expect(seen == Set(addresses))
            }
            #expect(rig.service.upstreams.count <= 3)
            #expect(rig.service.balancer.outstanding == 0)
            #expect(known.load(ordering: .relaxed) == 1)
            following.cancel()
            watching.cancel()
            await following.value
            await watching.value
        }
    }

    @Test func aNameThatIsNotThereYetIsWaitedFor() async throws {
        try await withRig { rig in
            let seconds = await rig.replicas.refresh()
            #expect(seconds == 1)
            #expect(!rig.replicas.areKnown)
            #expect(rig.service.balancer.choose(now: rig.loop.now) == nil)
            let response = try await rig.send()
            #expect(response.status == 503)
            rig.names.set("ledger.test", ["127.0.0.3"], ttl: 1)
            while !rig.replicas.areKnown {
                _ = await rig.replicas.refresh()
                try await rig.loop.sleep(nanoseconds: 10_000_000)
            }
            let answers = try await rig.answers(5)
            #expect(answers == ["127.0.0.3": 5])
        }
    }

    @Test func aNameThatIsGoneKeepsItsReplicas() async throws {
        try await withRig { rig in
            rig.names.set("ledger.test", ["127.0.0.2"], ttl: 1)
            _ = await rig.replicas.refresh()
            rig.names.remove("ledger.test")
            try await rig.loop.sleep(nanoseconds: 1_100_000_000)
            let seconds = await rig.replicas.refresh()
            #expect(seconds == 1)
            let answers = try await rig.answers(5)
            #expect(answers == ["127.0.0.2": 5])
        }
    }
}

@Suite struct BalancerPlacesTests {
    private let now: UInt64 = 100_000_000_000

    @Test func aRetiredReplicaGetsNoMoreRequestsAndItsPlaceIsKeptForThoseUnderWay() {
        var balancer = Balancer(addresses: ["a", "b"], now: now, seed: 1)
        while balancer.endpoints[0].cost.outstanding == 0 {
            guard balancer.choose(now: now) != nil else { return }
        }
        balancer.retire(0)
        balancer.retire(0)
        for _ in 0..<50 { #expect(balancer.choose(now: now) == 1) }
        #expect(balancer.add("c", now: now) == 2, "place 0 has requests under way")
        let underWay = balancer.endpoints[0].cost.outstanding
        for _ in 0..<underWay { balancer.failed(0, now: now) }
        #expect(balancer.add("d", now: now) == 0)
        #expect(balancer.endpoints[0].address == "d")
        #expect(!balancer.endpoints[0].isHealthy, "it has to pass a check beside others")
    }

    @Test func withoutAnyReplicaNoneIsChosenAndTheFirstToComeIsAskedAtOnce() {
        var balancer = Balancer(addresses: [], now: now, seed: 1)
        #expect(balancer.choose(now: now) == nil)
        #expect(balancer.add("a", now: now) == 0)
        #expect(balancer.choose(now: now) == 0)
        #expect(balancer.choose(excluding: 0, now: now) == 0, "the only one is asked again")
        balancer.retire(0)
        #expect(balancer.choose(now: now) == nil)
    }
}

/// Tells its address, slowly.
private final class Telling: HTTPHandler {
    private let address: String
    init(_ address: String) { self.address = address }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if request.head.path.elementsEqual("/internal/ready".utf8) {
            return HTTPResponse(status: 200)
        }
        try? await request.loop.sleep(nanoseconds: 5_000_000)
        return HTTPResponse(status: 200, body: .bytes(Array(address.utf8)))
    }

    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: 400)
    }
}

/// Two services on one port of two addresses, and the gateway's stack that finds them by name.
private final class Rig {
    let loop: EventLoop
    let names: NameServer
    let service: UpstreamService
    let replicas: ReplicaNames
    private let client: Upstream
    private let target: [UInt8]

    init(_ actor: isolated LoopActor, _ server: NameServer, file: String) throws {
        loop = actor.loop
        names = server
        let group = LoopGroup(sharing: [actor.loop])
        let port = Int(try FreePort.pick())
        for address in ["127.0.0.2", "127.0.0.3"] {
            let replica = HTTPServer(loops: group)
            replica.attach(Telling(address), on: actor)
            try replica.listen(host: address, port: port, on: actor)
        }
        var configuration = ResolverConfiguration()
        configuration.serversFile = file
        configuration.serverPort = server.port
        let resolver = NameResolver(on: actor.loop, configuration: configuration)
        service = UpstreamService(name: .ledger, loop: actor.loop, metrics: Metrics())
        replicas = ReplicaNames([("ledger.test", port)], of: service, names: resolver)
        let endpoint = try #require(
            Catalogue.public.first {
                $0.service == .ledger && $0.method == .get && !$0.path.text.contains("{")
            }
        )
        target = Array(endpoint.path.text.utf8)
        let gateway = HTTPServer(loops: group)
        let token = GatewayToken(
            client: InternalClient(
                host: "127.0.0.1",
                port: 1,
                service: .gateway,
                secret: "",
                names: resolver
            )
        )
        let handler = ProxyHandler(
            side: .inside,
            table: RouteTable(Catalogue.all, to: [.ledger: service]),
            requestNanoseconds: 30_000_000_000,
            limiter: nil,
            document: SuiteDescription { [] },
            ownToken: token,
            security: SecurityLog(Logger(service: "test", level: .error), metrics: Metrics()),
            publicURL: "https://wallet.example"
        )
        gateway.attach(handler, on: actor)
        let listening = try gateway.listen(host: "127.0.0.1", port: 0, on: actor)
        client = Upstream(host: "127.0.0.1", port: listening, loop: actor.loop)
    }

    func send() async throws -> (status: Int, body: String) {
        let exchange = try await client.send(
            ClientRequest(
                method: .get,
                target: target[...],
                host: "gateway.test",
                deadline: monotonicNanoseconds() + 30_000_000_000
            )
        )
        let body = try await exchange.body(max: 65_536)
        return (exchange.head.status, String(decoding: body, as: UTF8.self))
    }

    /// Sends so many requests, ten at a time, and counts who answered; all must be answered.
    func answers(_ count: Int) async throws -> [String: Int] {
        let tally = Answers()
        tally.left = count
        let bound = LoopBound(self, to: loop.actor)
        let tasks = (0..<10).map { _ in
            loop.actor.spawn { actor in
                while tally.left > 0 {
                    tally.left -= 1
                    let answer = try? await bound.on(actor).send()
                    tally.counts[answer?.body ?? "none", default: 0] += 1
                    if answer?.status != 200 { Issue.record("\(answer as Any)") }
                }
            }
        }
        for task in tasks { await task.value }
        return tally.counts
    }
}

private final class Answers: @unchecked Sendable {
    var left = 0
    var counts: [String: Int] = [:]
}

private func withRig(_ body: @escaping @Sendable (Rig) async throws -> Void) async throws {
    let server = try NameServer()
    let file = try NameServer.serversFile([server.address])
    let group = LoopGroup(count: 1)
    group.startAll()
    defer {
        group.stop()
        server.stop()
        unlink(file)
    }
    try await group.loops[0].actor.run { actor in
        try await body(try Rig(actor, server, file: file))
    }
}
