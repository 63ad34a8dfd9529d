import Foundation
import HTTP
import Loops
import Synchronization
import Testing

/// Answers with what it was asked: enough to see framing from both sides.
final class Echo: HTTPHandler {
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
        case "/held":
            Echo.held.add(1, ordering: .releasing)
            while Echo.holds.load(ordering: .acquiring) {
                guard (try? await request.loop.sleep(nanoseconds: 1_000_000)) != nil else { break }
            }
            return HTTPResponse(status: 200, body: .bytes(Array("late".utf8)))
        case "/large":
            return HTTPResponse(
                status: 200,
                body: .stream(length: 64 << 20) { writer in
                    let part = [UInt8](repeating: 120, count: 1 << 20)
                    for _ in 0..<64 { try await writer.write(part) }
                }
            )
        case "/events": return events(request.loop)
        case "/ignore-body": return HTTPResponse(status: 200, body: .bytes(Array("ok".utf8)))
        default: return HTTPResponse(status: 404)
        }
    }

    /// One event, half a second of silence, another, and then silence for ever.
    private func events(_ loop: EventLoop) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200,
            body: .stream(length: nil) { writer in
                Echo.openStreams.add(1, ordering: .relaxed)
                defer { Echo.openStreams.subtract(1, ordering: .relaxed) }
                try await writer.write(Array("data: 1\n\n".utf8))
                try await loop.sleep(nanoseconds: 500_000_000)
                try await writer.write(Array("data: 2\n\n".utf8))
                try await loop.sleep(nanoseconds: 3_600_000_000_000)
            }
        )
        response.isEndless = true
        return response
    }

    /// Endless streams under way, over all servers of the process.
    static let openStreams = Atomic<Int>(0)
    /// Whether `/held` still waits; the suite that uses it is serialized.
    static let holds = Atomic<Bool>(false)
    /// How many requests of `/held` have come.
    static let held = Atomic<Int>(0)

    func refusal(_ error: FramingError) -> HTTPResponse {
        HTTPResponse(status: error.status, body: .bytes(Array("\(error)".utf8)))
    }
}

/// A server on two loops and a client on a third.
struct Rig {
    /// Bounds that a busy machine does not reach: only a test about one sets it near.
    static var patient: ServerLimits {
        var limits = ServerLimits()
        limits.idleNanoseconds = 300_000_000_000
        limits.handshakeNanoseconds = 300_000_000_000
        limits.headNanoseconds = 300_000_000_000
        limits.bodyNanoseconds = 300_000_000_000
        limits.requestNanoseconds = 300_000_000_000
        limits.writeNanoseconds = 300_000_000_000
        limits.streamNanoseconds = 300_000_000_000
        return limits
    }

    let group: LoopGroup
    let server: HTTPServer
    let port: Int

    static func start(
        limits: ServerLimits = Rig.patient,
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
        let peer = RawPeer(port: port)
        peer.send(text)
        return peer.readAll()
    }
}

/// Programs that other tests start do not inherit it: they would keep it open.
private let streamSocket = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

/// A client of raw bytes, on a blocking socket.
final class RawPeer {
    private let descriptor: Int32
    private var isOpen = true

    init(port: Int) {
        descriptor = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // A test that waits for what never comes fails rather than hangs.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, 16)
    }

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// What has come, at least a byte of it; empty at the end.
    func read() -> String {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return count > 0 ? String(decoding: chunk[0..<count], as: UTF8.self) : ""
    }

    func read(until end: String) -> String {
        var text = ""
        while !text.contains(end) {
            let more = read()
            if more.isEmpty { break }
            text += more
        }
        return text
    }

    func readAll() -> String {
        var text = ""
        while true {
            let more = read()
            if more.isEmpty { return text }
            text += more
        }
    }
}

/// A server that answers what a test tells it, on a thread of its own.
final class RawServer: Sendable {
    /// What happens on one accepted connection: the descriptor, and its number from 0.
    typealias Script = @Sendable (Int32, Int) -> Void
    let port: Int
    private let descriptor: Int32
    private let count = Atomic<Int>(0)

    /// How many connections came.
    var connections: Int { count.load(ordering: .relaxed) }

    init(_ script: @escaping Script) {
        let descriptor = socket(AF_INET, streamSocket, 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        listen(descriptor, 16)
        port = Int(UInt16(bigEndian: address.sin_port))
        startThread { [self] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                if accepted < 0 {
                    close(descriptor)
                    return
                }
                let number = count.add(1, ordering: .relaxed).oldValue
                startThread {
                    script(accepted, number)
                    close(accepted)
                }
            }
        }
    }

    /// The thread that accepts closes: else it could go on with a number that is another's by now.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads up to the end of one head; false when the peer closed instead.
    @discardableResult
    static func readHead(_ descriptor: Int32) -> Bool {
        var last: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1 {
            last.append(byte)
            if last.suffix(4) == [13, 10, 13, 10] { return true }
        }
        return false
    }

    static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    static func waitForEnd(_ descriptor: Int32) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while recv(descriptor, &chunk, chunk.count, 0) > 0 {}
    }
}

/// A request as the tests send it.
func request(
    _ method: HTTPMethod,
    _ path: String,
    body: ClientRequest.Body = .none,
    loop: EventLoop,
    within nanoseconds: UInt64 = 60_000_000_000
) -> ClientRequest {
    ClientRequest(
        method: method,
        target: Array(path.utf8)[...],
        host: "localhost",
        body: body,
        deadline: monotonicNanoseconds() + nanoseconds
    )
}
