internal import Postgres
internal import WalletProtocol

/// A round without care met what needs it.
struct WantsCare: Error {}

/// One attempt at a batch, inside one transaction.
///
/// With care it locks all sequences first and takes what is parked into account; without, it reads
/// the sequences and moves them where nobody else has in between, which costs half as much. Nothing
/// is parked without care: who moves a sequence would not see it.
final class InboxRound {
    private struct Candidate {
        var event: IncomingEvent
        var tries = 0
        var begun = 0
        var isParked = false
        var isPostponed = false

        func fault(_ cause: String) -> InboxFault {
            InboxFault(
                cause: cause,
                type: event.envelope.type,
                traceParent: event.envelope.traceParent
            )
        }
    }
    private struct Lane {
        var gate: SequenceGate
        var candidates: [Int64: Candidate] = [:]
        var start: Int64
        var isDamaged = false
        /// How many parked events were looked at, and the last of them.
        var parked = 0
        var parkedLast: Int64 = 0
    }

    private let transaction: Transaction
    private let attemptsMax: Int
    private let beginningsMax: Int
    private let failed: [EventKey: String]
    private let only: Set<EventKey>?
    private let isCareful: Bool
    private var lanes: [AggregateKey: Lane] = [:]
    /// In the order of arrival.
    private var order: [AggregateKey] = []
    private var buried: [(event: IncomingEvent, error: String)] = []
    private var lost: [(key: AggregateKey, from: Int64, to: Int64)] = []
    private var waiting: [(event: IncomingEvent, tries: Int, error: String?)] = []
    /// Whose turn it is, in order.
    private(set) var toApply: [IncomingEvent] = []
    private(set) var outcome = InboxOutcome()

    init(
        _ transaction: Transaction,
        attemptsMax: Int,
        beginningsMax: Int,
        failed: [EventKey: String],
        only: Set<EventKey>?,
        isCareful: Bool
    ) {
        self.transaction = transaction
        self.attemptsMax = attemptsMax
        self.beginningsMax = beginningsMax
        self.failed = failed
        self.only = only
        self.isCareful = isCareful
    }

    // MARK: Reading

    /// Reads the sequences and lays what came beside what was parked.
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
            guard isCareful else {
                let rows = try await transaction.query(InboxStatements.read, producer, aggregates)
                for row in rows {
                    let key = AggregateKey(producer: producer, aggregate: row.aggregate)
                    lanes[key]?.gate = SequenceGate(last: row.sequence)
                    lanes[key]?.start = row.sequence
                }
                continue
            }
            for row in try await transaction.query(InboxStatements.lock, producer, aggregates) {
                let key = AggregateKey(producer: producer, aggregate: row.aggregate)
                lanes[key]?.gate = SequenceGate(last: row.sequence)
                lanes[key]?.start = row.sequence
            }
            try await gatherParked(producer, aggregates)
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

    /// How much of an aggregate's that is parked is looked at: of what is applied alone the one
    /// whose turn it is, and whether another follows.
    private var pageMax: Int { only == nil ? InboxStatements.parkedMax : 2 }

