internal import Loops

/// One connection to an upstream: one request after the other.
final class ClientConnection {
    let transport: Transport
    /// That of the answer under way; while there is none it serves other connections.
    private(set) var head: MessageHead?
    var deadline: UInt64 = .max
    var idleSince: UInt64 = 0
    var position = -1
    /// Whether its answer has no end: it is outside the pool's bound and not used again.
    var isStream = false
    private(set) var served = 0
    private var input: HeadReader
    private var body = BodyDecoder(.none)
    private let spares: ClientSpares
    private var keepsAlive = true
    private var isBroken = false
    private var hasReceived = false
    /// Whether a byte of the request may have gone out.
    private var hasSent = false
    /// Whether all of it has.
    private var hasSentAll = false

    init(transport: Transport, limits: ClientLimits, spares: ClientSpares) {
        self.transport = transport
        self.spares = spares
        input = HeadReader(limits: limits.head, pool: spares.blocks)
    }

    /// Whether another request may go out on it.
    var isReusable: Bool {
        !isBroken && body.isAtEnd && keepsAlive && input.buffer.count == 0
            && transport.interruption == nil && !transport.isStale()
    }

    /// Waits until the connection stands, TLS included.
    func establish() async throws(TransportError) {
        try await transport.waitConnected()
        try await transport.handshake()
    }

    func close() { transport.close() }

    /// Holds no block while it is kept.
    func rest() {
        input.buffer.shrink()
        if let head = head.take() { spares.give(head) }
    }

    /// Whether nothing of an answer has come.
    var hasReadNothing: Bool { !hasReceived }

    /// Sends the request and reads the head of the final answer.
    func exchange(
        _ request: ClientRequest,
        adding fields: (inout HeaderBlock) -> Void
    ) async throws(HTTPClientError) -> MessageHead {
        hasReceived = false
        hasSent = false
        hasSentAll = false
        do {
            if let rest = try sendAtOnce(request, fields) {
                try await transport.write(rest.bytes, from: rest.sent)
            }
            if case .stream(let length, let next) = request.body {
                // Cannot fire: it is taken back in this function, which holds the connection.
                transport.whenReadable = { [unowned self] in
                    if transport.hasEarlyAnswer { request.stopBody?() }
                }
                defer { transport.whenReadable = nil }
                try await send(next, isChunked: length == nil)
            }
        } catch {
            isBroken = true
            let wasStopped = error as? BodyError == .connection(.answered)
            // Even so the upstream may have answered early (413) before it stopped reading.
            guard hasSent, wasStopped || error as? TransportError == .closed else {
                throw clientError(error)
            }
            do { return try await readHead(request.method) } catch let last {
                throw clientError(wasStopped ? last : error)
            }
        }
        hasSentAll = true
        do {
            let head = try await readHead(request.method)
            served += 1
            return head
        } catch {
            isBroken = true
            throw clientError(error)
        }
    }

    /// Sends the head, and the body unless that is a stream; what is not taken at once is answered.
    @inline(never)
    private func sendAtOnce(
        _ request: ClientRequest,
        _ fields: (inout HeaderBlock) -> Void
    ) throws(TransportError) -> (bytes: [UInt8], sent: Int)? {
        var out = gather(request, fields)
        let sent = try transport.writeAtOnce(out)
        hasSent = true
        guard sent == out.count else { return (out, sent) }
        out.removeAll(keepingCapacity: true)
        spares.out.give(out)
        return nil
    }

    private func clientError(_ error: any Error) -> HTTPClientError {
        switch error {
        case let error as HTTPClientError: error
        case let error as FramingError: .framing(error)
        case let error as BodyError: .source(error)
        case TransportError.timedOut: .deadline(afterSending: hasSentAll)
        default: .closed(afterSending: hasSent)
        }
    }

    /// The request's head, and its body unless that is a stream.
    private func gather(
        _ request: ClientRequest,
        _ fields: (inout HeaderBlock) -> Void
    ) -> [UInt8] {
        var out = spares.out.take()
        out.append(request.method.text)
        out.append(0x20)
        let target = request.target
        out.append(target.span)
        out.append(" HTTP/1.1\r\nhost: ")
        out.append(text: request.host)
        out.appendLineEnd()
        out.append(request.headers.bytes.span)
        var block = HeaderBlock(behind: out)
        out = []
        fields(&block)
        out = block.take()
        switch request.body {
        case .none:
            if request.method == .post || request.method == .put || request.method == .patch {
                appendLength(0, to: &out)
            }
            out.appendLineEnd()
        case .bytes(let bytes):
            appendLength(bytes.count, to: &out)
            out.appendLineEnd()
            out.append(bytes.span)
        case .stream(let length?, _):
            appendLength(length, to: &out)
            out.appendLineEnd()
        case .stream(nil, _):
            out.append("transfer-encoding: chunked\r\n\r\n")
        }
        return out
    }

