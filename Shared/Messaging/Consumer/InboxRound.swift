internal import Postgres
internal import WalletProtocol

/// One attempt at a batch, inside one transaction.
final class InboxRound {
    private struct Candidate {
        var event: IncomingEvent
        var tries = 0
        var isParked = false
        var isPostponed = false
    }
    private struct Lane {
        var gate: SequenceGate
        var candidates: [Int64: Candidate] = [:]
        var start: Int64
        var isDamaged = false
        var hadParked = false
    }

    private let transaction: Transaction
    private let attemptsMax: Int
    private let failed: [EventKey: String]
    private let counted: Set<EventKey>
    private var lanes: [AggregateKey: Lane] = [:]
    /// In the order of arrival.
    private var order: [AggregateKey] = []
    private var buried: [(event: IncomingEvent, error: String)] = []
    private var lost: [(key: AggregateKey, from: Int64, to: Int64)] = []
    private var waiting: [(event: IncomingEvent, tries: Int, error: String?)] = []
    private(set) var outcome = InboxOutcome()

    init(
        _ transaction: Transaction,
        attemptsMax: Int,
        failed: [EventKey: String],
        counted: Set<EventKey>
    ) {
        self.transaction = transaction
        self.attemptsMax = attemptsMax
        self.failed = failed
        self.counted = counted
    }

    // MARK: Reading

    /// Locks the sequences and lays what came beside what was parked.
    func gather(
        _ incoming: [IncomingEvent],
        _ also: [AggregateKey],
        _ gone: [AggregateKey: Int64]
    ) async throws {
        for key in incoming.map(\.aggregateKey) + also where lanes[key] == nil {
            lanes[key] = Lane(gate: SequenceGate(last: 0), start: 0)
            order.append(key)
        }
        for (producer, aggregates) in byProducer(order) {
            try await transaction.execute(InboxStatements.ensure, producer, aggregates)
            for row in try await transaction.query(InboxStatements.lock, producer, aggregates) {
                let key = AggregateKey(producer: producer, aggregate: row.aggregate)
                lanes[key]?.gate = SequenceGate(last: row.sequence)
                lanes[key]?.start = row.sequence
            }
            for row in try await transaction.query(InboxStatements.parked, producer, aggregates) {
                let key = AggregateKey(producer: producer, aggregate: row.aggregate)
                let event = try IncomingEvent(Array(row.event.utf8))
                lanes[key]?.hadParked = true
                lanes[key]?.candidates[row.sequence] = Candidate(
                    event: event,
                    tries: row.tries,
                    isParked: true,
                    isPostponed: row.isPostponed
                )
            }
        }
        for event in incoming {
            let key = event.aggregateKey
            if lanes[key]?.candidates[event.envelope.sequence] == nil {
                lanes[key]?.candidates[event.envelope.sequence] = Candidate(event: event)
            } else {
                outcome.duplicates += 1
            }
        }
        for (key, end) in gone {
            guard let start = lanes[key]?.start, end > start else { continue }
            lanes[key]?.gate.skip(to: end)
            lanes[key]?.isDamaged = true
            lost.append((key, start + 1, end))
        }
    }

    /// Aggregates by producer, each list sorted: all replicas lock in one order.
    private func byProducer(_ keys: [AggregateKey]) -> [(String, [String])] {
        var groups: [(String, [String])] = []
        for key in keys.sorted() {
            if groups.last?.0 == key.producer {
                groups[groups.count - 1].1.append(key.aggregate)
            } else {
                groups.append((key.producer, [key.aggregate]))
            }
        }
        return groups
    }

    // MARK: Deciding

    /// Lets each gate decide, in order, and runs the handler of what is next.
    func decide(_ handle: (IncomingEvent) async throws -> Void) async throws {
        for key in order {
            guard var lane = lanes[key] else { continue }
            for sequence in lane.candidates.keys.sorted() {
                guard let candidate = lane.candidates[sequence] else { continue }
                try await decide(candidate, sequence, &lane, handle)
            }
            lanes[key] = lane
        }
    }

    private func decide(
        _ candidate: Candidate,
        _ sequence: Int64,
        _ lane: inout Lane,
        _ handle: (IncomingEvent) async throws -> Void
    ) async throws {
        let key = candidate.event.key
        let error = failed[key]
        let isCounted = counted.contains(key)
        let tries = candidate.tries + (error != nil && !isCounted ? 1 : 0)
        // A try that was counted in advance is still to be had.
        let isHopeless =
            error != nil
            ? tries >= attemptsMax : candidate.tries - (isCounted ? 1 : 0) >= attemptsMax
        let waits = error != nil || candidate.isPostponed && !isCounted
        switch lane.gate.decide(sequence, waits: waits, hopeless: isHopeless) {
        case .duplicate:
            outcome.duplicates += 1
        case .apply:
            try await handle(candidate.event)
            outcome.applied += 1
        case .bury:
            let cause = error ?? "failed \(candidate.tries) times"
            buried.append((candidate.event, cause))
            outcome.buried[key] = cause
            lane.isDamaged = true
        case .park:
            if let error {
                waiting.append((candidate.event, tries, error))
                outcome.failed[key] = error
            } else if !candidate.isParked {
                waiting.append((candidate.event, 0, nil))
                outcome.parked += 1
            }
        }
    }

    // MARK: Writing

    /// Moves the sequences and puts down what waits and what is dead.
    func write() async throws {
        let moved = order.sorted().filter { key in
            guard let lane = lanes[key] else { return false }
            return lane.gate.last > lane.start || lane.isDamaged
        }
        for (producer, aggregates) in byProducer(moved) {
            let touched = aggregates.compactMap { name in
                lanes[AggregateKey(producer: producer, aggregate: name)]
            }
            try await transaction.execute(
                InboxStatements.advance,
                producer,
                aggregates,
                touched.map(\.gate.last),
                touched.map(\.isDamaged)
            )
        }
        // What waited and turns out to be a duplicate goes, too.
        for key in order.sorted() where lanes[key]?.hadParked == true {
            try await transaction.execute(
                InboxStatements.unpark,
                key.producer,
                key.aggregate,
                lanes[key]?.gate.last ?? 0
            )
        }
        for (event, tries, error) in waiting { try await keep(event, tries, error) }
        for (event, error) in buried { try await bury(event.key, event.text, error) }
        for (key, from, to) in lost {
            let first = EventKey(producer: key.producer, aggregate: key.aggregate, sequence: from)
            try await bury(first, nil, "the producer has nothing up to \(to) any more")
            outcome.buried[first] = "gone up to \(to)"
        }
    }

    private func keep(_ event: IncomingEvent, _ tries: Int, _ error: String?) async throws {
        let key = event.key
        if let error {
            try await transaction.execute(
                InboxStatements.postpone,
                key.producer,
                key.aggregate,
                key.sequence,
                event.text,
                tries,
                error
            )
        } else {
            try await transaction.execute(
                InboxStatements.park,
                key.producer,
                key.aggregate,
                key.sequence,
                event.text
            )
        }
    }

    private func bury(_ key: EventKey, _ text: String?, _ error: String) async throws {
        try await transaction.execute(
            InboxStatements.bury,
            key.producer,
            key.aggregate,
            key.sequence,
            text,
            error
        )
    }
}
