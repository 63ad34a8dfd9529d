internal import CGlibcSystem
internal import Loops
internal import Synchronization

/// The task of a connection, set by whoever started it and cancelled at a request's deadline.
final class ConnectionTask: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)
    func set(_ new: Task<Void, Never>) { task.withLock { $0 = new } }
    func cancel() { task.withLock { $0 }?.cancel() }
}

/// One connection of a server: reads a head, has it answered, writes the answer, and again.
///
///     handshake ─▶ idle ─▶ head ─▶ handling (body within) ─▶ writing ─▶ idle …
///
/// Each phase has a deadline, which the loop's sweep looks at; no timer is made per request.
final class ServerConnection {
    enum Phase { case handshake, idle, head, body, handling, writing, streaming, closing }

    let transport: Transport
    let head = MessageHead()
    let peer: PeerAddress
    let isSecure: Bool
    private(set) var phase = Phase.handshake
    private(set) var phaseDeadline: UInt64
    private let limits: ServerLimits
    private unowned let server: LoopServer
    private let task: ConnectionTask
    private var buffer: ReceiveBuffer
    private var parser: HeadParser
    private var body = BodyDecoder(.none)
    private var out: [UInt8] = []
    private var owesContinue = false
    private var requestDeadline = UInt64.max
    private var bodyDeadline = UInt64.max
    private var served = 0
    private var isEndless = false
    /// The body could not be read to its end: nothing behind it can be trusted.
    private var isBodyBroken = false
    /// Its place in the server's list.
    var position = 0

    var loop: EventLoop { transport.loop }

    init(
        transport: Transport,
        peer: PeerAddress,
        isSecure: Bool,
        server: LoopServer,
        task: ConnectionTask
    ) {
        self.transport = transport
        self.peer = peer
        self.isSecure = isSecure
        self.server = server
        self.task = task
        limits = server.limits
        buffer = ReceiveBuffer(pool: server.pool)
        parser = HeadParser(limits: limits.head)
        phaseDeadline = transport.loop.now &+ limits.handshakeNanoseconds
        out.reserveCapacity(4_096)
    }

    private func enter(_ new: Phase, for nanoseconds: UInt64) {
        phase = new
        phaseDeadline = loop.now &+ nanoseconds
    }

    func setRequestDeadline(_ deadline: UInt64) {
        requestDeadline = deadline
        if phase == .handling { phaseDeadline = deadline }
    }

    /// Called by the sweep: ends whatever has taken too long.
    func check(now: UInt64) {
        guard now >= phaseDeadline else { return }
        switch phase {
        case .handling:
            phaseDeadline = .max
            task.cancel()
        case .handshake, .idle, .head, .body, .writing, .streaming, .closing:
            transport.interrupt(.timedOut)
        }
    }

    /// Closes at once where nothing is under way; a request under way ends first, and an endless
    /// stream now.
    ///
    /// Who has connected and asked nothing yet is given a moment: the question may be on its way.
    func beginDrain() {
        if isEndless { task.cancel() }
        guard phase == .idle else { return }
        if served > 0 {
            transport.interrupt(.closed)
        } else {
            phaseDeadline = min(phaseDeadline, loop.now &+ limits.lingerNanoseconds)
        }
    }

    /// Ends whatever is under way, at the end of a drain's patience.
    func abort() {
        task.cancel()
        transport.interrupt(.closed)
    }

    // MARK: Serving

    func serve() async {
        do {
            if isSecure { await server.gate.pass() }
            try await transport.handshake()
            while try await serveNext() {}
            try await flush()
        } catch {
            // The peer is gone, or took too long: there is nobody to tell.
        }
        transport.close()
    }

