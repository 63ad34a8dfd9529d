import Foundation
import HTTP
import Loops
import Synchronization
import TestKit
import Testing

@Suite(.serialized) struct ClientTests {
    /// Runs `body` on a loop of its own, with an upstream at the server.
    private func with<Value: Sendable>(
        _ server: RawServer,
        limits: ClientLimits = ClientLimits(),
        _ body: @escaping @Sendable (isolated LoopActor, Upstream) async throws -> Value
    ) async throws -> Value {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer {
            group.stop()
            server.stop()
        }
        var limits = limits
        // Two seconds are not always enough on a busy machine.
        limits.connectNanoseconds = 60_000_000_000
        let patient = limits
        return try await group.loops[0].actor.run { actor in
            let upstream = Upstream(
                host: "127.0.0.1",
                port: server.port,
                loop: actor.loop,
                limits: patient
            )
            defer { upstream.closeIdle() }
            return try await body(actor, upstream)
        }
    }

    private func answer(_ text: String, closes: Bool = true) -> RawServer {
        RawServer { descriptor, _ in
            guard RawServer.readHead(descriptor) else { return }
            RawServer.write(text, to: descriptor)
            if !closes { RawServer.waitForEnd(descriptor) }
        }
    }

    @Test func aBodyWithoutALengthEndsWithTheConnection() async throws {
        // The end comes with the last bytes: it makes no edge of its own.
        for _ in 0..<20 {
            let server = answer("HTTP/1.1 200 OK\r\n\r\nabc")
            let body = try await with(server) { actor, upstream in
                let exchange = try await upstream.send(
                    request(.get, "/", loop: actor.loop)
                )
                return try await exchange.body(max: 10)
            }
            #expect(body == Array("abc".utf8))
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Le", "",
    ])
    func aTruncatedAnswerIsAnError(text: String) async throws {
        try await with(answer(text)) { actor, upstream in
            await #expect(throws: HTTPClientError.closed(afterSending: true)) {
                let exchange = try await upstream.send(request(.post, "/", loop: actor.loop))
                _ = try await exchange.body(max: 100)
            }
            #expect(upstream.connectionCount == 0)
        }
    }

    /// A reset mostly comes in one edge with the bytes before it; fifty tries, so that one does.
    @Test func anAnswersHeadCutOffByAResetIsAnError() async throws {
        let server = RawServer { descriptor, _ in
            guard RawServer.readHead(descriptor) else { return }
            RawServer.write("HTTP/1.1 200 OK\r\nContent-Le", to: descriptor)
            RawServer.endByReset(descriptor)
        }
        try await with(server) { actor, upstream in
            for _ in 0..<50 {
                await #expect(throws: HTTPClientError.closed(afterSending: true)) {
                    _ = try await upstream.send(
                        request(.post, "/", loop: actor.loop, within: 10_000_000_000)
                    )
                }
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc",
        "HTTP/1.1 200 OK\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 O\u{0}K\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc",
        "HTTP/2 200\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 20 OK\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    ])
    func anUnsoundAnswerIsAnErrorAndItsConnectionIsNotUsedAgain(text: String) async throws {
        try await with(answer(text, closes: false)) { actor, upstream in
            do {
                let exchange = try await upstream.send(request(.get, "/", loop: actor.loop))
                _ = try await exchange.body(max: 100)
                Issue.record("taken: \(text)")
            } catch {
                guard case .framing = error as? HTTPClientError else {
                    Issue.record("\(error)")
                    return
                }
            }
            #expect(upstream.connectionCount == 0)
        }
    }

    @Test func interimAnswersAreSteppedOver() async throws {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLocation: x\r\n\r\n"
            + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
        try await with(answer(text)) { actor, upstream in
            let exchange = try await upstream.send(request(.get, "/", loop: actor.loop))
            #expect(exchange.head.status == 201)
            #expect(exchange.head.value(.location) == nil)
            #expect(try await exchange.body(max: 10) == Array("ok".utf8))
        }
    }

    @Test func answersThatHaveNoBodyLeaveTheConnectionInStep() async throws {
        let server = RawServer { descriptor, _ in
            let answers = [
                "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\n\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            ]
            for answer in answers {
                guard RawServer.readHead(descriptor) else { return }
                RawServer.write(answer, to: descriptor)
            }
            RawServer.waitForEnd(descriptor)
        }
        try await with(server) { actor, upstream in
            for (method, status, body) in [
                (HTTPMethod.head, 200, ""), (.get, 304, ""), (.get, 204, ""), (.get, 200, "ok"),
            ] {
                let exchange = try await upstream.send(request(method, "/", loop: actor.loop))
                #expect(exchange.head.status == status)
                #expect(try await exchange.body(max: 10) == Array(body.utf8))
            }
        }
        #expect(server.connections == 1)
    }

    @Test func bytesThatNobodyAskedForEndTheConnection() async throws {
        let server = answer(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n",
            closes: false
        )
        try await with(server) { actor, upstream in
            let exchange = try await upstream.send(request(.get, "/", loop: actor.loop))
            #expect(try await exchange.body(max: 10) == Array("ok".utf8))
            #expect(upstream.connectionCount == 0)
        }
    }

    /// Answers the first request of the first connection, and closes it upon the second.
    private func forgetful() -> RawServer {
        RawServer { descriptor, number in
            let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            guard RawServer.readHead(descriptor) else { return }
            RawServer.write(good, to: descriptor)
            guard RawServer.readHead(descriptor), number > 0 else { return }
            RawServer.write(good, to: descriptor)
        }
    }

    @Test(arguments: [(HTTPMethod.get, false), (.put, true), (.post, true)])
    func aKeptConnectionThatProvesClosedIsReplacedOnce(
        method: HTTPMethod,
        isRepeatable: Bool
    ) async throws {
        let server = forgetful()
        try await with(server) { actor, upstream in
            for _ in 0..<2 {
                var sent = request(method, "/", loop: actor.loop)
                sent.isRepeatable = isRepeatable
                let exchange = try await upstream.send(sent)
                #expect(try await exchange.body(max: 10) == Array("ok".utf8))
            }
        }
        #expect(server.connections == 2)
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch])
    func whatMayHaveBeenDoneIsNotDoneAgain(method: HTTPMethod) async throws {
        let server = forgetful()
        try await with(server) { actor, upstream in
            let first = try await upstream.send(request(method, "/", loop: actor.loop))
            _ = try await first.body(max: 10)
            await #expect(throws: HTTPClientError.closed(afterSending: true)) {
                _ = try await upstream.send(request(method, "/", loop: actor.loop))
            }
        }
        #expect(server.connections == 1)
    }

    @Test func anEarlyAnswerEndsTheUpload() async throws {
        let server = answer(
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n",
            closes: false
        )
        let sent = try await with(server) { actor, upstream in
            let loop = actor.loop
            let parts = Counter()
            let body = ClientRequest.Body.stream(length: nil) {
                try await loop.sleep(nanoseconds: 10_000_000)
                parts.value += 1
                return parts.value < 100_000 ? [UInt8](repeating: 1, count: 1_000) : nil
            }
            let exchange = try await upstream.send(request(.post, "/", body: body, loop: loop))
            #expect(exchange.head.status == 413)
            _ = try await exchange.body(max: 10)
            #expect(upstream.connectionCount == 0)
            return parts.value
        }
        #expect(sent < 100_000)
    }

    @Test func theDeadlineEndsTheWaitForAnAnswer() async throws {
        let server = RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) }
        try await with(server) { actor, upstream in
            let begun = monotonicNanoseconds()
            await #expect(throws: HTTPClientError.deadline(afterSending: true)) {
                _ = try await upstream.send(
                    request(.get, "/", loop: actor.loop, within: 100_000_000)
                )
            }
            #expect(monotonicNanoseconds() - begun < 30_000_000_000)
            #expect(upstream.connectionCount == 0)
        }
    }

    @Test func aCancelledTaskGivesItsRequestUp() async throws {
        let server = RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) }
        try await with(server) { actor, upstream in
            let begun = monotonicNanoseconds()
            let bound = LoopBound(upstream, to: actor)
            let task = actor.spawn { actor in
                await #expect(throws: HTTPClientError.self) {
                    _ = try await bound.on(actor).send(request(.get, "/", loop: actor.loop))
                }
            }
            try await actor.loop.sleep(nanoseconds: 50_000_000)
            task.cancel()
            await task.value
            #expect(monotonicNanoseconds() - begun < 30_000_000_000)
            #expect(upstream.connectionCount == 0)
        }
    }

    @Test func connectionsAndWaitersAreBounded() async throws {
        let server = RawServer { descriptor, _ in
            while RawServer.readHead(descriptor) {
                usleep(200_000)
                RawServer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", to: descriptor)
            }
        }
        var limits = ClientLimits()
        limits.connectionsMax = 1
        limits.waitersMax = 1
        try await with(server, limits: limits) { actor, upstream in
            let outcomes = Outcomes()
            let bound = LoopBound((upstream, outcomes), to: actor)
            var tasks: [Task<Void, Never>] = []
            for _ in 0..<3 {
                tasks.append(
                    actor.spawn { actor in
                        let (upstream, outcomes) = bound.on(actor)
                        do {
                            let sent = request(.get, "/", loop: actor.loop)
                            let exchange = try await upstream.send(sent)
                            _ = try await exchange.body(max: 10)
                            outcomes.good += 1
                        } catch {
                            #expect(error as? HTTPClientError == .tooManyWaiting)
                            outcomes.refused += 1
                        }
                    }
                )
            }
            for task in tasks { await task.value }
            #expect(outcomes.good == 2)
            #expect(outcomes.refused == 1)
        }
        #expect(server.connections == 1)
    }

    @Test func aBodyThatCannotBeHadIsNotTheUpstreamsFault() async throws {
        let server = RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) }
        try await with(server) { actor, upstream in
            let counter = Counter()
            let body = ClientRequest.Body.stream(length: 100) {
                counter.value += 1
                if counter.value > 1 { throw BodyError.connection(.closed) }
                return [1, 2, 3]
            }
            await #expect(throws: HTTPClientError.source(.connection(.closed))) {
                _ = try await upstream.send(request(.post, "/", body: body, loop: actor.loop))
            }
            #expect(upstream.connectionCount == 0)
        }
    }

    @Test func whoHasLessTimeThanAConnectionMayTakeIsToldOfTheDeadline() async throws {
        // It takes connections, and never shakes hands.
        let server = RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) }
        let tls = try TLSContext(trusting: nil)
        try await with(server) { actor, _ in
            for isShort in [true, false] {
                var limits = ClientLimits()
                limits.connectNanoseconds = isShort ? 60_000_000_000 : 100_000_000
                let upstream = Upstream(
                    host: "127.0.0.1",
                    port: server.port,
                    loop: actor.loop,
                    limits: limits,
                    tls: tls
                )
                let wanted: HTTPClientError =
                    isShort ? .deadline(afterSending: false) : .cannotConnect
                let time: UInt64 = isShort ? 100_000_000 : 60_000_000_000
                await #expect(throws: wanted) {
                    _ = try await upstream.send(
                        request(.get, "/", loop: actor.loop, within: time)
                    )
                }
                #expect(upstream.connectionCount == 0)
            }
        }
    }

    @Test func nobodyThereIsToldAtOnce() async throws {
        let server = RawServer { _, _ in }
        server.stop()
        try await with(server) { actor, upstream in
            await #expect(throws: HTTPClientError.cannotConnect) {
                _ = try await upstream.send(request(.get, "/", loop: actor.loop))
            }
            #expect(upstream.connectionCount == 0)
        }
    }
}

private final class Counter { var value = 0 }
private final class Outcomes {
    var good = 0
    var refused = 0
}
