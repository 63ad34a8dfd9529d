public import Loops

/// Where a connection comes from.
public struct PeerAddress: Sendable, Hashable {
    /// The numeric address, without the port.
    public let text: String
    /// Whether it is an IPv6 address.
    public let isIPv6: Bool
    /// Whose address it is: all of an IPv4 address; the first half of an IPv6 one, for whoever has
    /// one address of a /64 mostly has all of them (RFC 6177).
    public let network: UInt64

    /// What a larger network has of it: an IPv4 /24, an IPv6 /48.
    var site: UInt64 { network >> 32 == 0xffff ? network & ~0xff : network & ~0xffff }
}

/// What answers requests on one loop; made there, and need not be `Sendable`.
public protocol HTTPHandler: AnyObject {
    /// Answers one request.
    ///
    /// The task is cancelled at the request's deadline; what is returned then is still written and
    /// the connection closed.
    func respond(to request: HTTPRequest) async -> HTTPResponse
    /// The answer to a message that could not be read; the connection is closed after it.
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse
    /// A connection has ended before TLS stood.
    func handshakeFailed(_ error: TransportError)
}

extension HTTPHandler {
    /// Nothing: most servers have no TLS.
    public func handshakeFailed(_ error: TransportError) {}
}

/// One request on its connection; good until it is answered.
public final class HTTPRequest {
    /// The head; used again for the connection's next request.
    public let head: MessageHead
    /// Who is at the other end of the connection.
    public let peer: PeerAddress
    /// When the head was complete, in monotonic nanoseconds.
    public internal(set) var receivedAt: UInt64 = 0
    /// Whether the connection is under TLS.
    public let isSecure: Bool
    /// The loop on which the connection lives.
    public let loop: EventLoop
    private let connection: ServerConnection

    init(_ connection: ServerConnection) {
        self.connection = connection
        loop = connection.loop
        head = connection.head
        peer = connection.peer
        isSecure = connection.isSecure
    }

    /// Sets when the request's task is cancelled, in monotonic nanoseconds.
    public func setDeadline(_ deadline: UInt64) { connection.setRequestDeadline(deadline) }

    /// Ends the wait for more of the body, which fails: the answer is known without it.
    public func stopBody() { connection.stopBody() }

    /// The declared length of the body; nil for chunks, 0 where there is none.
    public var bodyLength: Int? {
        switch head.framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    /// The whole body, at most `max` bytes.
    /// - Throws: `.bodyTooLarge` before a byte too many is kept; what broke the connection.
    public func body(max: Int) async throws(BodyError) -> [UInt8] {
        if let bodyLength, bodyLength > max { throw .tooLarge }
        var whole: [UInt8] = []
        if let bodyLength { whole.reserveCapacity(bodyLength) }
        while let range = try await connection.nextBodyRange() {
            if whole.count + range.count > max { throw .tooLarge }
            whole.append(contentsOf: connection.bytes(range))
        }
        return whole
    }

    /// The next part of the body, as it comes, or nil at its end; the sender waits while we do.
    public func nextBodyPart() async throws(BodyError) -> [UInt8]? {
        guard let range = try await connection.nextBodyRange() else { return nil }
        return Array(connection.bytes(range))
    }
}

/// Why a body could not be read to its end.
public enum BodyError: Error, Equatable, Sendable {
    case tooLarge
    case framing(FramingError)
    case connection(TransportError)
}

/// An answer.
public struct HTTPResponse {
    /// What follows the head.
    public enum Body {
        case none
        case bytes([UInt8])
        /// Written piece by piece; without a length in chunks.
        case stream(length: Int?, (BodyWriter) async throws -> Void)
    }

    /// The status.
    public var status: Int
    /// The fields; length, date and connection are the server's to add.
    public var headers: HeaderBlock
    /// The body.
    public var body: Body
    /// Whether the connection ends with this answer.
    public var closes = false
    /// For HEAD: the length that the body of a GET would have, where it is known without one.
    public var declaredLength: Int?
    /// Whether the stream has no end of its own (server-sent events): it may be silent for as long
    /// as it likes, and its task is cancelled when the client goes and when the server drains.
    public var isEndless = false

    /// An answer.
    public init(status: Int, headers: HeaderBlock = HeaderBlock(), body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Where a streamed body is written; each write waits until the peer has room for it.
public final class BodyWriter {
    /// What the stream is about.
    enum Movement { case writes, waits }
    private let transport: Transport
    private let isChunked: Bool
    private let isDiscarded: Bool
    private let moves: (Movement) -> Void

    init(
        transport: Transport,
        isChunked: Bool,
        isDiscarded: Bool,
        moves: @escaping (Movement) -> Void
    ) {
        self.transport = transport
        self.isChunked = isChunked
        self.isDiscarded = isDiscarded
        self.moves = moves
    }

    /// The loop on which to write.
    public var loop: EventLoop { transport.loop }

    /// Writes some bytes of the body.
    public func write(_ bytes: [UInt8]) async throws(TransportError) {
        guard !bytes.isEmpty, !isDiscarded else { return }
        moves(.writes)
        if isChunked {
            var chunk = Array(String(bytes.count, radix: 16).utf8)
            chunk.reserveCapacity(bytes.count + 12)
            chunk.append(0x0d)
            chunk.append(0x0a)
            chunk.append(contentsOf: bytes)
            chunk.append(0x0d)
            chunk.append(0x0a)
            try await transport.write(chunk)
        } else {
            try await transport.write(bytes)
        }
        moves(.waits)
    }

    func finish() async throws(TransportError) {
        guard isChunked, !isDiscarded else { return }
        try await transport.write(Array("0\r\n\r\n".utf8))
    }
}
