internal import CGlibcSystem
internal import Loops

/// One connection of a server: reads a head, has it answered, writes the answer, and again.
///
///     handshake ─▶ idle ─▶ head ─▶ handling (body within) ─▶ writing ─▶ idle …
///
/// Each phase has a deadline, which the loop's sweep looks at; no timer is made per request. This
/// is the round of requests; reading a body and writing an answer are in files beside it.
final class ServerConnection {
    enum Phase { case handshake, idle, head, body, handling, writing, streaming, closing }

    let transport: Transport
    let head = MessageHead()
    let peer: PeerAddress
    let isSecure: Bool
    var phase = Phase.handshake
    var phaseDeadline: UInt64
    let limits: ServerLimits
    // Cannot fire: `LoopServer.serve` makes it and waits for its end.
    unowned let server: LoopServer
    let task: ConnectionTask
    var input: HeadReader
    var body = BodyDecoder(.none)
    /// What is to be sent; its block is the loop's while nothing is.
    var out: [UInt8] = []
    /// How much of it the peer has taken.
    var outSent = 0
    var owesContinue = false
    var requestDeadline = UInt64.max
    var bodyDeadline = UInt64.max
    private var served = 0
    var isEndless = false
    /// Nobody wants the rest of the body.
    var isBodyStopped = false
    /// The body could not be read to its end: nothing behind it can be trusted.
    var isBodyBroken = false
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

    func enter(_ new: Phase, for nanoseconds: UInt64) {
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
            if isSecure, phase == .handshake { server.handler.handshakeFailed(error) }
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
                case .mustRead where phase == .idle: try await transport.waitReadable()
                // The rest of a head is owed: who reads looks once more, for a reset may make
                // no other edge.
                case .mustRead:
                    if try await transport.read(into: &input.buffer) == 0 { return false }
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
        let answer = server.handler.refusal(.headTimeout, from: peer)
        append(answer, keepsAlive: false, method: .get)
        try await flush()
    }

    private func refuse(_ error: FramingError) async throws(TransportError) {
        append(server.handler.refusal(error, from: peer), keepsAlive: false, method: .get)
        try await linger()
    }

    /// Lets the peer read the answer before the connection is reset by what it still sends.
    func linger() async throws(TransportError) {
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
}