    private func appendLength(_ count: Int, to out: inout [UInt8]) {
        out.append("content-length: ")
        out.append(decimal: count)
        out.appendLineEnd()
    }

    private func send(_ next: () async throws -> [UInt8]?, isChunked: Bool) async throws {
        while !answersEarly, let part = try await next(), !answersEarly {
            guard isChunked else {
                try await transport.write(part)
                continue
            }
            guard !part.isEmpty else { continue }
            var chunk = Array(String(part.count, radix: 16).utf8)
            chunk.appendLineEnd()
            chunk.append(part.span)
            chunk.appendLineEnd()
            try await transport.write(chunk)
        }
        if isChunked, !isBroken { try await transport.write(Array("0\r\n\r\n".utf8)) }
    }

    /// Whether the answer came before the body's end: the rest is not sent, nor anything after it.
    private var answersEarly: Bool {
        if transport.hasEarlyAnswer { isBroken = true }
        return isBroken
    }

    /// Reads the head of the answer, over any 1xx.
    private func readHead(_ method: HTTPMethod) async throws -> MessageHead {
        var interimsLeft = 8
        while true {
            guard let head = try nextHead(method) else {
                if input.buffer.count == 0 {
                    try await transport.waitReadable()
                    // The rest of a head is owed: who reads looks once more, for a reset may make
                    // no other edge.
                } else if try await transport.read(into: &input.buffer) == 0 {
                    throw HTTPClientError.closed(afterSending: true)
                }
                continue
            }
            if head.status >= 200 { return head }
            // 101 was never asked for, and interim answers have an end.
            interimsLeft -= 1
            guard head.status != 101, interimsLeft > 0 else { throw FramingError.badStatusLine }
        }
    }

    /// The next head, as far as that needs no waiting; nil: it does.
    @inline(never)
    private func nextHead(_ method: HTTPMethod) throws -> MessageHead? {
        while true {
            if input.buffer.count > 0 {
                let head = self.head ?? spares.takeHead()
                self.head = head
                if try input.readResponse(to: method, into: head) {
                    keepsAlive = head.keepsAlive
                    body = BodyDecoder(head.framing)
                    return head
                }
            }
            guard let count = try transport.readNow(into: &input.buffer) else { return nil }
            if count == 0 { throw HTTPClientError.closed(afterSending: true) }
            hasReceived = true
        }
    }

    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { input.buffer.bytes[range] }

    /// The next bytes of the answer's body within the buffer; nil at its end.
    func nextBodyRange() async throws(HTTPClientError) -> Range<Int>? {
        while true {
            switch try nextBodyStep() {
            case .end: return nil
            case .skip: continue
            case .data(let count): return input.buffer.take(count)
            case .needsMore:
                do {
                    if try await transport.read(into: &input.buffer) == 0 {
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

    /// What follows of the body, its framing skipped.
    private func nextBodyStep() throws(HTTPClientError) -> BodyDecoder.Step {
        do {
            let step = try body.next(
                in: input.buffer.bytes,
                from: input.buffer.start,
                to: input.buffer.end
            )
            if case .skip(let count) = step { input.buffer.consume(count) }
            return step
        } catch {
            isBroken = true
            throw .framing(error)
        }
    }

    /// The whole body where it has come with the head, as a small one mostly does.
    func bodyAtOnce() -> ArraySlice<UInt8>? {
        guard case .length(let length) = head?.framing, input.buffer.count >= length,
            case .data(length)? = try? nextBodyStep()
        else { return nil }
        return input.buffer.bytes[input.buffer.take(length)]
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

    init(_ connection: ClientConnection, upstream: Upstream, head: MessageHead) {
        self.connection = connection
        self.upstream = upstream
        self.head = head
    }

    deinit { release(reusable: false) }

    private func release(reusable: Bool) {
        guard !isReleased else { return }
        isReleased = true
        upstream.release(connection, reusable: reusable)
    }

    /// Sets when to give up anew: an event stream lives longer than the request that opened it.
    public func setDeadline(_ deadline: UInt64) { connection.deadline = deadline }

    /// Says that the answer has no end: its connection leaves the pool, so that others may use the
    /// place, and is closed after it; false: as many such answers are open as may.
    public func becomeStream() -> Bool { upstream.makeStream(connection) }

    /// The whole body, at most `max` bytes, if all of it has come by now; else nil, and `body`
    /// waits for it.
    public func bodyAtOnce(max: Int) -> [UInt8]? {
        guard case .length(let length) = head.framing, length <= max,
            let bytes = connection.bodyAtOnce()
        else { return nil }
        let whole = Array(bytes)
        release(reusable: true)
        return whole
    }

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
