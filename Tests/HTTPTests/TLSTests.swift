import Foundation
import Loops
import Synchronization
import TestKit
import Testing

@testable import HTTP

/// A folder with a self-signed certificate, made anew by `make`.
final class Certificate {
    let folder = NSTemporaryDirectory() + "ezwallet-tls-\(UUID().uuidString)"
    var certificateFile: String { folder + "/cert.pem" }
    var keyFile: String { folder + "/key.pem" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try make()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func make() throws {
        let status = try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", keyFile, "-out", certificateFile, "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ]).status
        #expect(status == 0)
    }
}

@discardableResult
private func openssl(
    _ arguments: [String],
    input: String = ""
) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    let output = Pipe()
    let entry = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = entry
    try process.run()
    entry.fileHandleForWriting.write(Data(input.utf8))
    entry.fileHandleForWriting.closeFile()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
}

/// A blocking socket, connected to a port of this machine.
private func connected(to port: Int) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    _ = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    return descriptor
}

@Suite(.serialized) struct TLSTests {
    /// A server with a certificate of its own, and clients' trust in it.
    private func started() async throws -> (rig: Rig, trust: TLSContext) {
        let certificate = try Certificate()
        let tls = try TLSContext(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        let trust = try TLSContext(trusting: certificate.certificateFile)
        return (try await Rig.start(tls: tls), trust)
    }

    @Test func largeBodiesGoBothWays() async throws {
        let (rig, trust) = try await started()
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
                    request(.post, "/echo", body: .bytes(bytes), loop: actor.loop)
                )
                #expect(try await exchange.body(max: 1 << 20) == bytes)
            }
            #expect(upstream.connectionCount == 1)
            upstream.closeIdle()
        }
    }

    /// Passes bytes both ways, a few at a time.
    private func relay(to port: Int, seed: UInt64) -> RawServer {
        RawServer { accepted, number in
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            let server = connected(to: port)
            defer { close(server) }
            var ways = [(from: accepted, to: server), (from: server, to: accepted)]
            while !ways.isEmpty {
                var polled = ways.map { pollfd(fd: $0.from, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, nfds_t(polled.count), 60_000) > 0 else { return }
                for index in ways.indices.reversed() where polled[index].revents != 0 {
                    let (from, to) = ways[index]
                    let size = Int.random(in: 0..<4, using: &random) == 0 ? 9_000 : 40
                    var bytes = [UInt8](
                        repeating: 0,
                        count: Int.random(in: 1...size, using: &random)
                    )
                    let count = recv(from, &bytes, bytes.count, 0)
                    guard count > 0, send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count else {
                        shutdown(to, Int32(SHUT_WR))
                        ways.remove(at: index)
                        continue
                    }
                }
            }
        }
    }

    /// A server that resets the connection behind a part of its first record.
    private func halfHello(from port: Int) -> RawServer {
        RawServer { accepted, _ in
            let server = connected(to: port)
            defer { close(server) }
            var bytes = [UInt8](repeating: 0, count: 2_000)
            let asked = recv(accepted, &bytes, bytes.count, 0)
            send(server, bytes, asked, Int32(MSG_NOSIGNAL))
            let answered = recv(server, &bytes, 60, 0)
            send(accepted, bytes, answered, Int32(MSG_NOSIGNAL))
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                accepted,
                SOL_SOCKET,
                SO_LINGER,
                &linger,
                socklen_t(MemoryLayout.size(ofValue: linger))
            )
        }
    }

    /// As without TLS (`aSenderWhoGoesIsMissedThoughBytesAreLeft`): no edge tells of the reset.
    @Test func aResetBehindPartOfARecordEndsTheConnection() async throws {
        let (rig, trust) = try await started()
        defer { rig.group.stop() }
        let relay = halfHello(from: rig.port)
        defer { relay.stop() }
        let start = monotonicNanoseconds()
        try await rig.client { actor, _ in
            for _ in 1...20 {
                let upstream = Upstream(
                    host: "127.0.0.1",
                    port: relay.port,
                    loop: actor.loop,
                    tls: trust,
                    serverName: "localhost"
                )
                await #expect(throws: (any Error).self) {
                    _ = try await upstream.send(request(.get, "/hello", loop: actor.loop))
                }
                upstream.closeIdle()
            }
        }
        // Each that is not noticed takes the second within which a connection has to stand.
        #expect(monotonicNanoseconds() - start < 10_000_000_000)
    }

    @Test(arguments: [1, UInt64.random(in: 0...UInt64.max)])
    func recordsMayComeInAnyPieces(seed: UInt64) async throws {
        let (rig, trust) = try await started()
        defer { rig.group.stop() }
        let relay = relay(to: rig.port, seed: seed)
        defer { relay.stop() }
        try await rig.client { actor, _ in
            let upstream = Upstream(
                host: "127.0.0.1",
                port: relay.port,
                loop: actor.loop,
                tls: trust,
                serverName: "localhost"
            )
            for size in [1, 100, 5_000, 70_000, 10] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let exchange = try await upstream.send(
                    request(.post, "/echo", body: .bytes(bytes), loop: actor.loop)
                )
                #expect(try await exchange.body(max: 1 << 20) == bytes, "seed \(seed)")
            }
            #expect(upstream.connectionCount == 1, "seed \(seed)")
            upstream.closeIdle()
        }
    }

    @Test func aCertificateHasToNameTheServer() async throws {
        let certificate = try Certificate()
        let tls = try TLSContext(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        let trust = try TLSContext(trusting: certificate.certificateFile)
        let nobody = try TLSContext(trusting: nil)
        let rig = try await Rig.start(tls: tls)
        defer { rig.group.stop() }
        func reaches(_ name: String?, _ trust: TLSContext) async throws -> Bool {
            try await rig.client { actor, port in
                let upstream = Upstream(
                    host: "127.0.0.1",
                    port: port,
                    loop: actor.loop,
                    tls: trust,
                    serverName: name
                )
                defer { upstream.closeIdle() }
                do {
                    let exchange = try await upstream.send(
                        request(.get, "/hello", loop: actor.loop)
                    )
                    return try await exchange.body(max: 10) == Array("hello".utf8)
                } catch {
                    #expect(error as? HTTPClientError == .cannotConnect)
                    return false
                }
            }
        }
        #expect(try await reaches("localhost", trust))
        #expect(try await reaches(nil, trust), "by its address")
        #expect(try await !reaches("elsewhere.example", trust))
        #expect(try await !reaches("localhost", nobody))
    }

    @Test func sessionsAreTakenUpOnAnyLoopAndBeyondAReload() async throws {
        let certificate = try Certificate()
        let tls = try TLSContext(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        let trust = try TLSContext(trusting: certificate.certificateFile)
        let rig = try await Rig.start(tls: tls)
        defer { rig.group.stop() }
        let resumed = try await rig.client { actor, port in
            let upstream = Upstream(
                host: "127.0.0.1",
                port: port,
                loop: actor.loop,
                tls: trust,
                serverName: "localhost"
            )
            for turn in 0..<6 {
                if turn == 3 { try tls.reload() }
                let exchange = try await upstream.send(request(.get, "/hello", loop: actor.loop))
                _ = try await exchange.body(max: 100)
                upstream.closeIdle()
            }
            return upstream.resumedCount
        }
        #expect(resumed == 5)
    }

    @Test func aReloadServesTheNewCertificateAndKeepsTheOldOneWhereTheNewIsBad() async throws {
        let certificate = try Certificate()
        let tls = try TLSContext(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        let rig = try await Rig.start(tls: tls)
        defer { rig.group.stop() }
        func served() async throws -> Bool {
            let trust = try TLSContext(trusting: certificate.certificateFile)
            return try await rig.client { actor, port in
                let upstream = Upstream(
                    host: "127.0.0.1",
                    port: port,
                    loop: actor.loop,
                    tls: trust
                )
                defer { upstream.closeIdle() }
                let answer = try? await upstream.send(request(.get, "/hello", loop: actor.loop))
                return answer?.head.status == 200
            }
        }
        #expect(try await served())
        try certificate.make()
        #expect(try await !served(), "the new authority does not vouch for the old certificate")
        try tls.reload()
        #expect(try await served())
        try "not a key".write(toFile: certificate.keyFile, atomically: true, encoding: .utf8)
        #expect(throws: TLSContext.ConfigurationError.self) { try tls.reload() }
        #expect(try await served())
    }

    @Test func oldProtocolsAndOtherApplicationsAreRefused() async throws {
        let certificate = try Certificate()
        let tls = try TLSContext(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        let rig = try await Rig.start(tls: tls)
        defer { rig.group.stop() }
        let hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        func dial(_ arguments: String...) throws -> String {
            let base = ["s_client", "-connect", "127.0.0.1:\(rig.port)", "-ign_eof"]
            return try openssl(base + arguments, input: hello).text
        }
        for version in ["-tls1_2", "-tls1_3"] {
            let text = try dial(version, "-alpn", "h2,http/1.1")
            #expect(text.contains("HTTP/1.1 200"), "\(version)")
            #expect(text.contains("ALPN protocol: http/1.1"), "\(version)")
        }
        #expect(try !dial("-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0").contains("HTTP/1.1"))
        #expect(try !dial("-alpn", "h2").contains("HTTP/1.1"))
        #expect(try !dial("-tls1_2", "-cipher", "AES128-SHA").contains("HTTP/1.1"))
    }

    @Test func whatIsNoHandshakeEndsTheConnection() async throws {
        let certificate = try Certificate()
        let tls = try TLSContext(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        var limits = Rig.patient
        limits.handshakeNanoseconds = 200_000_000
        let rig = try await Rig.start(limits: limits, tls: tls)
        defer { rig.group.stop() }
        Echo.handshakes.withLock { $0.removeAll() }
        #expect(!rig.raw("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n").contains("200"))
        #expect(rig.raw("") == "", "a silent client is dropped in time")
        #expect(Echo.handshakes.withLock { $0 } == [.tls, .timedOut])
    }

    @Test func keysOfTicketsFollowFromTheSecretAlone() {
        let secret = [UInt8](repeating: 7, count: 32)
        let one = TicketKeys(secret: secret)
        let other = TicketKeys(secret: secret)
        let stranger = TicketKeys()
        #expect(one.current().cipherKey == other.current().cipherKey)
        #expect(one.named(other.current().name) != nil)
        #expect(one.named(stranger.current().name) == nil)
    }
}
