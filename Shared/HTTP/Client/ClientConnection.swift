internal import Loops

/// One connection to an upstream: one request after the other.
final class ClientConnection {
    let transport: Transport
    let head = MessageHead()
    var deadline: UInt64 = .max
    var idleSince: UInt64 = 0
    var position = -1
    private(set) var served = 0
    private var buffer: ReceiveBuffer
    private var parser: HeadParser
    private var body = BodyDecoder(.none)
    private var out: [UInt8] = []
    private var isBroken = false
    private var hasReceived = false

    init(transport: Transport, limits: ClientLimits, pool: BufferPool) {
        self.transport = transport
        buffer = ReceiveBuffer(pool: pool)
        parser = HeadParser(limits: limits.head)
        out.reserveCapacity(2_048)
    }

    /// Whether another request may go out on it.
    var isReusable: Bool {
        !isBroken && body.isAtEnd && head.keepsAlive && buffer.count == 0
            && transport.interruption == nil && !transport.isStale()
    }

    /// Waits until the connection stands, TLS included.
    func establish() async throws(TransportError) {
        try await transport.waitConnected()
        try await transport.handshake()
        head.keepsAlive = true
    }

    func close() { transport.close() }

    /// Holds no block while it is kept.
    func rest() {
        buffer.shrink()
        out.removeAll(keepingCapacity: out.capacity <= 65_536)
    }

    /// Whether nothing of an answer has come.
    var hasReadNothing: Bool { !hasReceived }

    /// Sends the request and reads the head of the final answer.
    func exchange(_ request: ClientRequest) async throws(HTTPClientError) {
        hasReceived = false
        do {
            try await send(request)
        } catch {
            isBroken = true
            // Even so the upstream may have answered early (413) before it stopped reading.
            guard let error = error as? TransportError, error == .closed,
                (try? await readHead(request.method)) == true
            else { throw clientError(error) }
            return
        }
        do {
            guard try await readHead(request.method) else {
                throw HTTPClientError.closed(afterSending: true)
            }
        } catch {
            isBroken = true
            throw clientError(error)
        }
        served += 1
    }

    private func clientError(_ error: any Error) -> HTTPClientError {
        switch error {
        case let error as HTTPClientError: error
        case let error as FramingError: .framing(error)
        case TransportError.timedOut: .deadline
        default: .closed(afterSending: true)
        }
    }

    private func send(_ request: ClientRequest) async throws {
        out.removeAll(keepingCapacity: true)
        // Safety: a literal's bytes, lent for one append.
        request.method.text.withUTF8Buffer { unsafe out.append(contentsOf: $0) }
        out.append(0x20)
        out.append(contentsOf: request.target)
        out.append(contentsOf: " HTTP/1.1\r\nhost: ".utf8)
        out.append(contentsOf: request.host.utf8)
        out.append(0x0d)
        out.append(0x0a)
        out.append(contentsOf: request.headers.bytes)
        switch request.body {
        case .none:
            if request.method == .post || request.method == .put || request.method == .patch {
                appendLength(0)
            }
            endHead()
            try await transport.write(out)
        case .bytes(let bytes):
            appendLength(bytes.count)
            endHead()
            out.append(contentsOf: bytes)
            try await transport.write(out)
        case .stream(let length?, let next):
            appendLength(length)
            endHead()
            try await transport.write(out)
            while let part = try await next() {
                guard try await write(part) else { return }
            }
        case .stream(nil, let next):
            out.append(contentsOf: "transfer-encoding: chunked\r\n".utf8)
            endHead()
            try await transport.write(out)
            while let part = try await next() {
                guard !part.isEmpty else { continue }
                var chunk = Array(String(part.count, radix: 16).utf8)
                chunk.append(contentsOf: [0x0d, 0x0a])
                chunk.append(contentsOf: part)
                chunk.append(contentsOf: [0x0d, 0x0a])
                guard try await write(chunk) else { return }
            }
            try await transport.write(Array("0\r\n\r\n".utf8))
        }
    }