    private func gatherParked(_ producer: String, _ aggregates: [String]) async throws {
        let rows = try await transaction.query(
            InboxStatements.parked,
            producer,
            aggregates,
            pageMax
        )
        for row in rows {
            let key = AggregateKey(producer: producer, aggregate: row.aggregate)
            let event = try IncomingEvent(Array(row.event.utf8))
            lanes[key]?.parked += 1
            lanes[key]?.parkedLast = row.sequence
            lanes[key]?.candidates[row.sequence] = Candidate(
                event: event,
                tries: row.tries,
                begun: row.begun,
                isParked: true,
                isPostponed: row.isPostponed
            )
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

    /// Lets each gate decide, in order.
    /// - Throws: `WantsCare`.
    func decide() throws(WantsCare) {
        for key in order {
            guard var lane = lanes[key] else { continue }
            for sequence in lane.candidates.keys.sorted() {
                guard let candidate = lane.candidates[sequence] else { continue }
                try decide(candidate, sequence, &lane)
            }
            lanes[key] = lane
        }
    }

    private func decide(
        _ candidate: Candidate,
        _ sequence: Int64,
        _ lane: inout Lane
    ) throws(WantsCare) {
        let key = candidate.event.key
        let error = failed[key]
        let isBegun = only?.contains(key) ?? false
        let tries = candidate.tries + (error != nil ? 1 : 0)
        // Its present beginning is noted, too, and still to come to an end.
        let killed = isBegun && candidate.begun > beginningsMax
        let mayNot = only != nil && !isBegun
        let waits = error != nil || mayNot || candidate.isPostponed && !isBegun
        // An envelope's sequence is 1 at least.
        let isNext = sequence - 1 == lane.gate.last
        let decision = lane.gate.decide(
            sequence,
            waits: waits,
            hopeless: killed || tries >= attemptsMax
        )
        // A duplicate may have a fellow that was parked and has to go.
        guard isCareful || decision == .apply else { throw WantsCare() }
        switch decision {
        case .duplicate:
            outcome.duplicates += 1
        case .apply:
            toApply.append(candidate.event)
            outcome.applied += 1
        case .bury:
            let cause =
                killed
                ? "begun \(beginningsMax) times and never ended"
                : error ?? "failed \(candidate.tries) times"
            buried.append((candidate.event, cause))
            outcome.buried[key] = candidate.fault(cause)
            lane.isDamaged = true
        case .park:
            if let error {
                waiting.append((candidate.event, tries, error))
                outcome.failed[key] = candidate.fault(error)
            } else if !candidate.isParked {
                waiting.append((candidate.event, 0, nil))
                outcome.parked += 1
            }
            if mayNot, isNext, !candidate.isPostponed {
                outcome.more.append(candidate.event.aggregateKey)
            }
        }
    }

    // MARK: Writing

    /// Moves the sequences, which locks them where that has not been done.
    /// - Throws: `WantsCare`, `DatabaseError`.
    func move() async throws {
        let moved = order.filter { key in
            guard let lane = lanes[key] else { return false }
            return lane.gate.last > lane.start || lane.isDamaged
        }
        guard isCareful else { return try await moveUnlocked(moved) }
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
    }

    /// Moves sequences that stand where they were read, and nothing of which is parked.
    private func moveUnlocked(_ moved: [AggregateKey]) async throws {
        for (producer, aggregates) in byProducer(moved) {
            let touched = aggregates.compactMap { name in
                lanes[AggregateKey(producer: producer, aggregate: name)]
            }
            let rows = try await transaction.query(
                InboxStatements.move,
                producer,
                aggregates,
                touched.map { $0.gate.last - $0.start }
            )
            for row in rows {
                let key = AggregateKey(producer: producer, aggregate: row.aggregate)
                guard lanes[key]?.gate.last == row.sequence else { throw WantsCare() }
            }
            // Looked for under the sequences' locks, under which all parking is done.
            let parked = try await transaction.queryOne(
                InboxStatements.anyParked,
                producer,
                aggregates
            )
            if parked != nil { throw WantsCare() }
        }
    }

    /// Puts down what waits and what is dead.
    func write() async throws {
        // What waited and turns out to be a duplicate goes, too.
        for key in order.sorted() {
            guard let lane = lanes[key], lane.parked > 0 else { continue }
            try await transaction.execute(
                InboxStatements.unpark,
                key.producer,
                key.aggregate,
                lane.gate.last
            )
            let isAll = lane.parked < pageMax
            if !isAll, lane.gate.last >= lane.parkedLast { outcome.more.append(key) }
        }
        for (event, tries, error) in waiting { try await keep(event, tries, error) }
        for (event, error) in buried { try await bury(event.key, event.text, error) }
        for (key, from, to) in lost {
            let first = EventKey(producer: key.producer, aggregate: key.aggregate, sequence: from)
            try await bury(first, nil, "the producer has nothing readable up to \(to)")
            outcome.buried[first] = InboxFault(cause: "gone up to \(to)")
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
