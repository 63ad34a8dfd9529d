internal import Loops
internal import Postgres
internal import WalletProtocol

/// The stream's memory: what is published again where the stream has lost it.
extension RelayTerm {
    /// Compares the stream with what is remembered of it: every ten seconds and after a reconnect.
    func checkIfDue() async throws {
        let now = monotonicNanoseconds()
        let current = relay.connection.generation
        guard now >= checkDue || current != generation else { return }
        let (link, stream) = (link, configuration.stream)
        let state = try await relay.broker.run {
            do throws(NatsError) {
                return try link.administration.state(of: stream.name)
            } catch .notFound {
                return try link.administration.ensureStream(stream)
            }
        }
        try await compare(with: state)
        generation = current
        checkDue = now + configuration.checkMilliseconds * 1_000_000
    }

    func compare(with state: StreamState) async throws {
        switch try await look(at: place, state) {
        case .intact: return
        case .replaced: try await beginAgain(at: try await firstWithin(), state, replaced: true)
        case .truncated:
            for checkpoint in try await lease.query(OutboxStatements.checkpoints)
            where try await look(at: checkpoint, state) == .intact {
                place = checkpoint
                let marks = (checkpoint.mark, checkpoint.journalMark)
                return try await beginAgain(at: marks, state, replaced: false)
            }
            try await beginAgain(at: try await firstWithin(), state, replaced: true)
        }
    }

    private func look(
        at checkpoint: RelayCheckpoint,
        _ state: StreamState
    ) async throws -> StreamVerdict {
        var found: String?
        let inside = state.firstSequence...max(state.firstSequence, state.lastSequence)
        if checkpoint.streamCreated == state.created, checkpoint.sequence > 0,
            inside.contains(checkpoint.sequence)
        {
            let link = link
            found = try await relay.broker.run { try link.eventID(at: checkpoint.sequence) }
        }
        return verdict(on: checkpoint, state, idAtSequence: found)
    }

    /// Publishes again from these marks on; checkpoints above them are not true any more.
    private func beginAgain(
        at marks: (outbox: Int64, journal: Int64),
        _ state: StreamState,
        replaced: Bool
    ) async throws {
        window = RelayWindow(mark: marks.outbox)
        journal = RelayWindow(mark: marks.journal)
        if replaced {
            place = RelayCheckpoint(
                mark: marks.outbox,
                journalMark: marks.journal,
                streamCreated: state.created,
                sequence: 0,
                eventID: ""
            )
        }
        // Another stream's checkpoints are of no use below the marks either.
        try await lease.execute(
            OutboxStatements.forgetCheckpointsAbove,
            replaced ? -1 : marks.outbox,
            replaced ? -1 : marks.journal
        )
        saved = nil
        try await save()
        relay.metricsHeld.losses += 1
        relay.report(.streamLost(mark: marks.outbox, replaced: replaced))
    }

    /// The marks below the first row, and the first entry, that a stream of our `maxAgeSeconds`
    /// would still hold.
    private func firstWithin() async throws -> (outbox: Int64, journal: Int64) {
        let outbox = try await firstWithin(
            try await lease.queryOne(OutboxStatements.span),
            OutboxStatements.isOlder
        )
        guard let source = relay.journal else { return (outbox ?? place.mark, 0) }
        let journal = try await firstWithin(try await lease.queryOne(source.span), source.isOlder)
        return (outbox ?? place.mark, journal ?? place.journalMark)
    }

    private func firstWithin(
        _ span: (low: Int64, high: Int64)?,
        _ isOlder: Statement<Bool>
    ) async throws -> Int64? {
        guard let span, span.high > 0 else { return nil }
        var (low, high) = (span.low, span.high + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let maxAge = configuration.stream.maxAgeSeconds
            if try await lease.queryOne(isOlder, middle, maxAge) == true {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }
}
