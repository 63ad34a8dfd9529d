import Foundation
import HTTP
import Loops
import Synchronization
import TestKit
import Testing

/// What a server does over the life of its connections.
@Suite(.serialized) struct ConnectionTests {
    private func eventually(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<6_000 {
            if condition() { return true }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        return false
    }

    /// Has `/held` wait; answers how often it was asked for until now.
    private func holdAnswers() -> Int {
        Echo.holds.store(true, ordering: .releasing)
        return Echo.held.load(ordering: .acquiring)
    }

    @Test func aSilentEventStreamLastsAndEndsWithItsClient() async throws {
        var limits = Rig.patient
        limits.writeNanoseconds = 150_000_000
        limits.requestNanoseconds = 150_000_000
        limits.streamNanoseconds = 150_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let before = Echo.openStreams.load(ordering: .relaxed)
        let peer = RawPeer(port: rig.port)
        peer.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(peer.read(until: "data: 2").contains("data: 2"))
        #expect(Echo.openStreams.load(ordering: .relaxed) == before + 1)
        peer.close()
        #expect(try await eventually { Echo.openStreams.load(ordering: .relaxed) == before })
        #expect(try await eventually { rig.server.connectionCount == 0 })
    }

    /// Only a read tells a reset from bytes, and nobody reads beside a stream.
    @Test func anEventStreamEndsWithAReset() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let before = Echo.openStreams.load(ordering: .relaxed)
        for unread in ["", "what nobody asked for"] {
            let peer = RawPeer(port: rig.port)
            peer.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(peer.read(until: "data: 2").contains("data: 2"))
            peer.send(unread)
            peer.reset()
            #expect(try await eventually { rig.server.connectionCount == 0 }, "\(unread)")
            #expect(Echo.openStreams.load(ordering: .relaxed) == before)
        }
    }