    /// Writes a part of a streamed body; false: the answer came first, and the rest is not sent.
    private func write(_ part: [UInt8]) async throws(TransportError) -> Bool {
        if transport.hasEarlyAnswer {
            isBroken = true
            return false
        }
        try await transport.write(part)
        return true
    }

    private func appendLength(_ count: Int) {
        out.append(contentsOf: "content-length: ".utf8)
        out.append(contentsOf: String(count).utf8)
        out.append(0x0d)
        out.append(0x0a)
    }

    private func endHead() {
        out.append(0x0d)
        out.append(0x0a)
    }

    /// Reads the head of the answer, over any 1xx; false: the connection ended before it.
    private func readHead(_ method: HTTPMethod) async throws -> Bool {
        var interimsLeft = 8
        while true {
            if buffer.count > 0,
                let length = try parser.headLength(
                    in: buffer.bytes,
                    from: buffer.start,
                    to: buffer.end
                )
            {
                try parser.readResponse(
                    buffer.bytes,
                    from: buffer.start,
                    length: length,
                    to: method,
                    into: head
                )
                buffer.consume(length)
                if head.status < 200 {
                    // 101 was never asked for, and interim answers have an end.
                    interimsLeft -= 1
                    guard head.status != 101, interimsLeft > 0 else {
                        throw FramingError.badStatusLine
                    }
                    continue
                }
                body = BodyDecoder(head.framing)
                return true
            }
            if try await transport.read(into: &buffer) == 0 { return false }
            hasReceived = true
        }
    }

    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { buffer.bytes[range] }

    /// The next bytes of the answer's body within the buffer; nil at its end.
    func nextBodyRange() async throws(HTTPClientError) -> Range<Int>? {
        while true {
            let step: BodyDecoder.Step
            do {
                step = try body.next(in: buffer.bytes, from: buffer.start, to: buffer.end)
            } catch {
                isBroken = true
                throw .framing(error)
            }
            switch step {
            case .end: return nil
            case .skip(let count): buffer.consume(count)
            case .data(let count):
                let range = buffer.start..<(buffer.start + count)
                buffer.consume(count)
                return range
            case .needsMore:
                do {
                    if try await transport.read(into: &buffer) == 0 {
                        isBroken = true
                        if body.endsWithConnection { return nil }
                        throw HTTPClientError.closed(afterSending: true)
                    }
                } catch {
                    isBroken = true
                    throw clientError(error)
                }
            }
        }
    }
}

/// An answer under way: its head is there, its body is read by the caller.
///
/// The connection goes back to its upstream once the body has been read to its end, and is closed
/// when the exchange is dropped before.
public final class HTTPExchange {
    /// The head; good until the body has been read.
    public let head: MessageHead
    private let connection: ClientConnection
    private let upstream: Upstream
    private var isReleased = false

    init(_ connection: ClientConnection, upstream: Upstream) {
        self.connection = connection
        self.upstream = upstream
        head = connection.head
    }

    deinit { release(reusable: false) }

    private func release(reusable: Bool) {
        guard !isReleased else { return }
        isReleased = true
        upstream.release(connection, reusable: reusable)
    }

    /// Sets when to give up anew: an event stream lives longer than the request that opened it.
    public func setDeadline(_ deadline: UInt64) { connection.deadline = deadline }

    /// The whole body, at most `max` bytes; afterwards the connection serves others.
    public func body(max: Int) async throws(HTTPClientError) -> [UInt8] {
        var whole: [UInt8] = []
        if case .length(let length) = head.framing {
            if length > max { throw .bodyTooLarge }
            whole.reserveCapacity(length)
        }
        while let range = try await connection.nextBodyRange() {
            if whole.count + range.count > max { throw .bodyTooLarge }
            whole.append(contentsOf: connection.bytes(range))
        }
        release(reusable: true)
        return whole
    }

    /// The next part of the body; nil at its end, when the connection serves others.
    public func nextBodyPart() async throws(HTTPClientError) -> [UInt8]? {
        guard let range = try await connection.nextBodyRange() else {
            release(reusable: true)
            return nil
        }
        return Array(connection.bytes(range))
    }
}