    /// One request and its answer; false: the connection ends.
    private func serveNext() async throws(TransportError) -> Bool {
        do {
            guard try await readHead() else { return false }
        } catch {
            switch error {
            case .framing(let error):
                try await refuse(error)
                return false
            case .transport(let error):
                if error == .timedOut, phase == .head {
                    transport.clearInterruption()
                    try await answer(
                        server.handler.refusal(.headTimeout),
                        keepsAlive: false,
                        method: .get
                    )
                    try await flush()
                }
                throw error
            }
        }
        // What was answered before does not wait for this request's handler.
        try await flush()
        served += 1
        requestDeadline = loop.now &+ limits.requestNanoseconds
        bodyDeadline = loop.now &+ limits.bodyNanoseconds
        phase = .handling
        phaseDeadline = requestDeadline
        owesContinue = head.expectsContinue
        body = BodyDecoder(head.framing)
        isBodyBroken = false
        let request = HTTPRequest(self, receivedAt: loop.now)
        let response = await server.handler.respond(to: request)
        if transport.interruption == .timedOut { transport.clearInterruption() }
        let keepsAlive =
            head.keepsAlive && !response.closes && served < limits.requestsMax
            && !server.isDraining && !Task.isCancelled && canDrainBody
        try await answer(response, keepsAlive: keepsAlive, method: head.method)
        guard keepsAlive else {
            try await linger()
            return false
        }
        return try await dropRestOfBody()
    }

    private enum HeadError: Error {
        case framing(FramingError)
        case transport(TransportError)
    }

    /// Reads up to the end of the next head; false: the peer has ended instead.
    private func readHead() async throws(HeadError) -> Bool {
        buffer.shrink()
        // The first head has its time from the connection's start.
        let idle = limits.idleNanoseconds
        enter(.idle, for: served == 0 ? min(limits.headNanoseconds, idle) : idle)
        while true {
            if buffer.count > 0 {
                if phase == .idle { enter(.head, for: limits.headNanoseconds) }
                do {
                    if let length = try parser.headLength(
                        in: buffer.bytes,
                        from: buffer.start,
                        to: buffer.end
                    ) {
                        try parser.readRequest(
                            buffer.bytes,
                            from: buffer.start,
                            length: length,
                            into: head
                        )
                        buffer.consume(length)
                        return true
                    }
                } catch { throw .framing(error) }
            }
            do {
                if !out.isEmpty { try await flush() }
                if phase == .idle, server.isDraining, served > 0 { return false }
                if try await transport.read(into: &buffer) == 0 { return false }
            } catch { throw .transport(error) }
        }
    }

    private func refuse(_ error: FramingError) async throws(TransportError) {
        try await answer(server.handler.refusal(error), keepsAlive: false, method: .get)
        try await linger()
    }

    /// Lets the peer read the answer before the connection is reset by what it still sends.
    private func linger() async throws(TransportError) {
        try await flush()
        transport.finishWriting()
        enter(.closing, for: limits.lingerNanoseconds)
        var dropped = 0
        while dropped < limits.drainedBytesMax {
            buffer.consume(buffer.count)
            let count = try await transport.read(into: &buffer)
            if count == 0 { return }
            dropped += count
        }
    }

    // MARK: Body

    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { buffer.bytes[range] }

    /// The next bytes of the body within the buffer; nil at its end.
    func nextBodyRange() async throws(BodyError) -> Range<Int>? {
        do {
            return try await readBodyRange()
        } catch {
            isBodyBroken = true
            throw error
        }
    }

    private func readBodyRange() async throws(BodyError) -> Range<Int>? {
        while true {
            let step: BodyDecoder.Step
            do {
                step = try body.next(in: buffer.bytes, from: buffer.start, to: buffer.end)
            } catch { throw .framing(error) }
            if body.announced > limits.bodyBytesMax { throw .tooLarge }
            switch step {
            case .end: return nil
            case .skip(let count): buffer.consume(count)
            case .data(let count):
                let range = buffer.start..<(buffer.start + count)
                buffer.consume(count)
                return range
            case .needsMore:
                do { try await readMoreOfBody() } catch { throw .connection(error) }
            }
        }
    }

    private func readMoreOfBody() async throws(TransportError) {
        if owesContinue {
            owesContinue = false
            out.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
            try await flush()
        }
        let before = phase
        phase = .body
        phaseDeadline = min(bodyDeadline, requestDeadline)
        defer {
            phase = before
            phaseDeadline = requestDeadline
        }
        if try await transport.read(into: &buffer) == 0 { throw .closed }
    }

