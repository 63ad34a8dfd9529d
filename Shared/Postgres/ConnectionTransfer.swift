internal import CLibpq
internal import Loops

/// Sending segments and reading their answers, in order.
extension Connection {
    // MARK: Sending

    /// Sends one statement, with its BEGIN and its preparation where needed, as one segment.
    ///
    /// Whatever goes wrong ends the exchange; there is no other way to hear of it.
    func send(
        _ text: SQLText,
        _ parameters: inout ParameterWriter,
        _ exchange: Exchange,
        begin: StaticString? = nil
    ) {
        // Safety: libpq copies what it is handed before each call returns; one loop uses the
        // handle.
        guard let handle = unsafe handle, state == .ready else {
            exchange.end(.connectionLost(duringCommit: false))
            return
        }
        exchange.sentAt = monotonicNanoseconds()
        exchange.text = text
        exchange.session = session
        inFlight.append(exchange)
        var sent = true
        if let begin {
            exchange.awaitsBegin = true
            sent = unsafe sendPlainText(handle, begin.utf8Start)
        }
        if sent { sent = unsafe send(handle, text, &parameters, exchange) }
        unsafe endSegment(handle, sent)
    }

    private func send(
        _ handle: OpaquePointer,
        _ text: SQLText,
        _ parameters: inout ParameterWriter,
        _ exchange: Exchange
    ) -> Bool {
        let types = parameters.types
        let count = Int32(truncatingIfNeeded: parameters.count)
        switch prepared.lookup(text.key, types: types) {
        case .prepared(let name):
            exchange.preparedName = name
            return unsafe parameters.withPointers { values, lengths, formats in
                unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
        case .prepare(let candidate):
            exchange.candidate = candidate
            exchange.preparedName = candidate.name
            let asked = unsafe PQsendPrepare(handle, candidate.name, text.sql, count, types)
            guard asked == 1 else { return false }
            return unsafe parameters.withPointers { values, lengths, formats in
                unsafe PQsendQueryPrepared(
                    handle,
                    candidate.name,
                    count,
                    values,
                    lengths,
                    formats,
                    1
                ) == 1
            }
        case .unprepared:
            return unsafe parameters.withPointers { values, lengths, formats in
                unsafe PQsendQueryParams(
                    handle,
                    text.sql,
                    count,
                    types,
                    values,
                    lengths,
                    formats,
                    1
                ) == 1
            }
        }
    }

    /// Sends a literal without parameters as one segment, unprepared.
    func send(_ text: StaticString, _ exchange: Exchange) {
        guard let handle = unsafe handle, state == .ready else {
            exchange.end(.connectionLost(duringCommit: false))
            return
        }
        exchange.sentAt = monotonicNanoseconds()
        exchange.session = session
        inFlight.append(exchange)
        unsafe endSegment(handle, sendPlainText(handle, text.utf8Start))
    }

    /// Sends statements of our own without parameters as one segment that nobody waits for.
    func sendHousekeeping(_ statements: [String], _ finished: @escaping () -> Void) {
        guard let handle = unsafe handle, state == .ready else { return finished() }
        let exchange = Exchange(on: loop, deadline: .max)
        exchange.end()
        exchange.finished = finished
        exchange.sentAt = monotonicNanoseconds()
        inFlight.append(exchange)
        var sent = true
        for statement in statements where sent {
            sent = unsafe PQsendQueryParams(handle, statement, 0, nil, nil, nil, nil, 1) == 1
        }
        unsafe endSegment(handle, sent)
    }

    private func sendPlainText(_ handle: OpaquePointer, _ text: UnsafePointer<UInt8>) -> Bool {
        unsafe text.withMemoryRebound(to: CChar.self, capacity: 1) { text in
            unsafe PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1) == 1
        }
    }

    private func endSegment(_ handle: OpaquePointer, _ sent: Bool) {
        guard sent, unsafe ezwallet_end_segment(handle) == 1 else { return lost() }
        flush()
    }

