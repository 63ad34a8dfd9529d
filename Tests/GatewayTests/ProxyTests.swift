import Glibc
import HTTP
import Loops
import Synchronization
import TestKit
import Testing

@testable import GatewayService

/// What the proxy does where replicas or clients fail it.
@Suite(.serialized) struct ProxyTests {
    @Test func anAnswerThatBreaksOffEndsItsAttemptOnceAndCountsAsAFailure() async throws {
        let broken = {
            RawServer { descriptor, _ in
                RawServer.readHead(descriptor)
                let text = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"
                RawServer.write(text, to: descriptor)
            }
        }
        try await withProxy([broken(), good()]) { proxy in
            for _ in 0..<10 { #expect(proxy.ask("GET").hasSuffix("ok")) }
        }
        try await withProxy([broken(), broken()]) { proxy in
            for _ in 0..<20 { #expect(proxy.ask("POST").hasPrefix("HTTP/1.1 502 ")) }
            let outstanding = await proxy.look { $0.service.balancer.outstanding }
            #expect(outstanding == 0)
            #expect(await proxy.breakersOpen() == 1)
        }
    }

    /// A replica's answer without a body.
    private func empty(_ status: String, _ fields: String = "") -> RawServer {
        answering("HTTP/1.1 \(status) X\r\n\(fields)Content-Length: 0\r\n\r\n")
    }

    /// What the call asks for, and what other services answer, is no failure of this replica.
    @Test(arguments: [
        "503", "503|Retry-After: 1", "503|Retry-After: 3600", "500", "504", "429|Retry-After: 1",
    ])
    func refusalOfARequestKeepsTheReplica(answer: String) async throws {
        let parts = answer.split(separator: "|")
        let fields = parts.count > 1 ? "\(parts[1])\r\n" : ""
        let refusing = { self.empty(String(parts[0]), fields) }
        try await withProxy([refusing(), refusing()]) { proxy in
            for _ in 0..<40 { #expect(proxy.ask("GET").hasPrefix("HTTP/1.1 \(parts[0]) ")) }
            #expect(await proxy.breakersOpen() == 0)
        }
    }

    @Test(arguments: ["503|X-EZWallet-Unfit: 1", "502"])
    func answerOfAnUnfitReplicaCounts(answer: String) async throws {
        let parts = answer.split(separator: "|")
        let fields = parts.count > 1 ? "\(parts[1])\r\nRetry-After: 1\r\n" : ""
        let unfit = { self.empty(String(parts[0]), fields) }
        try await withProxy([unfit(), unfit()]) { proxy in
            for _ in 0..<20 {
                let said = proxy.ask("GET").lowercased()
                #expect(said.hasPrefix("http/1.1 \(parts[0]) ") && !said.contains("unfit"))
            }
            #expect(await proxy.breakersOpen() == 1)
        }
    }

    @Test func lateTimeoutOfAReplicaCounts() async throws {
        let slow = {
            RawServer { descriptor, _ in
                while RawServer.readHead(descriptor) {
                    usleep(1_050_000)
                    RawServer.write(
                        "HTTP/1.1 504 X\r\nContent-Length: 0\r\n\r\n",
                        to: descriptor
                    )
                }
            }
        }
        try await withProxy([slow(), slow()]) { proxy in
            let peers = (0..<20).map { _ in proxy.open("GET") }
            for peer in peers { #expect(peer.read().hasPrefix("HTTP/1.1 504 ")) }
            #expect(await proxy.breakersOpen() == 1)
        }
    }

    @Test func aClientsBrokenUploadIsNotTheReplicasFailure() async throws {
        let taking = { RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) } }
        try await withProxy([taking(), taking()]) { proxy in
            let lengths = ["Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"]
            for number in 0..<24 {
                let peer = proxy.open("POST", proxy.largePath, fields: lengths[number % 2])
                let part = String(repeating: "x", count: 80_000)
                peer.send(number % 2 == 0 ? part : "\(String(80_000, radix: 16))\r\n\(part)\r\n")
                // Now it is on its way.
                try await proxy.waits { $0.service.balancer.outstanding == 1 }
                peer.close()
                try await proxy.waits { $0.service.balancer.outstanding == 0 }
            }
            #expect(await proxy.breakersOpen() == 0)
        }
    }

    @Test func aReplicaThatHangsIsAFailureAndACallersOwnHasteIsNone() async throws {
        let hung = { RawServer { descriptor, _ in RawServer.waitForEnd(descriptor) } }
        for isHasty in [true, false] {
            try await withProxy(
                [hung(), hung()],
                side: .inside,
                requestNanoseconds: 1_500_000_000
            ) { proxy in
                let haste = isHasty ? "X-Request-Deadline: 100\r\n" : ""
                let peers = (0..<20).map { _ in proxy.open("GET", fields: haste) }
                for peer in peers { #expect(peer.read().hasPrefix("HTTP/1.1 504 ")) }
                #expect(await proxy.breakersOpen() == (isHasty ? 0 : 1))
            }
        }
    }

    @Test(arguments: [
        ("3", 200), ("0", 200), ("4", 502), ("255", 502), ("256", 502), ("-1", 400), ("+1", 400),
        ("x", 400), ("9223372036854775807", 400), ("", 400), ("1\r\nX-EZWallet-Hops: 1", 400),
    ])
    func hopsAreASmallNumber(text: String, status: Int) async throws {
        try await withProxy([good()], side: .inside) { proxy in
            let answer = proxy.ask("GET", fields: "X-EZWallet-Hops: \(text)\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
        }
    }

    // MARK: Bodies in chunks

    @Test func aReplicaRefusesAnUploadInChunksBeforeAllOfItHasCome() async throws {
        let refusing = RawServer { descriptor, _ in
            RawServer.readHead(descriptor)
            RawServer.write("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", to: descriptor)
            RawServer.waitForEnd(descriptor)
        }
        try await withProxy([refusing]) { proxy in
            let chunked = "Transfer-Encoding: chunked\r\n"
            let peer = proxy.open("POST", proxy.largePath, fields: chunked)
            let part = String(repeating: "x", count: 0x8000)
            // The rest never comes.
            for _ in 0..<4 { peer.send("8000\r\n\(part)\r\n") }
            try await Task.sleep(nanoseconds: 50_000_000)
            peer.send("8000\r\n\(part)\r\n")
            #expect(peer.read().hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test(arguments: [1, 100, 5_000])
    func aBodyInChunksArrivesWhole(chunks: Int) async throws {
        let sent = Mutex("")
        let replica = RawServer { descriptor, _ in
            RawServer.readHead(descriptor)
            var text = ""
            var byte: UInt8 = 0
            while byte != 0x45, recv(descriptor, &byte, 1, 0) == 1 {
                text.unicodeScalars.append(UnicodeScalar(byte))
            }
            let whole = text
            sent.withLock { $0 = whole }
            RawServer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", to: descriptor)
        }
        try await withProxy([replica]) { proxy in
            let chunked = "Transfer-Encoding: chunked\r\n"
            let peer = proxy.open("POST", proxy.largePath, fields: chunked)
            let part = String(repeating: "x", count: 32)
            for _ in 0..<chunks { peer.send("20\r\n\(part)\r\n") }
            peer.send("1\r\nE\r\n0\r\n\r\n")
            #expect(peer.read().hasPrefix("HTTP/1.1 200 "))
            let count = sent.withLock { $0.filter { $0 == "x" }.count }
            #expect(count == chunks * 32)
        }
    }

    // MARK: Streams

    /// A replica that streams to whoever asks for that, and answers others at once.
    private func streaming() -> RawServer {
        RawServer { descriptor, _ in
            var line = ""
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) == 1 {
                line.append(Character(UnicodeScalar(byte)))
                guard line.hasSuffix("\r\n\r\n") else { continue }
                guard line.contains("?stream") else {
                    let text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                    RawServer.write(text, to: descriptor)
                    line = ""
                    continue
                }
                RawServer.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n8\r\ndata: 1\n\r\n",
                    to: descriptor
                )
                RawServer.waitForEnd(descriptor)
            }
        }
    }

    @Test func openStreamsTakeNoPlaceFromCallsAndAreBoundedThemselves() async throws {
        var limits = ClientLimits()
        limits.connectionsMax = 2
        limits.streamsMax = 3
        try await withProxy([streaming()], limits: limits) { proxy in
            var peers = (0..<3).map { _ in proxy.open("GET", query: "?stream") }
            for peer in peers { #expect(peer.read(until: "data: 1").contains("data: 1")) }
            #expect(proxy.ask("GET").hasSuffix("ok"))
            let refused = proxy.ask("GET", query: "?stream")
            #expect(refused.hasPrefix("HTTP/1.1 503 "))
            #expect(refused.contains("retry-after: "))
            #expect(proxy.ask("GET").hasSuffix("ok"))
            peers.removeLast().close()
            try await proxy.waits { $0.service.upstreams[0].streamCount == 2 }
            let again = proxy.open("GET", query: "?stream")
            #expect(again.read(until: "data: 1").contains("data: 1"))
            again.close()
            for peer in peers { peer.close() }
            try await proxy.waits { $0.service.upstreams[0].streamCount == 0 }
            #expect(proxy.ask("GET").hasSuffix("ok"))
            #expect(await proxy.breakersOpen() == 0)
        }
    }
}
