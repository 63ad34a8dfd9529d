internal import CGlibcSystem
internal import Loops

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
    // Cannot fire: `LoopServer.serve` makes it and waits for its end.
    private unowned let server: LoopServer
    let task: ConnectionTask
    private var input: HeadReader
    private var body = BodyDecoder(.none)
    /// What is to be sent; its block is the loop's while nothing is.
    private var out: [UInt8] = []
    /// How much of it the peer has taken.
    private var outSent = 0
    private var owesContinue = false
    private var requestDeadline = UInt64.max
    private var bodyDeadline = UInt64.max
    private var served = 0
    private var isEndless = false
    /// Nobody wants the rest of the body.
    private var isBodyStopped = false
    /// The body could not be read to its end: nothing behind it can be trusted.
    private var isBodyBroken = false
    /// The one under way or the last one; used again, for each is good until it is answered.
    private var request: HTTPRequest?
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
        input = HeadReader(limits: limits.head, pool: server.pool)
        // Cannot wrap: limits are of the settings, minutes at most, and are added to the clock.
        phaseDeadline = transport.loop.now &+ limits.handshakeNanoseconds
    }

    private func enter(_ new: Phase, for nanoseconds: UInt64) {
        phase = new
        // Cannot wrap: limits are of the settings, minutes at most, and are added to the clock.
        phaseDeadline = loop.now &+ nanoseconds
    }

    func setRequestDeadline(_ deadline: UInt64) {
        requestDeadline = deadline
        if phase == .handling { phaseDeadline = deadline }
    }

    /// Called by the sweep: ends whatever has taken too long; `earlier`: by how much sooner that is
    /// said of one that is idle between two requests.
    ///
    /// Cannot wrap: limits are of the settings, minutes at most, and are added to the clock.
    func check(now: UInt64, earlier: UInt64) {
        guard now &+ (isKept ? earlier : 0) >= phaseDeadline else { return }
        switch phase {
        case .handling:
            phaseDeadline = .max
            task.cancel()
        case .handshake, .idle, .head, .body, .writing, .streaming, .closing:
            transport.interrupt(.timedOut)
        }
    }

    /// Whether it waits between two requests, with every answer sent.
    private var isKept: Bool { phase == .idle && served > 0 && out.isEmpty }

    /// Closes at once where nothing is under way; a request or an answer under way ends first, and
    /// an endless stream now.
    ///
    /// Who has connected and asked nothing yet is given a moment: the question may be on its way.
    func beginDrain() {
        if isEndless { task.cancel() }
        if isKept {
            transport.interrupt(.closed)
        } else if phase == .idle, served == 0 {
            // Cannot wrap: limits are of the settings, minutes at most, and are added to the clock.
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
        // It holds the connection, as the connection holds it.
        request = nil
        transport.close()
    }

    // What follows and does not wait is kept out of the async functions: whatever is inlined there
    // lies in their frames, which wait in memory with each connection.

    /// One request and its answer; false: the connection ends.
    private func serveNext() async throws(TransportError) -> Bool {
        becomeIdle()
        do {
            reading: while true {
                switch try nextHead() {
                case .whole: break reading
                case .ended: return false
                case .refused(let error):
                    try await refuse(error)
                    return false
                case .mustFlush: try await flush()
                case .mustRead: try await transport.waitReadable()
                }
            }
            // What was answered before does not wait for this request's handler.
            if try !flushAtOnce() { try await flush() }
        } catch {
            if error == .timedOut, phase == .head { try await tellHeadTimeout() }
            throw error
        }
        let step = append(await server.handler.respond(to: beginRequest()))
        if let body = step.body { try await writeParts(of: body) }
        if let produce = step.produce { try await stream(produce) }
        if step.mustFlush { try await flush() }
        guard step.keepsAlive else {
            try await linger()
            return false
        }
        return body.isAtEnd ? true : try await dropRestOfBody()
    }

    @inline(never)
    private func beginRequest() -> HTTPRequest {
        // Where nothing has come behind the head, the block serves others meanwhile.
        input.buffer.shrink()
        if served == 0 { server.served(self) }
        served += 1
        let now = loop.now
        // Cannot wrap: limits are of the settings, minutes at most, and are added to the clock.
        requestDeadline = now &+ limits.requestNanoseconds
        bodyDeadline = now &+ limits.bodyNanoseconds
        phase = .handling
        phaseDeadline = requestDeadline
        owesContinue = head.expectsContinue
        body = BodyDecoder(head.framing)
        isBodyBroken = false
        isBodyStopped = false
        let request = self.request ?? HTTPRequest(self)
        self.request = request
        request.receivedAt = now
        return request
    }

    /// Gathers the handler's answer.
    @inline(never)
    private func append(_ response: HTTPResponse) -> AnswerStep {
        if transport.interruption == .timedOut { transport.clearInterruption() }
        let keepsAlive =
            head.keepsAlive && !response.closes && served < limits.requestsMax
            && !server.isDraining && !Task.isCancelled && canDrainBody
        append(response, keepsAlive: keepsAlive, method: head.method)
        var step = AnswerStep(keepsAlive: keepsAlive)
        if case .stream(let length, let produce) = response.body {
            step.produce = StreamedAnswer(
                length: length,
                isChunked: length == nil && head.minorVersion == 1,
                isDiscarded: head.method == .head,
                isEndless: response.isEndless,
                produce: produce
            )
        } else {
            step.mustFlush = out.count > limits.outBytesMax
            if case .bytes(let bytes) = response.body, bytes.count >= limits.partBytes,
                head.method != .head, !Self.hasNoBody(response.status)
            {
                step.body = bytes
            }
        }
        return step
    }

    @inline(never)
    private func becomeIdle() {
        input.buffer.shrink()
        // The first head has its time from the connection's start.
        let idle = limits.idleNanoseconds
        enter(.idle, for: served == 0 ? min(limits.headNanoseconds, idle) : idle)
    }

    private enum HeadStep {
        case whole
        case mustRead
        case mustFlush
        /// The peer has ended.
        case ended
        case refused(FramingError)
    }

    /// Goes on to the end of the next head, as far as that needs no waiting.
    @inline(never)
    private func nextHead() throws(TransportError) -> HeadStep {
        while true {
            if input.buffer.count > 0 {
                if phase == .idle { enter(.head, for: limits.headNanoseconds) }
                do {
                    if try input.readRequest(into: head) { return .whole }
                } catch { return .refused(error) }
            }
            guard try flushAtOnce() else { return .mustFlush }
            if phase == .idle, server.isDraining, served > 0 { return .ended }
            guard let count = try transport.readNow(into: &input.buffer) else { return .mustRead }
            if count == 0 { return .ended }
        }
    }

    private func tellHeadTimeout() async throws(TransportError) {
        transport.clearInterruption()
        append(server.handler.refusal(.headTimeout), keepsAlive: false, method: .get)
        try await flush()
    }

    private func refuse(_ error: FramingError) async throws(TransportError) {
        append(server.handler.refusal(error), keepsAlive: false, method: .get)
        try await linger()
    }

    /// Lets the peer read the answer before the connection is reset by what it still sends.
    private func linger() async throws(TransportError) {
        try await flush()
        transport.finishWriting()
        enter(.closing, for: limits.lingerNanoseconds)
        var dropped = 0
        while dropped < limits.lingerBytesMax {
            input.buffer.consume(input.buffer.count)
            let count = try await transport.read(into: &input.buffer)
            if count == 0 { return }
            dropped += count
        }
    }

    // MARK: Body

    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { input.buffer.bytes[range] }

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
                step = try body.next(
                    in: input.buffer.bytes,
                    from: input.buffer.start,
                    to: input.buffer.end
                )
            } catch { throw .framing(error) }
            if body.announced > limits.bodyBytesMax { throw .tooLarge }
            switch step {
            case .end: return nil
            case .skip(let count): input.buffer.consume(count)
            case .data(let count): return input.buffer.take(count)
            case .needsMore:
                do { try await readMoreOfBody() } catch { throw .connection(error) }
            }
        }
    }

    private func readMoreOfBody() async throws(TransportError) {
        if owesContinue {
            owesContinue = false
            if out.capacity == 0 { out = server.outPool.take() }
            out.append("HTTP/1.1 100 Continue\r\n\r\n")
            try await flush()
        }
        guard !isBodyStopped else { throw .answered }
        let before = phase
        phase = .body
        phaseDeadline = min(bodyDeadline, requestDeadline)
        defer {
            phase = before
            phaseDeadline = requestDeadline
        }
        do throws(TransportError) {
            if try await transport.read(into: &input.buffer) == 0 { throw .closed }
        } catch {
            if error == .answered { transport.clearInterruption() }
            throw error
        }
    }

    /// Ends the wait for more of the body, now or when it comes.
    func stopBody() {
        isBodyStopped = true
        if phase == .body { transport.interrupt(.answered) }
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
        try await flush()
        var dropped = 0
        while dropped <= limits.drainedBytesMax {
            do {
                guard let range = try await nextBodyRange() else { return true }
                dropped += range.count
            } catch {
                if case .connection(let error) = error, error != .answered { throw error }
                break
            }
        }
        try await linger()
        return false
    }

    // MARK: Answer

    /// Gathers the answer's head, and its body unless that is a stream.
    private func append(_ response: HTTPResponse, keepsAlive: Bool, method: HTTPMethod) {
        enter(.writing, for: limits.writeNanoseconds)
        // Out of the connection meanwhile, for each access to a field that spans a call is checked.
        var out: [UInt8] = []
        swap(&out, &self.out)
        if out.capacity == 0 { out = server.outPool.take() }
        StatusLine.append(response.status, to: &out)
        let date = server.dateField()
        out.append(date.span)
        out.append(response.headers.bytes.span)
        let hasNoBody = Self.hasNoBody(response.status)
        switch response.body {
        case .none:
            let length = method == .head ? response.declaredLength : 0
            if let length, !hasNoBody { appendLength(length, to: &out) }
            finishHead(keepsAlive: keepsAlive, to: &out)
        case .bytes(let bytes):
            if !hasNoBody { appendLength(bytes.count, to: &out) }
            finishHead(keepsAlive: keepsAlive, to: &out)
            if method != .head, !hasNoBody, bytes.count < limits.partBytes {
                out.append(bytes.span)
            }
        case .stream(let length, _):
            let isChunked = length == nil && head.minorVersion == 1
            if let length {
                appendLength(length, to: &out)
            } else if isChunked {
                out.append("transfer-encoding: chunked\r\n")
            }
            finishHead(keepsAlive: keepsAlive && (length != nil || isChunked), to: &out)
        }
        swap(&out, &self.out)
    }

    private static func hasNoBody(_ status: Int) -> Bool {
        status < 200 || status == 204 || status == 304
    }

    /// Writes a large body from where it lies, in parts that have their time each.
    ///
    /// Whoever does not take it has no further request taken.
    private func writeParts(of body: [UInt8]) async throws(TransportError) {
        try await flush()
        var sent = 0
        while sent < body.count {
            let end = min(body.count, sent + limits.partBytes)
            enter(.writing, for: limits.writeNanoseconds)
            try await transport.write(body, from: sent, to: end)
            sent = end
        }
    }

    private func stream(_ answer: StreamedAnswer) async throws(TransportError) {
        try await flush()
        let writer = BodyWriter(
            transport: transport,
            isChunked: answer.isChunked,
            // Cannot fire: producing ends before this function does, and no writer is kept.
            isDiscarded: answer.isDiscarded
        ) { [unowned self] in streamMoves($0) }
        if answer.isEndless { becomeEndless() }
        streamMoves(.waits)
        do {
            try await answer.produce(writer)
        } catch {
            // A stream that has no end of its own is ended properly by a drain.
            guard isEndless, server.isDraining, !transport.peerClosed else { throw .closed }
        }
        try await writer.finish()
        if isEndless || (answer.length == nil && !answer.isChunked) { throw .closed }
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
        // Cannot fire: `serve`, which holds the connection, closes the transport at its end.
        transport.whenPeerCloses = { [unowned self] in task.cancel() }
        if transport.peerClosed || server.isDraining { task.cancel() }
    }

    private func appendLength(_ count: Int, to out: inout [UInt8]) {
        out.append("content-length: ")
        out.append(decimal: count)
        out.appendLineEnd()
    }

    private func finishHead(keepsAlive: Bool, to out: inout [UInt8]) {
        if !keepsAlive {
            out.append("connection: close\r\n")
        } else if head.minorVersion == 0 {
            out.append("connection: keep-alive\r\n")
        }
        out.appendLineEnd()
    }

    /// Writes what is gathered as far as that needs no waiting; false: `flush` has to go on.
    @inline(never)
    private func flushAtOnce() throws(TransportError) -> Bool {
        if outSent == 0, !out.isEmpty { outSent = try transport.writeAtOnce(out) }
        guard outSent == out.count else { return false }
        giveOutBack()
        return true
    }

    private func flush() async throws(TransportError) {
        try await transport.write(out, from: outSent)
        giveOutBack()
    }

    private func giveOutBack() {
        guard out.capacity > 0 else { return }
        outSent = 0
        var given: [UInt8] = []
        swap(&given, &out)
        given.removeAll(keepingCapacity: true)
        server.outPool.give(given)
    }
}
