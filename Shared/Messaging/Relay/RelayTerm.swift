internal import Loops
internal import Postgres
internal import WalletProtocol

/// One relay's time as the leader: what it remembers between its looks.
final class RelayTerm {
    private(set) var window: RelayWindow
    // Cannot fire: the relay makes a term and uses it within one function of its own.
    private unowned let relay: OutboxRelay
    private let lease: LeasedConnection
    private let link: BrokerLink
    private let configuration: RelayConfiguration
    /// The highest acknowledged place of the stream, and what lies there.
    private var place: RelayCheckpoint
    private var saved: RelayCheckpoint?
    /// How long the last look took, publishing apart.
    private(set) var lookNanoseconds: UInt64 = 0
    private var generation: UInt64
    private var checkDue: UInt64 = 0
    private var saveDue: UInt64 = 0
    private var cleanDue: UInt64 = 0

    /// Begins with the saved mark, after a look at whether the stream still has what it had.
    init(_ relay: OutboxRelay, on lease: LeasedConnection) async throws {
        self.relay = relay
        self.lease = lease
        configuration = relay.configuration
        generation = relay.connection.generation
        let link = try await relay.brokerLink()
        self.link = link
        let stream = configuration.stream
        let state = try await relay.broker.run { try link.administration.ensureStream(stream) }
        let checkpoints = try await lease.query(OutboxStatements.checkpoints)
        saved = checkpoints.first
        place =
            checkpoints.first
            ?? RelayCheckpoint(
                mark: 0,
                streamCreated: state.created,
                sequence: 0,
                eventID: ""
            )
        window = RelayWindow(mark: place.mark)
        try await compare(with: state)
    }

    // MARK: Publishing

    /// Looks once, publishes what it finds, and answers how many rows that were.
    ///
    /// The head is read before the holes: of what the head's snapshot shows, the earlier events of
    /// the same aggregates are then in one of the two.
    func step(until stopping: () -> Bool) async throws -> Int {
        let limit = configuration.batchMax
        let began = monotonicNanoseconds()
        var head = try await lease.query(OutboxStatements.head, window.highest, limit)
        var found: [OutboxRow] = []
        var xmin: UInt64 = 0
        if !window.holes.isEmpty {
            let rows = try await lease.query(
                OutboxStatements.holes,
                window.holes.map(\.low),
                window.holes.map(\.high),
                limit
            )
            found = rows.compactMap(\.row)
            if found.count < limit {
                xmin = UInt64(clamping: rows.first?.xmin ?? 0)
            } else {
                // There may be more in the holes, and it comes before the head.
                head = []
            }
        }
        lookNanoseconds = monotonicNanoseconds() - began
        relay.metricsHeld.lookNanoseconds += lookNanoseconds
        try await publish(found + head, until: stopping)
        window.publishedHead(head.map(\.id))
        window.publishedInHoles(found.map(\.id), xmin: xmin)
        if window.wantsBound, let bound = try await lease.queryOne(OutboxStatements.bound) {
            window.bind(UInt64(clamping: bound))
        }
        return found.count + head.count
    }

    private func publish(_ rows: [OutboxRow], until stopping: () -> Bool) async throws {
        var left = packs(of: rows, eventsMax: configuration.eventsPerMessageMax)
        var attempts = 0
        while !left.isEmpty {
            let messages = left.map(\.message)
            let (link, wait) = (link, configuration.acknowledgeMillisecondsMax)
            let outcomes = try await relay.broker.run { link.publish(messages, wait) }
            var failure: NatsError?
            var again: [EventPack] = []
            for (pack, outcome) in zip(left, outcomes) {
                switch outcome {
                case .stored(let sequence):
                    relay.metricsHeld.published += UInt64(pack.rows.count)
                    if sequence >= place.sequence {
                        place.sequence = sequence
                        place.eventID = pack.message.id
                    }
                case .failed(.tooLarge) where pack.rows.count == 1:
                    try await refuse(pack.rows[0])
                case .failed(.tooLarge):
                    again += packs(of: pack.rows, eventsMax: 1)
                case .failed(let error):
                    failure = error
                    again.append(pack)
                }
            }
            left = again
            guard let failure else { continue }
            relay.metricsHeld.retries += 1
            attempts += 1
            // A new term looks at the stream and begins at the saved mark: nothing is lost by it.
            guard attempts < 3, failure != .notFound, !stopping() else { throw failure }
            guard relay.connection.isConnected else { throw failure }
        }
    }