    /// Whether what is left of the body is worth reading over to keep the connection.
    private var canDrainBody: Bool {
        if isBodyBroken { return false }
        if body.isAtEnd { return true }
        // Who still waits for 100 may or may not send the body now: only closing is clear.
        if owesContinue { return false }
        if case .length(let length) = head.framing { return length <= limits.drainedBytesMax }
        return true
    }

    private func dropRestOfBody() async throws(TransportError) -> Bool {
        if body.isAtEnd { return true }
        // The answer does not wait for what nobody reads.
        do { try await flush() } catch { return false }
        var dropped = 0
        while true {
            do {
                guard let range = try await nextBodyRange() else { return true }
                dropped += range.count
            } catch { return false }
            if dropped > limits.drainedBytesMax { return false }
        }
    }

    // MARK: Answer

    private func answer(
        _ response: HTTPResponse,
        keepsAlive: Bool,
        method: HTTPMethod
    ) async throws(TransportError) {
        enter(.writing, for: limits.writeNanoseconds)
        StatusLine.append(response.status, to: &out)
        out.append(contentsOf: server.dateField())
        out.append(contentsOf: response.headers.bytes)
        let hasNoBody = response.status < 200 || response.status == 204 || response.status == 304
        switch response.body {
        case .none, .bytes:
            var bytes: [UInt8] = []
            if case .bytes(let some) = response.body { bytes = some }
            if method == .head, case .none = response.body {
                if let length = response.declaredLength, !hasNoBody { appendLength(length) }
            } else if !hasNoBody {
                appendLength(bytes.count)
            }
            finishHead(keepsAlive: keepsAlive)
            if method != .head, !hasNoBody { out.append(contentsOf: bytes) }
            if out.count > limits.outBytesMax { try await flush() }
        case .stream(let length, let produce):
            let isChunked = length == nil && head.minorVersion == 1
            if let length {
                appendLength(length)
            } else if isChunked {
                out.append(contentsOf: "transfer-encoding: chunked\r\n".utf8)
            }
            finishHead(keepsAlive: keepsAlive && (length != nil || isChunked))
            try await flush()
            let writer = BodyWriter(
                transport: transport,
                isChunked: isChunked,
                isDiscarded: method == .head
            ) { [unowned self] in streamMoves($0) }
            if response.isEndless { becomeEndless() }
            streamMoves(.waits)
            do {
                try await produce(writer)
            } catch {
                // A stream that has no end of its own is ended properly by a drain.
                guard isEndless, server.isDraining, !transport.peerClosed else { throw .closed }
            }
            try await writer.finish()
            if isEndless || (length == nil && !isChunked) { throw .closed }
        }
    }

    /// Whoever produces has its time, whoever reads has it too; an endless stream may be silent.
    private func streamMoves(_ how: BodyWriter.Movement) {
        switch how {
        case .writes: enter(.writing, for: limits.writeNanoseconds)
        case .waits: enter(.streaming, for: limits.streamNanoseconds)
        }
        if isEndless, phase == .streaming { phaseDeadline = .max }
    }

    /// From now on the peer's going, and a drain, end the task.
    private func becomeEndless() {
        isEndless = true
        transport.whenPeerCloses = { [unowned self] in task.cancel() }
        if transport.peerClosed || server.isDraining { task.cancel() }
    }

    private func appendLength(_ count: Int) {
        out.append(contentsOf: "content-length: ".utf8)
        out.append(contentsOf: String(count).utf8)
        out.append(0x0d)
        out.append(0x0a)
    }

    private func finishHead(keepsAlive: Bool) {
        if !keepsAlive {
            out.append(contentsOf: "connection: close\r\n".utf8)
        } else if head.minorVersion == 0 {
            out.append(contentsOf: "connection: keep-alive\r\n".utf8)
        }
        out.append(0x0d)
        out.append(0x0a)
    }

    private func flush() async throws(TransportError) {
        guard !out.isEmpty else { return }
        try await transport.write(out)
        // What was large once is given back.
        out.removeAll(keepingCapacity: out.capacity <= 2 * limits.outBytesMax)
    }
}