    /// A reset mostly comes in one edge with the bytes before it; fifty tries, so that one does.
    @Test func aHeadCutOffByAResetLeavesNothing() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        for _ in 0..<50 {
            let peer = RawPeer(port: rig.port)
            #expect(try await eventually { rig.server.connectionCount > 0 })
            peer.send("GET /hello HTTP/1.1\r\nHo")
            peer.reset()
        }
        #expect(try await eventually { rig.server.connectionCount == 0 })
    }

    @Test func aDrainEndsEventStreamsProperly() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let peer = RawPeer(port: rig.port)
        peer.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = peer.read(until: "data: 2")
        rig.server.beginDrain()
        #expect(peer.readAll().hasSuffix("0\r\n\r\n"))
    }

    @Test func aDrainFinishesWhatIsUnderWayAndAcceptsWhatWaits() async throws {
        var limits = Rig.patient
        limits.lingerNanoseconds = 300_000_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let held = holdAnswers()
        let slow = RawPeer(port: rig.port)
        slow.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
        let silent = RawPeer(port: rig.port)
        let kept = RawPeer(port: rig.port)
        kept.send("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(kept.read().hasSuffix("hello"))
        #expect(try await eventually { Echo.held.load(ordering: .acquiring) > held })
        let server = rig.server
        let loop = rig.group.loops[2]
        let drained = loop.actor.spawn { actor in
            await server.drain(within: 300_000_000_000, on: actor.loop)
        }
        #expect(kept.readAll() == "")
        Echo.holds.store(false, ordering: .releasing)
        let answer = slow.readAll()
        #expect(answer.hasSuffix("late"))
        #expect(answer.lowercased().contains("connection: close"))
        silent.send("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(silent.readAll().hasSuffix("hello"), "its question was on its way")
        slow.close()
        silent.close()
        await drained.value
        #expect(rig.server.connectionCount == 0)
        let late = RawPeer(port: rig.port)
        late.send("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(late.readAll() == "")
    }

    @Test func aDrainHasAnEndThoughARequestHasNone() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let stuck = RawPeer(port: rig.port)
        stuck.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = stuck.read()
        let server = rig.server
        await rig.group.loops[2].actor.run { actor in
            await server.drain(within: 200_000_000, on: actor.loop)
        }
        #expect(try await eventually { server.connectionCount == 0 })
    }

    @Test func aServerMayGoBeforeItsLoop() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let server = HTTPServer(loops: LoopGroup(sharing: [actor.loop]))
            server.attach(Echo(), on: actor)
            let port = try server.listen(host: "127.0.0.1", port: 0, on: actor)
            let peer = RawPeer(port: port)
            while server.connectionCount == 0 {
                try await actor.loop.sleep(nanoseconds: 1_000_000)
            }
            peer.close()
            await server.drain(within: 60_000_000_000, on: actor.loop)
        }
        // Longer than until the next look at the connections, which nobody is there for.
        try await group.loops[0].actor.run { actor in
            try await actor.loop.sleep(nanoseconds: 300_000_000)
        }
    }

    @Test func aClientThatDoesNotReadIsDropped() async throws {
        var limits = Rig.patient
        limits.writeNanoseconds = 300_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let peer = RawPeer(port: rig.port)
        peer.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(peer.read().hasPrefix("HTTP/1.1 200"))
        #expect(try await eventually { rig.server.connectionCount == 0 })
        #expect(peer.readAll().utf8.count < 63 << 20)
    }

    @Test func anEarlierAnswerDoesNotWaitForALaterHandler() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let peer = RawPeer(port: rig.port)
        _ = holdAnswers()
        peer.send(
            "GET /hello HTTP/1.1\r\nHost: h\r\n\r\nGET /held HTTP/1.1\r\nHost: h\r\n"
                + "Connection: close\r\n\r\n"
        )
        #expect(peer.read(until: "hello").contains("hello"))
        Echo.holds.store(false, ordering: .releasing)
        #expect(peer.readAll().hasSuffix("late"))
    }

    @Test func theBodyIsAskedForOnlyWhenItIsWanted() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let wanted = RawPeer(port: rig.port)
        let expect = "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        wanted.send("POST /echo HTTP/1.1\r\nHost: h\r\n" + expect)
        #expect(wanted.read() == "HTTP/1.1 100 Continue\r\n\r\n")
        wanted.send("abc")
        #expect(wanted.read().hasSuffix("abc"))
        let unwanted = RawPeer(port: rig.port)
        unwanted.send("POST /ignore-body HTTP/1.1\r\nHost: h\r\n" + expect)
        let answer = unwanted.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test func theAnswerToALargeUploadReachesWhoIsStillSending() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let peer = RawPeer(port: rig.port)
        peer.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n")
        peer.send(String(repeating: "x", count: 60_000))
        #expect(peer.readAll().hasPrefix("HTTP/1.1 413"))
    }

    @Test func whoSendsAllOfALargeBodyFirstSeesItsRefusal() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        for bytes in [1_000_000, 5_242_962, 12_000_000] {
            let peer = RawPeer(port: rig.port)
            peer.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: \(9 * bytes)\r\n\r\n")
            peer.send(String(repeating: "x", count: bytes))
            #expect(peer.readAll().hasPrefix("HTTP/1.1 413"), "\(bytes)")
        }
    }

    @Test func whatIsReadOverAfterARefusalHasATimeAndABound() async throws {
        var limits = Rig.patient
        limits.lingerNanoseconds = 200_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let peer = RawPeer(port: rig.port)
        peer.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n")
        #expect(try await eventually { rig.server.connectionCount == 0 })
        peer.close()
        limits.lingerNanoseconds = 300_000_000_000
        limits.lingerBytesMax = 1 << 20
        let bounded = try await Rig.start(limits: limits)
        defer { bounded.group.stop() }
        let endless = RawPeer(port: bounded.port)
        endless.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n")
        endless.send(String(repeating: "x", count: 8 << 20))
        #expect(try await eventually { bounded.server.connectionCount == 0 })
    }

    @Test func aLargeAnswerArrivesWholeAndBeforeThoseOfLaterRequests() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        for bytes in [65_535, 65_536, 65_537, 900_000] {
            let text = String(repeating: "x", count: bytes)
            let head = "POST /echo HTTP/1.1\r\nHost: h\r\n"
            let answer = rig.raw(
                head + "Content-Length: \(bytes)\r\n\r\n\(text)"
                    + "GET /hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            )
            let answers = answer.components(separatedBy: "HTTP/1.1 200")
            #expect(answers.count == 3)
            #expect(answers[1].contains("content-length: \(bytes)\r\n"))
            #expect(answers[1].hasSuffix("\r\n\r\n" + text), "\(bytes)")
            #expect(answers[2].hasSuffix("hello"))
        }
    }

    @Test func requestsBehindAnAnswerThatIsNotTakenAreNotTaken() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let before = holdAnswers()
        let peer = RawPeer(port: rig.port)
        peer.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\nGET /held HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(peer.read().hasPrefix("HTTP/1.1 200"))
        try await Task.sleep(nanoseconds: 200_000_000)
        #expect(Echo.held.load(ordering: .acquiring) == before)
        Echo.holds.store(false, ordering: .releasing)
        peer.close()
    }

    @Test func whoHasAskedNothingGivesWayWhenAllConnectionsAreTaken() async throws {
        var limits = Rig.patient
        limits.connectionsMax = 3
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let hello = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"
        let kept = RawPeer(port: rig.port)
        kept.send(hello)
        #expect(kept.read().hasSuffix("hello"))
        let silent = [RawPeer(port: rig.port), RawPeer(port: rig.port)]
        #expect(try await eventually { rig.server.connectionCount == 3 })
        let honest = RawPeer(port: rig.port)
        honest.send(hello)
        #expect(honest.read().hasSuffix("hello"))
        #expect(silent[0].readAll() == "", "the older one")
        kept.send(hello)
        #expect(kept.read().hasSuffix("hello"))
        silent[1].send(hello)
        #expect(silent[1].read().hasSuffix("hello"))
    }

    @Test func anAddressHasNoMoreConnectionsThanItsBound() async throws {
        var limits = Rig.patient
        limits.connectionsPerAddressMax = 2
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let kept = [RawPeer(port: rig.port), RawPeer(port: rig.port)]
        #expect(try await eventually { rig.server.connectionCount == 2 })
        let hello = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(rig.raw(hello) == "")
        kept[0].close()
        #expect(try await eventually { rig.server.connectionCount == 1 })
        let late = RawPeer(port: rig.port)
        late.send(hello)
        #expect(late.read().hasSuffix("hello"))
    }

    @Test func aChunkedBodyOverTheLimitIsRefused() async throws {
        var limits = Rig.patient
        limits.bodyBytesMax = 1_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let fits = "3e8\r\n" + String(repeating: "x", count: 1_000) + "\r\n0\r\n\r\n"
        let peer = RawPeer(port: rig.port)
        peer.send(head + fits)
        #expect(peer.read(until: "xx").hasPrefix("HTTP/1.1 200"))
        #expect(rig.raw(head + "3e9\r\n").hasPrefix("HTTP/1.1 413"))
    }

    @Test func aSlowBodyIsEndedByTheServer() async throws {
        var limits = Rig.patient
        limits.bodyNanoseconds = 200_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let answer = rig.raw("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc")
        #expect(answer.hasPrefix("HTTP/1.1 400"))
    }

    @Test func requestsPerConnectionAndConnectionsAreBounded() async throws {
        var limits = Rig.patient
        limits.requestsMax = 2
        limits.connectionsMax = 2
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let hello = "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"
        let answers = rig.raw(hello + hello + hello)
        #expect(answers.components(separatedBy: "HTTP/1.1 200").count == 3)
        #expect(try await eventually { rig.server.connectionCount == 0 })
        let kept = [RawPeer(port: rig.port), RawPeer(port: rig.port)]
        for peer in kept {
            peer.send(hello)
            #expect(peer.read().hasSuffix("hello"))
        }
        #expect(rig.raw(hello) == "")
    }

    @Test func theOldVersionIsServedItsWay() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let once = rig.raw("GET /hello HTTP/1.0\r\n\r\n")
        #expect(once.hasSuffix("hello"))
        let peer = RawPeer(port: rig.port)
        peer.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(peer.read().lowercased().contains("connection: keep-alive"))
        peer.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let stream = peer.readAll()
        #expect(!stream.lowercased().contains("transfer-encoding"))
        #expect(stream.hasSuffix("part 99;"))
    }

    @Test func manyConnectionsAreSpreadOverTheLoops() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let peers = (0..<200).map { _ in RawPeer(port: rig.port) }
        for peer in peers { peer.send("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n") }
        for peer in peers { #expect(peer.read().hasSuffix("hello")) }
        #expect(rig.server.connectionCount == 200)
        for peer in peers { peer.close() }
        #expect(try await eventually { rig.server.connectionCount == 0 })
    }
}