    private func packs(of rows: [OutboxRow], eventsMax: Int) -> [EventPack] {
        EventPack.packs(
            of: rows,
            from: configuration.service,
            bytesMax: configuration.messageBytesMax,
            eventsMax: eventsMax
        )
    }

    /// A row that no broker takes would hold up all after it.
    private func refuse(_ row: OutboxRow) async throws {
        try await lease.execute(
            InboxStatements.bury,
            configuration.service.rawValue,
            row.aggregate,
            row.sequence,
            row.payload,
            "too large for the broker"
        )
        relay.metricsHeld.refused += 1
        relay.report(.rowRefused(id: row.id, cause: "too large for the broker"))
    }

    // MARK: The stream's memory

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

    private func compare(with state: StreamState) async throws {
        switch try await look(at: place, state) {
        case .intact: return
        case .replaced: try await beginAgain(at: try await firstWithin(), state, replaced: true)
        case .truncated:
            for checkpoint in try await lease.query(OutboxStatements.checkpoints)
            where try await look(at: checkpoint, state) == .intact {
                place = checkpoint
                return try await beginAgain(at: checkpoint.mark, state, replaced: false)
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

    /// Publishes again from a mark on; checkpoints above it are not true any more.
    private func beginAgain(at mark: Int64, _ state: StreamState, replaced: Bool) async throws {
        window = RelayWindow(mark: mark)
        if replaced {
            place = RelayCheckpoint(
                mark: mark,
                streamCreated: state.created,
                sequence: 0,
                eventID: ""
            )
        }
        // Another stream's checkpoints are of no use below the mark either.
        try await lease.execute(OutboxStatements.forgetCheckpointsAbove, replaced ? -1 : mark)
        saved = nil
        try await save()
        relay.metricsHeld.losses += 1
        relay.report(.streamLost(mark: mark, replaced: replaced))
    }

    /// The mark below the first row that a stream of our `maxAgeSeconds` would still hold.
    private func firstWithin() async throws -> Int64 {
        guard let span = try await lease.queryOne(OutboxStatements.span), span.high > 0 else {
            return place.mark
        }
        var (low, high) = (span.low, span.high + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let isOlder = try await lease.queryOne(
                OutboxStatements.isOlder,
                middle,
                configuration.stream.maxAgeSeconds
            )
            if isOlder == true { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    // MARK: Keeping

    /// Saves the mark and removes what is old, each in its time.
    func keepHouse() async throws {
        let now = monotonicNanoseconds()
        if now >= saveDue { try await save() }
        guard now >= cleanDue else { return }
        cleanDue = now + 60_000_000_000
        try await lease.execute(OutboxStatements.forgetOldCheckpoints, window.mark)
        while try await lease.execute(
            OutboxStatements.deleteOld,
            window.mark,
            configuration.keepDays
        ) == 1_000 {}
    }

    /// Saves the mark and the place of the stream, where they moved.
    func save() async throws {
        place.mark = window.mark
        guard place != saved else { return }
        try await lease.execute(
            OutboxStatements.save,
            place.mark,
            place.streamCreated,
            Int64(clamping: place.sequence),
            place.eventID
        )
        saved = place
        saveDue = monotonicNanoseconds() + configuration.saveMilliseconds * 1_000_000
    }
}
