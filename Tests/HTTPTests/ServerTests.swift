import Foundation
import HTTP
import Loops
import Synchronization
import TestKit
import Testing

@Suite(.serialized) struct ServerTests {
    @Test func oneConnectionServesManyRequests() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let connections = try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            for _ in 0..<200 {
                let exchange = try await upstream.send(
                    request(.get, "/hello", loop: actor.loop)
                )
                #expect(exchange.head.status == 200)
                #expect(try await exchange.body(max: 100) == Array("hello".utf8))
            }
            let count = upstream.connectionCount
            upstream.closeIdle()
            return count
        }
        #expect(connections == 1)
    }

    @Test func bodiesComeBackWholeHoweverTheyAreFramed() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            for size in [0, 1, 1_000, 16_384, 16_385, 300_000, 1 << 20] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                let whole = try await upstream.send(
                    request(.post, "/echo", body: .bytes(bytes), loop: actor.loop)
                )
                #expect(try await whole.body(max: 1 << 21) == bytes, "\(size)")
                var sent = 0
                let chunked = try await upstream.send(
                    request(
                        .post,
                        "/echo",
                        body: .stream(length: nil) {
                            guard sent < size else { return nil }
                            let end = min(size, sent + 7_000)
                            defer { sent = end }
                            return Array(bytes[sent..<end])
                        },
                        loop: actor.loop
                    )
                )
                #expect(try await chunked.body(max: 1 << 21) == bytes, "\(size) in chunks")
            }
            upstream.closeIdle()
        }
    }

    @Test func aStreamArrivesPieceByPiece() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let text = try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            let exchange = try await upstream.send(request(.get, "/stream", loop: actor.loop))
            var parts: [UInt8] = []
            while let part = try await exchange.nextBodyPart() { parts += part }
            upstream.closeIdle()
            return String(decoding: parts, as: UTF8.self)
        }
        #expect(text.hasSuffix("part 99;"))
        #expect(text.split(separator: ";").count == 100)
    }

    @Test func aRequestOverItsDeadlineIsCancelledAndAnswered() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let status = try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            let exchange = try await upstream.send(request(.get, "/slow", loop: actor.loop))
            return exchange.head.status
        }
        #expect(status == 504)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let answer = rig.raw(
            "GET /hello HTTP/1.1\r\nHost: h\r\n\r\nGET /none HTTP/1.1\r\nHost: h\r\n\r\n"
                + "HEAD /hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        )
        let statuses = answer.components(separatedBy: "HTTP/1.1 ").dropFirst().map {
            $0.prefix(3)
        }
        #expect(statuses == ["200", "404", "200"])
        #expect(answer.components(separatedBy: "hello").count == 2, "HEAD has no body")
    }

    @Test func aMalformedRequestIsAnsweredWith400AndTheConnectionClosed() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let answer = rig.raw(
            "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
                + "\r\n0\r\n\r\nGET /hello HTTP/1.1\r\nHost: h\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 400"))
        #expect(!answer.contains("200"))
    }

    @Test func anUnreadBodyIsReadOverAndTheConnectionKept() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let body = String(repeating: "x", count: 10_000)
        let answer = rig.raw(
            "POST /ignore-body HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n\(body)"
                + "GET /hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        )
        #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 3)
    }

    @Test func aBodyOverTheLimitIsRefusedBeforeItIsRead() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let answer = rig.raw(
            "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\nabc"
        )
        #expect(answer.hasPrefix("HTTP/1.1 413"))
    }

    /// The edge of a reset comes while bytes are still to be read, and no other comes after them.
    @Test func aSenderWhoGoesIsMissedThoughBytesAreLeft() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        func reaches(_ count: Int, _ number: () -> Int) -> Bool {
            let end = monotonicNanoseconds() + 20_000_000_000
            while number() < count, monotonicNanoseconds() < end { usleep(1_000) }
            return number() >= count
        }
        for number in 1...5 {
            let peer = RawPeer(port: rig.port)
            peer.send("POST /echo-late HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nab")
            #expect(reaches(number) { Echo.lateBegun.load(ordering: .acquiring) })
            peer.send(String(repeating: "x", count: 1_000 * number))
            peer.reset()
            #expect(reaches(number) { Echo.lateBroken.load(ordering: .acquiring) })
        }
    }

    @Test func aClientThatWaitsFor100GetsIt() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let answer = rig.raw(
            "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n"
                + "Connection: close\r\n\r\nabc"
        )
        // The body was there already, so 100 may be left out (RFC 9110, 10.1.1).
        #expect(answer.contains("HTTP/1.1 200"))
        #expect(answer.hasSuffix("abc"))
    }

    @Test func aSlowHeadIsEndedByTheServer() async throws {
        var limits = Rig.patient
        limits.headNanoseconds = 1_000_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let answer = rig.raw("GET /hello HTTP/1.1\r\nHo")
        #expect(answer.hasPrefix("HTTP/1.1 408"))
    }

    @Test func anIdleConnectionIsEndedByTheServer() async throws {
        var limits = Rig.patient
        limits.idleNanoseconds = 200_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        #expect(rig.raw("") == "")
    }

    @Test func anIdleConnectionGoesSoonWhereTheTableIsAlmostFull() async throws {
        var limits = Rig.patient
        limits.crowdedIdleNanoseconds = 200_000_000
        limits.connectionsMax = 1
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let answer = rig.raw("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
    }

    @Test func whatIsNotTakenYetIsCutByNeitherACrowdNorADrain() async throws {
        var limits = Rig.patient
        limits.crowdedIdleNanoseconds = 100_000_000
        limits.connectionsMax = 1
        (limits.partBytes, limits.outBytesMax) = (.max, .max)
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let peer = RawPeer(port: rig.port)
        peer.send("GET /whole HTTP/1.1\r\nHost: a\r\n\r\n")
        var taken = peer.read().utf8.count
        try await Task.sleep(nanoseconds: 2_500_000_000)
        rig.server.beginDrain()
        taken += peer.readAll().utf8.count
        #expect(taken > Echo.wholeBytes)
    }

    @Test func drainLetsRequestsEndAndConnectionsGo() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let text = try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            let exchange = try await upstream.send(request(.get, "/stream", loop: actor.loop))
            rig.server.beginDrain()
            var parts: [UInt8] = []
            while let part = try await exchange.nextBodyPart() { parts += part }
            try await actor.loop.sleep(nanoseconds: 100_000_000)
            upstream.closeIdle()
            return String(decoding: parts, as: UTF8.self)
        }
        #expect(text.hasSuffix("part 99;"))
        for _ in 0..<6_000 where rig.server.connectionCount > 0 {
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        #expect(rig.server.connectionCount == 0)
    }
}
