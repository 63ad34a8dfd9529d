import HTTP
import Loops
import Outbound
import Testing

/// A provider that answers by its path.
private final class Provider: HTTPHandler {
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch String(decoding: request.head.path, as: UTF8.self) {
        case "/echo":
            let body = (try? await request.body(max: 1 << 20)) ?? []
            return HTTPResponse(status: 201, body: .bytes(body))
        case "/large":
            return HTTPResponse(
                status: 200,
                body: .bytes([UInt8](repeating: 0x61, count: 100_000))
            )
        case "/slow":
            try? await request.loop.sleep(nanoseconds: 60_000_000_000)
            return HTTPResponse(status: 200)
        case "/redirect":
            var headers = HeaderBlock()
            headers.append(.location, "/echo")
            return HTTPResponse(status: 302, headers: headers)
        default: return HTTPResponse(status: 404)
        }
    }
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: error.status)
    }
}

@Suite(.serialized) struct OutboundClientTests {
    private func withProvider<Value: Sendable>(
        _ body: @escaping @Sendable (isolated LoopActor, Int) async throws -> Value
    ) async throws -> Value {
        let group = LoopGroup(count: 2)
        group.startAll()
        defer { group.stop() }
        let server = HTTPServer(loops: LoopGroup(sharing: [group.loops[0]]))
        let port = try await group.loops[0].actor.run { actor in
            server.attach(Provider(), on: actor)
            return try server.listen(host: "127.0.0.1", port: 0, on: actor)
        }
        return try await group.loops[1].actor.run { actor in try await body(actor, port) }
    }

    private func request(
        _ path: String,
        _ port: Int,
        body: [UInt8]? = nil,
        milliseconds: UInt64 = 60_000,
        max: Int = 1 << 20
    ) -> OutboundRequest {
        OutboundRequest(
            method: "POST",
            url: "http://127.0.0.1:\(port)\(path)",
            body: body ?? [],
            deadline: monotonicNanoseconds() + milliseconds * 1_000_000,
            responseBytesMax: max
        )
    }

    @Test func aRequestReachesItsProviderAndTheAnswerComesBack() async throws {
        try await withProvider { actor, port in
            let client = OutboundClient(loop: actor.loop)
            for size in [0, 1, 20_000, 300_000] {
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                let answer = try await client.request(self.request("/echo", port, body: body))
                #expect(answer.status == 201)
                #expect(answer.body == body)
            }
        }
    }

    @Test func aRedirectIsNotFollowedAndALargeAnswerNotTaken() async throws {
        try await withProvider { actor, port in
            let client = OutboundClient(loop: actor.loop)
            let answer = try await client.request(self.request("/redirect", port))
            #expect(answer.status == 302)
            await #expect(throws: OutboundError.tooLarge) {
                _ = try await client.request(self.request("/large", port, max: 1_000))
            }
        }
    }

    @Test func aSilentProviderEndsAtTheDeadlineInDoubt() async throws {
        try await withProvider { actor, port in
            let client = OutboundClient(loop: actor.loop)
            let started = monotonicNanoseconds()
            do {
                _ = try await client.request(
                    self.request("/slow", port, body: [1], milliseconds: 300)
                )
                Issue.record("answered")
            } catch let error as OutboundError { #expect(error.isDoubtful, "\(error)") }
            #expect(monotonicNanoseconds() - started < 30_000_000_000)
        }
    }

    @Test func nobodyThereIsNoDoubt() async throws {
        try await withProvider { actor, _ in
            let client = OutboundClient(loop: actor.loop)
            do {
                _ = try await client.request(self.request("/echo", 1, body: [1]))
                Issue.record("answered")
            } catch let error as OutboundError {
                #expect(!error.isDoubtful && !error.isPermanent, "\(error)")
            }
        }
    }

    @Test func aHeaderWithALineEndIsRefused() async throws {
        try await withProvider { actor, port in
            let client = OutboundClient(loop: actor.loop)
            var request = self.request("/echo", port)
            request.headers = [("X-A", "b\r\nX-Evil: c")]
            let bad = request
            await #expect(throws: OutboundError.invalid("a header")) {
                _ = try await client.request(bad)
            }
        }
    }

    @Test func manyRequestsAtOnceAllComeBack() async throws {
        try await withProvider { actor, port in
            let client = LoopBound(OutboundClient(loop: actor.loop), to: actor)
            var tasks: [Task<Void, Never>] = []
            for number in 0..<50 {
                tasks.append(
                    actor.spawn { actor in
                        let body = Array("\(number)".utf8)
                        let answer = try? await client.on(actor).request(
                            self.request("/echo", port, body: body)
                        )
                        #expect(answer?.body == body)
                    }
                )
            }
            for task in tasks { await task.value }
        }
    }
}
