import Foundation
import HTTP
import Loops
import Synchronization
import TestKit
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
        case "/echo-late":
            Echo.lateBegun.add(1, ordering: .releasing)
            try? await request.loop.sleep(nanoseconds: 100_000_000)
            let body = try? await request.body(max: 1 << 20)
            if body == nil { Echo.lateBroken.add(1, ordering: .releasing) }
            return HTTPResponse(status: body == nil ? 400 : 200)
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
        case "/whole":
            let bytes = [UInt8](repeating: 120, count: Echo.wholeBytes)
            return HTTPResponse(status: 200, body: .bytes(bytes))
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

    /// What `/whole` answers with: more than kernels keep for whoever does not read.
    static let wholeBytes = 32 << 20
    /// Endless streams under way, over all servers of the process.
    static let openStreams = Atomic<Int>(0)
    /// How many requests of `/echo-late` have come, and how many of these never were whole.
    static let lateBegun = Atomic<Int>(0)
    static let lateBroken = Atomic<Int>(0)
    /// Whether `/held` still waits; the suite that uses it is serialized.
    static let holds = Atomic<Bool>(false)
    /// How many requests of `/held` have come.
    static let held = Atomic<Int>(0)

    /// What handshakes have failed by; the suite that uses it is serialized.
    static let handshakes = Mutex<[TransportError]>([])

    func handshakeFailed(_ error: TransportError) {
        Self.handshakes.withLock { $0.append(error) }
    }

    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
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
