internal import Loops

/// How an answer is gathered and sent.
extension ServerConnection {
    /// Gathers the answer's head, and its body unless that is a stream.
    func append(_ response: HTTPResponse, keepsAlive: Bool, method: HTTPMethod) {
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

    static func hasNoBody(_ status: Int) -> Bool {
        status < 200 || status == 204 || status == 304
    }

    /// Writes a large body from where it lies, in parts that have their time each.
    ///
    /// Whoever does not take it has no further request taken.
    func writeParts(of body: [UInt8]) async throws(TransportError) {
        try await flush()
        var sent = 0
        while sent < body.count {
            let end = min(body.count, sent + limits.partBytes)
            enter(.writing, for: limits.writeNanoseconds)
            try await transport.write(body, from: sent, to: end)
            sent = end
        }
    }

    func stream(_ answer: StreamedAnswer) async throws(TransportError) {
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
    func flushAtOnce() throws(TransportError) -> Bool {
        if outSent == 0, !out.isEmpty { outSent = try transport.writeAtOnce(out) }
        guard outSent == out.count else { return false }
        giveOutBack()
        return true
    }

    func flush() async throws(TransportError) {
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
