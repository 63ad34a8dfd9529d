/// How a request's body is read, as its handler asks for it, and what becomes of the rest.
extension ServerConnection {
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
    var canDrainBody: Bool {
        if isBodyBroken { return false }
        if body.isAtEnd { return true }
        // Who still waits for 100 may or may not send the body now: only closing is clear.
        if owesContinue { return false }
        if case .length(let length) = head.framing { return length <= limits.drainedBytesMax }
        return true
    }

    func dropRestOfBody() async throws(TransportError) -> Bool {
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
}
