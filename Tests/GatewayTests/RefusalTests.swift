import Glibc
import HTTP
import Loops
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import GatewayService

/// What the gateway refuses itself: early, and each time with what to do and a trace to ask about.
@Suite(.serialized) struct RefusalTests {
    /// Checks an answer of ours; its head.
    private func check(
        _ answer: String,
        _ status: Int,
        _ code: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)", sourceLocation: location)
        let end = try #require(answer.utf8.firstRange(of: "\r\n\r\n".utf8), "\(answer)")
        let body = answer[end.upperBound...]
        let problem = try JSON.read(Problem.self, from: Array(body.utf8))
        #expect(problem.code == code, sourceLocation: location)
        #expect(problem.status == status, sourceLocation: location)
        #expect(problem.detail?.contains(" ") == true, sourceLocation: location)
        #expect(problem.traceID?.utf8.count == 32, sourceLocation: location)
        #expect(answer.lowercased().contains("content-type: application/problem+json"))
    }

    private func raw(_ proxy: ProxyUnderTest, _ text: String) -> String {
        let peer = RawPeer(port: proxy.port)
        peer.send(text)
        return peer.readAll()
    }

    @Test func everyRefusalOfAHeadSaysWhatToDo() async throws {
        let end = "Host: h\r\nConnection: close\r\n"
        let cases: [(String, Int, String)] = [
            ("GET / HTTP/2.0\r\n\(end)", 505, "http-version-not-supported"),
            ("GET / HTTP/1.2\r\n\(end)", 505, "http-version-not-supported"),
            ("PRI * HTTP/2.0\r\n", 505, "http-version-not-supported"),
            ("BREW / HTTP/1.1\r\n\(end)", 501, "not-implemented"),
            ("GET /nowhere HTTP/1.1\r\n\(end)", 404, "not-found"),
            ("DELETE /v1/exchange-rates HTTP/1.1\r\n\(end)", 405, "method-not-allowed"),
            ("GET / HTTP/1.1\r\n", 400, "invalid-request"),
            ("GET  / HTTP/1.1\r\n\(end)", 400, "invalid-request"),
            ("GET a HTTP/1.1\r\n\(end)", 400, "invalid-request"),
            ("GET / HTTP/1.1\r\na b: c\r\n\(end)", 400, "invalid-request"),
            ("GET / HTTP/1.1\r\na: \0\r\n\(end)", 400, "invalid-request"),
            ("GET / HTTP/1.1\na: b\r\n\(end)", 400, "invalid-request"),
            ("POST / HTTP/1.1\r\nContent-Length: x\r\n\(end)", 400, "invalid-request"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: x\r\n\(end)", 400, "invalid-request"),
            ("POST / HTTP/1.1\r\nExpect: x\r\n\(end)", 417, "expectation-failed"),
            (
                "GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\n\(end)", 414,
                "uri-too-long"
            ),
            (
                "GET / HTTP/1.1\r\na: \(String(repeating: "x", count: 17_000))\r\n\(end)", 431,
                "headers-too-large"
            ),
            (
                "GET / HTTP/1.1\r\n\(String(repeating: "a: b\r\n", count: 101))\(end)", 431,
                "headers-too-large"
            ),
        ]
        try await withProxy([good()]) { proxy in
            for (text, status, code) in cases {
                try check(raw(proxy, text + "\r\n"), status, code)
            }
        }
    }

    @Test func everyRefusalOfABodyOrOfAServiceSaysWhatToDo() async throws {
        try await withProxy([good()]) { proxy in
            let limit = proxy.bodyLimit
            try check(
                proxy.open("POST", fields: "Content-Length: \(limit + 1)\r\n").readAll(),
                413,
                "body-too-large"
            )
            // Else the connection is kept for the rest of the body, which never comes.
            let closing = "Transfer-Encoding: chunked\r\nConnection: close\r\n"
            let chunks = proxy.open("POST", fields: closing)
            chunks.send("\(String(limit + 1, radix: 16))\r\n")
            chunks.send(String(repeating: "x", count: limit + 1))
            try check(chunks.readAll(), 413, "body-too-large")
            let broken = proxy.open("POST", fields: "Transfer-Encoding: chunked\r\n")
            broken.send("x\r\n")
            try check(broken.readAll(), 400, "invalid-request")
            // Of a service that this suite has not.
            try check(
                raw(proxy, "GET /v1/groups HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
                503,
                "unavailable"
            )
        }
        try await withProxy([RawServer { _, _ in }]) { proxy in
            try check(proxy.ask("POST"), 502, "bad-gateway")
        }
        let gone = good()
        gone.stop()
        try await withProxy([gone]) { proxy in
            try check(proxy.ask("POST"), 503, "unavailable")
        }
        let hung = RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) }
        try await withProxy([hung], requestNanoseconds: 300_000_000) { proxy in
            try check(proxy.ask("GET"), 504, "gateway-timeout")
        }
        try await withProxy([good()], side: .inside) { proxy in
            try check(proxy.ask("GET", fields: "X-EZWallet-Hops: x\r\n"), 400, "invalid-header")
            try check(proxy.ask("GET", fields: "X-EZWallet-Hops: 9\r\n"), 502, "bad-gateway")
        }
    }

    // MARK: Early answers

    @Test func aBodyOverTheLimitIsRefusedBeforeItIsAskedFor() async throws {
        let reached = MortalReplica()
        try await withProxy([reached.server]) { proxy in
            let length = "Content-Length: \(proxy.bodyLimit + 1)\r\n"
            for fields in [length, length + "Expect: 100-continue\r\n"] {
                #expect(proxy.open("POST", fields: fields).read().hasPrefix("HTTP/1.1 413 "))
            }
            #expect(reached.server.connections == 0)
        }
    }

    @Test(arguments: ["Content-Length: 900000\r\n", "Transfer-Encoding: chunked\r\n"])
    func aServicesEarlyAnswerIsPassedOnThoughTheBodyDoesNotCome(framing: String) async throws {
        let refusing = RawServer { descriptor, _ in
            RawServer.readHead(descriptor)
            usleep(50_000)
            RawServer.write("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", to: descriptor)
            RawServer.waitForEnd(descriptor)
        }
        try await withProxy([refusing]) { proxy in
            let peer = RawPeer(port: proxy.port)
            peer.send("POST \(proxy.largePath) HTTP/1.1\r\nHost: h\r\n\(framing)\r\n")
            // As much as makes it a stream, and then nothing more.
            let part = String(repeating: "x", count: 0x14000)
            peer.send(framing.hasPrefix("C") ? part : "14000\r\n\(part)\r\n")
            let answer = peer.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            #expect(answer.hasSuffix("no"))
            #expect(await proxy.breakersOpen() == 0)
            let outstanding = await proxy.look { $0.service.balancer.outstanding }
            #expect(outstanding == 0)
        }
    }

    // MARK: Methods

    @Test func optionsTellTheMethodsOfAllServicesOnAPath() async throws {
        try await withProxy([good()]) { proxy in
            for (method, status) in [("OPTIONS", 204), ("PUT", 405)] {
                let answer = raw(
                    proxy,
                    "\(method) /v1/accounts/1/members HTTP/1.1\r\nHost: h\r\n"
                        + "Content-Length: 0\r\nConnection: close\r\n\r\n"
                )
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                #expect(answer.contains("\r\nallow: GET, HEAD, POST, OPTIONS\r\n"), "\(answer)")
            }
        }
    }

    @Test func aTargetInAbsoluteFormGoesWhereItsPathSays() async throws {
        try await withProxy([good()]) { proxy in
            let answer = raw(
                proxy,
                "GET http://somewhere.example\(proxy.path) HTTP/1.1\r\nHost: h\r\n"
                    + "Connection: close\r\n\r\n"
            )
            #expect(answer.hasSuffix("ok"))
        }
    }
}
