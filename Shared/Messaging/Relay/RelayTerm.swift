internal import Loops
internal import Postgres
internal import WalletProtocol

/// One relay's time as the leader: what it remembers between its looks.
final class RelayTerm {
    var window: RelayWindow
    /// The same of the journal, where the service has one.
    var journal: RelayWindow
    // Cannot fire: the relay makes a term and uses it within one function of its own.
    unowned let relay: OutboxRelay
    let lease: LeasedConnection
    let link: BrokerLink
    let configuration: RelayConfiguration
    /// The highest acknowledged place of the stream, and what lies there.
    var place: RelayCheckpoint
    var saved: RelayCheckpoint?
    /// How long the last look took, publishing apart.
    private(set) var lookNanoseconds: UInt64 = 0
    var generation: UInt64
    var checkDue: UInt64 = 0
    private var saveDue: UInt64 = 0
    private var cleanDue: UInt64 = 0

    /// Begins with the saved marks, after a look at whether the stream still has what it had.
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
        journal = RelayWindow(mark: place.journalMark)
        try await compare(with: state)
    }

    /// Whether something may still appear below what was published.
    var hasHoles: Bool { !window.holes.isEmpty || !journal.holes.isEmpty }

    // MARK: Publishing

    /// Looks once, publishes what it finds, and answers how many rows and entries that were.
    func step(until stopping: () -> Bool) async throws -> Int {
        let began = monotonicNanoseconds()
        let told = try await lookAtOutbox()
        let posted = try await lookAtJournal()
        lookNanoseconds = monotonicNanoseconds() - began
        relay.metricsHeld.lookNanoseconds += lookNanoseconds
        let events = packs(
            of: told.found + told.head,
            eventsMax: configuration.eventsPerMessageMax
        )
        try await publish(events + posted.packs, until: stopping)
        window.publishedHead(told.head.map(\.id))
        window.publishedInHoles(told.found.map(\.id), xmin: told.xmin)
        journal.publishedHead(posted.look.head)
        journal.publishedInHoles(posted.look.found, xmin: posted.look.xmin)
        if window.wantsBound || journal.wantsBound,
            let bound = try await lease.queryOne(OutboxStatements.bound)
        {
            window.bind(UInt64(clamping: bound))
            journal.bind(UInt64(clamping: bound))
        }
        return max(told.count, posted.look.count)
    }

    private func lookAtOutbox() async throws -> RelayLook<OutboxRow> {
        let (lease, limit) = (lease, configuration.batchMax)
        return try await RelayLook(
            through: window,
            limit: limit,
            head: { try await lease.query(OutboxStatements.head, $0, limit) },
            holes: { lows, highs in
                let rows = try await lease.query(OutboxStatements.holes, lows, highs, limit)
                return (rows.compactMap(\.row), rows.first?.xmin ?? 0)
            }
        )
    }

    private func lookAtJournal() async throws -> (look: RelayLook<Int64>, packs: [RelayPack]) {
        guard let source = relay.journal else { return (RelayLook(), []) }
        let (lease, limit) = (lease, configuration.batchMax)
        let look = try await RelayLook<Int64>(
            through: journal,
            limit: limit,
            head: { try await lease.query(source.places, $0 + 1, Int64.max, limit) },
            holes: { lows, highs in
                let rows = try await lease.query(source.holes, lows, highs, limit)
                return (rows.compactMap(\.place), rows.first?.xmin ?? 0)
            }
        )
        let settled = journal.settled(head: look.head, inHoles: look.found, xmin: look.xmin)
        guard !settled.isEmpty else { return (look, []) }
        // What a place holds never changes, so that a later snapshot shows the same.
        let places = look.found + look.head
        let rows = try await places.isEmpty ? [] : lease.query(source.postings, places)
        let packs = PostingsPack.packs(
            of: rows,
            settling: settled,
            from: configuration.service,
            bytesMax: configuration.messageBytesMax,
            postingsMax: configuration.eventsPerMessageMax
        )
        return (look, packs.map { .postings($0) })
    }

    private func publish(_ packs: [RelayPack], until stopping: () -> Bool) async throws {
        var left = packs
        var attempts = 0
        while !left.isEmpty {
            let messages = left.map(\.message)
            let (link, wait) = (link, configuration.acknowledgeMillisecondsMax)
            let outcomes = try await relay.broker.run { link.publish(messages, wait) }
            var failure: NatsError?
            var again: [RelayPack] = []
            for (pack, outcome) in zip(left, outcomes) {
                switch outcome {
                case .stored(let sequence):
                    relay.metricsHeld.published += UInt64(pack.count)
                    if sequence >= place.sequence {
                        place.sequence = sequence
                        place.eventID = pack.message.id
                    }
                case .failed(.tooLarge):
                    again += try await smaller(pack)
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

    private func packs(of rows: [OutboxRow], eventsMax: Int) -> [RelayPack] {
        EventPack.packs(
            of: rows,
            from: configuration.service,
            bytesMax: configuration.messageBytesMax,
            eventsMax: eventsMax
        ).map { .events($0) }
    }

    /// What a message that the broker does not take is cut into; what cannot be cut is refused.
    private func smaller(_ pack: RelayPack) async throws -> [RelayPack] {
        switch pack {
        case .events(let pack) where pack.rows.count > 1:
            return packs(of: pack.rows, eventsMax: 1)
        case .events(let pack):
            let row = pack.rows[0]
            try await refuse(row.aggregate, row.sequence, row.payload, id: row.id)
            return []
        case .postings(let pack):
            let entries = pack.entries(from: configuration.service)
            if entries.count > 1 { return entries.map { .postings($0) } }
            // Whoever misses its place asks for it, and is answered without the broker.
            let place = pack.rows.first?.source.place ?? 0
            try await refuse("journal", place, nil, id: place)
            return []
        }
    }

    /// What no broker takes would hold up all after it.
    private func refuse(
        _ aggregate: String,
        _ sequence: Int64,
        _ payload: String?,
        id: Int64
    ) async throws {
        try await lease.execute(
            InboxStatements.bury,
            configuration.service.rawValue,
            aggregate,
            sequence,
            payload,
            "too large for the broker"
        )
        relay.metricsHeld.refused += 1
        relay.report(.rowRefused(id: id, cause: "too large for the broker"))
    }

    // MARK: Keeping

    /// Saves the marks and removes what is old, each in its time.
    func keepHouse() async throws {
        let now = monotonicNanoseconds()
        if now >= saveDue { try await save() }
        guard now >= cleanDue else { return }
        cleanDue = now + 60_000_000_000
        try await lease.execute(
            OutboxStatements.forgetOldCheckpoints,
            window.mark,
            journal.mark
        )
        while try await lease.execute(
            OutboxStatements.deleteOld,
            window.mark,
            configuration.keepDays
        ) == 1_000 {}
    }

    /// Saves the marks and the place of the stream, where they moved.
    func save() async throws {
        place.mark = window.mark
        place.journalMark = journal.mark
        defer { tellMarks() }
        guard place != saved else { return }
        try await lease.execute(
            OutboxStatements.save,
            place.mark,
            place.journalMark,
            place.streamCreated,
            Int64(clamping: place.sequence),
            place.eventID
        )
        saved = place
        saveDue = monotonicNanoseconds() + configuration.saveMilliseconds * 1_000_000
    }

    /// What is saved, for the metrics.
    private func tellMarks() {
        guard let saved else { return }
        relay.metricsHeld.mark = saved.mark
        relay.metricsHeld.journalMark = saved.journalMark
    }
}