    private func look(alsoForWriting: Bool) {
        guard alsoForWriting != isWriting else { return }
        isWriting = alsoForWriting
        watch?.change(to: alsoForWriting ? [.readable, .writable] : .readable)
    }

    /// Writes what libpq holds; what the socket does not take is written when it does.
    func flush() {
        guard let handle = unsafe handle, state == .ready else { return }
        switch unsafe PQflush(handle) {
        case 0:
            look(alsoForWriting: false)
            drained?.end()
            drained = nil
        case 1: look(alsoForWriting: true)
        default: lost()
        }
    }

    // MARK: Receiving

    func transfer(_ readiness: Readiness) {
        guard let handle = unsafe handle else { return }
        if readiness.contains(.writable) { flush() }
        guard readiness.contains(.readable), state == .ready else { return }
        let alive = unsafe PQconsumeInput(handle) == 1
        // The last answers may have come together with the end.
        if !copying { readAnswers() }
        if !alive { lost() }
        // Reading may make room for what libpq has to send.
        if isWriting { flush() }
    }

    /// Reads what has come, as far as it is whole.
    func readAnswers() {
        while state == .ready, !copying, let handle = unsafe handle, let head = inFlight.first {
            guard unsafe PQisBusy(handle) == 0 else { return }
            if let result = unsafe PQgetResult(handle) {
                unsafe read(result, head)
            } else if plain {
                unsafe leavePlain(handle)
                finish(head)
            } else if unsafe PQstatus(handle) == CONNECTION_BAD {
                return lost()
            }
        }
        checkIdle()
    }

    /// A shared session never stands in a transaction: nothing of the next request may join it.
    private func checkIdle() {
        guard state == .ready, !plain, inFlight.isEmpty, let handle = unsafe handle else { return }
        // Takes libpq from «between two commands» to idle, without which it tells no status.
        unsafe PQclear(PQgetResult(handle))
        if pool.isShared, unsafe PQtransactionStatus(handle) != PQTRANS_IDLE { lost() }
    }

    private func read(_ result: OpaquePointer, _ head: Exchange) {
        switch unsafe PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC:
            unsafe PQclear(result)
            finish(head)
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            if head.awaitsBegin {
                head.awaitsBegin = false
                unsafe PQclear(result)
            } else if let candidate = head.candidate {
                head.candidate = nil
                unsafe PQclear(result)
                if let evicted = prepared.succeeded(candidate) { deallocate(evicted) }
            } else {
                unsafe head.keep(result)
            }
        case PGRES_COPY_IN:
            unsafe PQclear(result)
            copying = true
            copyReady?.end()
            copyReady = nil
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(result)
        default:
            let report = unsafe ServerReport(result)
            unsafe PQclear(result)
            // FATAL ends the session; whether a COMMIT went through before is not said.
            if report.endsSession { return lost() }
            if head.refusal == nil {
                head.refusal = .server(report.error(at: head.text?.place ?? "housekeeping"))
            }
        }
    }

    /// A script or COPY is through: back to the pipeline.
    private func leavePlain(_ handle: OpaquePointer) {
        plain = false
        if unsafe PQenterPipelineMode(handle) != 1 { lost() }
    }

    /// The segment is through.
    private func finish(_ head: Exchange) {
        guard state == .ready else { return }
        inFlight.popFirst()
        if let candidate = head.candidate { prepared.failed(candidate) }
        proved()
        copyReady?.end(head.refusal)
        copyReady = nil
        pool.finished(head, on: self)
        head.end(head.refusal)
        head.finished?()
    }

    /// Drops a prepared statement at the server.
    func deallocate(_ name: String) {
        if pool.isShared { load += 1 }
        // The name is one of ours: `s` and a number.
        sendHousekeeping(["deallocate \(name)"]) {}
    }
}
