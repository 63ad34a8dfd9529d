import Glibc
import HTTP
import Loops
import Synchronization
import TestKit
import Testing

@testable import GatewayService

/// How the proxy looks after its replicas, and how it ends.
@Suite(.serialized) struct CheckTests {
    // MARK: Checks

    @Test func aBusyReplicaIsCheckedOnAConnectionOfItsOwn() async throws {
        let checks = Atomic<Int>(0)
        let busy = RawServer { descriptor, _ in
            var line = ""
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) == 1 {
                line.append(Character(UnicodeScalar(byte)))
                guard line.hasSuffix("\r\n\r\n") else { continue }
                guard line.contains("/internal/ready") else { continue }
                checks.add(1, ordering: .relaxed)
                RawServer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: descriptor)
                line = ""
            }
        }
        var limits = ClientLimits()
        limits.connectionsMax = 1
        try await withProxy([busy], limits: limits) { proxy in
            let held = proxy.open("GET")
            try await proxy.waits { $0.service.balancer.outstanding == 1 }
            let watching = proxy.actor.spawn { actor in
                await proxy.rig.on(actor).service.watch(actor.loop)
            }
            try await proxy.waits { _ in checks.load(ordering: .relaxed) >= 3 }
            #expect(await proxy.look { $0.service.balancer.endpoints[0].isHealthy })
            held.close()
            watching.cancel()
            await watching.value
        }
    }

    @Test func frozenReplicasHoldUpNobodysCheck() async throws {
        let checks = Mutex<[ContinuousClock.Instant]>([])
        let sound = RawServer { descriptor, _ in
            while RawServer.readHead(descriptor) {
                checks.withLock { $0.append(.now) }
                RawServer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: descriptor)
            }
        }
        let frozen = (0..<3).map { _ in
            RawServer { descriptor, _ in while RawServer.readHead(descriptor) {} }
        }
        try await withProxy(frozen + [sound]) { proxy in
            let watching = proxy.actor.spawn { actor in
                await proxy.rig.on(actor).service.watch(actor.loop)
            }
            try await proxy.waits { _ in checks.withLock { $0.count } >= 8 }
            let begun = checks.withLock { $0 }
            let shortest = zip(begun, begun.dropFirst()).map { $1 - $0 }.min() ?? .zero
            // One after another three deadlines and the pause are two seconds each time; side by
            // side it is the pause. A busy machine lengthens some, and shortens none.
            #expect(shortest < .milliseconds(1_500))
            try await proxy.waits { rig in
                rig.service.balancer.endpoints.map(\.isHealthy) == [false, false, false, true]
            }
            watching.cancel()
            await watching.value
        }
    }

    @Test func noAnswerCountsAfterThreeChecksAndNotReadyAtOnce() async throws {
        let answers = Atomic<Int>(0)
        let replica = RawServer { descriptor, number in
            guard number >= 3 else { return }
            while RawServer.readHead(descriptor) {
                let isReady = answers.add(1, ordering: .relaxed).newValue == 1
                RawServer.write(
                    "HTTP/1.1 \(isReady ? 200 : 503) X\r\nContent-Length: 0\r\n\r\n",
                    to: descriptor
                )
            }
        }
        try await withProxy([replica]) { proxy in
            let found = await proxy.actor.run { actor in
                let rig = proxy.rig.on(actor)
                let check = ReadinessCheck(of: rig.service.upstreams[0], actor.loop)
                var found: [Bool?] = []
                for _ in 0..<5 { found.append(await check.ask()) }
                return found
            }
            #expect(found == [nil, nil, false, true, false])
        }
    }

    // MARK: The end

    @Test func theEndWaitsForCallsBetweenServices() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let actor = group.loops[0].actor
        let holds = [Hold(), Hold()]
        let servers = [HTTPServer(loops: group), HTTPServer(loops: group)]
        let ports = try await actor.run { actor in
            var ports: [Int] = []
            for (server, hold) in zip(servers, holds) {
                server.attach(Holding(hold), on: actor)
                ports.append(try server.listen(host: "127.0.0.1", port: 0, on: actor))
            }
            return ports
        }
        let outside = RawPeer(port: ports[0])
        outside.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await holds[0].comes()
        let isOver = Atomic<Bool>(false)
        let drain = actor.spawn { actor in
            await GatewayRunner.drain(servers, within: 60_000_000_000, on: actor.loop)
            isOver.store(true, ordering: .releasing)
        }
        try await Task.sleep(nanoseconds: 100_000_000)
        // Whoever answers the client may still have to ask another service.
        let inside = RawPeer(port: ports[1])
        inside.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await holds[1].comes()
        holds[0].isHeld.store(false, ordering: .releasing)
        #expect(outside.read().hasPrefix("HTTP/1.1 200 "))
        outside.close()
        while servers[0].connectionCount > 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        try await Task.sleep(nanoseconds: 100_000_000)
        let isOverBefore = isOver.load(ordering: .acquiring)
        #expect(!isOverBefore)
        holds[1].isHeld.store(false, ordering: .releasing)
        #expect(inside.read().hasPrefix("HTTP/1.1 200 "))
        await drain.value
    }
}

private final class Hold: Sendable {
    let isHeld = Atomic<Bool>(true)
    let hasCome = Atomic<Bool>(false)

    func comes() async throws {
        while !hasCome.load(ordering: .acquiring) { try await Task.sleep(nanoseconds: 1_000_000) }
    }
}

/// Answers once it is let.
private final class Holding: HTTPHandler {
    private let hold: Hold
    init(_ hold: Hold) { self.hold = hold }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        hold.hasCome.store(true, ordering: .releasing)
        while hold.isHeld.load(ordering: .acquiring) {
            guard (try? await request.loop.sleep(nanoseconds: 1_000_000)) != nil else { break }
        }
        return HTTPResponse(status: 200)
    }

    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: 400)
    }
}
