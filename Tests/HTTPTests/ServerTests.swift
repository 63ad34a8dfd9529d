import Foundation
import HTTP
import Loops
import Testing

/// Answers with what it was asked: enough to see framing from both sides.
private final class Echo: HTTPHandler {
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = String(decoding: request.head.path, as: UTF8.self)
        switch path {
        case "/hello":
            return HTTPResponse(status: 200, body: .bytes(Array("hello".utf8)))
        case "/echo":
            do {
                return HTTPResponse(status: 200, body: .bytes(try await request.body(max: 1 << 20)))
            } catch .tooLarge { return HTTPResponse(status: 413) } catch {
                return HTTPResponse(status: 400)
            }
        case "/stream":
            return HTTPResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    for part in 0..<100 {
                        try await writer.write(Array("part \(part);".utf8))
                        try await writer.loop.sleep(nanoseconds: 100_000)
                    }
                }
            )
        case "/slow":
            request.setDeadline(request.receivedAt + 200_000_000)
            do {
                try await request.loop.sleep(nanoseconds: 5_000_000_000)
                return HTTPResponse(status: 200)
            } catch { return HTTPResponse(status: 504) }
        case "/ignore-body": return HTTPResponse(status: 200, body: .bytes(Array("ok".utf8)))
        default: return HTTPResponse(status: 404)
        }
    }

    func refusal(_ error: FramingError) -> HTTPResponse {
        HTTPResponse(status: error.status, body: .bytes(Array("\(error)".utf8)))
    }
}

/// A server on two loops and a client on a third.
private struct Rig {
    let group: LoopGroup
    let server: HTTPServer
    let port: Int

    static func start(
        limits: ServerLimits = ServerLimits(),
        tls: TLSContext? = nil
    ) async throws
        -> Rig
    {
        let group = LoopGroup(count: 3)
        group.startAll()
        let server = HTTPServer(
            loops: LoopGroup(sharing: Array(group.loops.prefix(2))),
            limits: limits,
            tls: tls
        )
        for loop in group.loops.prefix(2) {
            await loop.actor.run { actor in server.attach(Echo(), on: actor) }
        }
        let port = try await group.loops[0].actor.run { actor in
            try server.listen(host: "127.0.0.1", port: 0, on: actor)
        }
        return Rig(group: group, server: server, port: port)
    }

    func client<Value: Sendable>(
        _ body: @escaping @Sendable (isolated LoopActor, Int) async throws -> Value
    ) async throws -> Value {
        let port = self.port
        return try await group.loops[2].actor.run { actor in try await body(actor, port) }
    }

    /// Sends raw bytes and returns everything until the server closes.
    func raw(_ text: String) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        _ = text.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count <= 0 { break }
            answer.append(contentsOf: chunk[0..<count])
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

@Suite(.serialized) struct ServerTests {
    private func request(
        _ method: HTTPMethod,
        _ path: String,
        body: ClientRequest.Body = .none,
        loop: EventLoop
    ) -> ClientRequest {
        ClientRequest(
            method: method,
            target: Array(path.utf8)[...],
            host: "localhost",
            body: body,
            deadline: loop.now + 5_000_000_000
        )
    }

    @Test func oneConnectionServesManyRequests() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let connections = try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            for _ in 0..<200 {
                let exchange = try await upstream.send(
                    self.request(.get, "/hello", loop: actor.loop)
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
                    self.request(.post, "/echo", body: .bytes(bytes), loop: actor.loop)
                )
                #expect(try await whole.body(max: 1 << 21) == bytes, "\(size)")
                var sent = 0
                let chunked = try await upstream.send(
                    self.request(
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
            let exchange = try await upstream.send(self.request(.get, "/stream", loop: actor.loop))
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
            let exchange = try await upstream.send(self.request(.get, "/slow", loop: actor.loop))
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
        var limits = ServerLimits()
        limits.headNanoseconds = 200_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        let answer = rig.raw("GET /hello HTTP/1.1\r\nHo")
        #expect(answer.hasPrefix("HTTP/1.1 408"))
    }

    @Test func anIdleConnectionIsEndedByTheServer() async throws {
        var limits = ServerLimits()
        limits.idleNanoseconds = 200_000_000
        let rig = try await Rig.start(limits: limits)
        defer { rig.group.stop() }
        #expect(rig.raw("") == "")
    }

    @Test func drainLetsRequestsEndAndConnectionsGo() async throws {
        let rig = try await Rig.start()
        defer { rig.group.stop() }
        let text = try await rig.client { actor, port in
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            let exchange = try await upstream.send(self.request(.get, "/stream", loop: actor.loop))
            rig.server.beginDrain()
            var parts: [UInt8] = []
            while let part = try await exchange.nextBodyPart() { parts += part }
            try await actor.loop.sleep(nanoseconds: 100_000_000)
            upstream.closeIdle()
            return String(decoding: parts, as: UTF8.self)
        }
        #expect(text.hasSuffix("part 99;"))
        for _ in 0..<100 where rig.server.connectionCount > 0 {
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        #expect(rig.server.connectionCount == 0)
    }

    @Test func tlsCarriesLargeBodiesBothWays() async throws {
        let folder = NSTemporaryDirectory() + "ezwallet-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let tls = try TLSContext(
            certificateFile: folder + "/cert.pem",
            keyFile: folder + "/key.pem"
        )
        let trust = try TLSContext(trusting: folder + "/cert.pem")
        let rig = try await Rig.start(tls: tls)
        defer { rig.group.stop() }
        try await rig.client { actor, port in
            let upstream = Upstream(
                host: "127.0.0.1",
                port: port,
                loop: actor.loop,
                tls: trust,
                serverName: "localhost"
            )
            for size in [1, 20_000, 700_000] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let exchange = try await upstream.send(
                    self.request(.post, "/echo", body: .bytes(bytes), loop: actor.loop)
                )
                #expect(try await exchange.body(max: 1 << 20) == bytes)
            }
            upstream.closeIdle()
            let wrongName = Upstream(
                host: "127.0.0.1",
                port: port,
                loop: actor.loop,
                tls: trust,
                serverName: "elsewhere.example"
            )
            await #expect(throws: HTTPClientError.cannotConnect) {
                _ = try await wrongName.send(self.request(.get, "/hello", loop: actor.loop))
            }
        }
    }
}
