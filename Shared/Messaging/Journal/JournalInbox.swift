internal import Loops
internal import Postgres
internal import WalletProtocol

/// The handler threw: one of what it was given is to blame.
private struct PostingFailure: Error {
    var cause: any Error
}

/// What became of some batches.
struct JournalOutcome {
    /// A posting that could not be applied.
    struct Fault {
        var row: TransactionPosted
        var cause: String
    }
    var applied = 0
    var failed: [Fault] = []
    var buried: [Fault] = []
    /// The age of the last posting that was applied.
    var lagMicroseconds: Int64?

    mutating func merge(_ other: JournalOutcome) {
        applied += other.applied
        failed += other.failed
        buried += other.buried
        lagMicroseconds = other.lagMicroseconds ?? lagMicroseconds
    }
}

/// Applies postings, whatever arrives, so that each has its effect once.
///
/// One transaction a batch: the handler's statements, then the window's row, locked last so that
/// replicas wait for each other only from there to the commit. What is applied already is applied
/// again, rather than passed over: it comes seldom, effects bear it, and so the window never claims
/// what this database does not hold, whatever was emptied meanwhile.
/// Where the handler fails each message is done by itself, and a bad one in halves down to the
/// entry: its place stays open and is tried again, until its postings become dead letters; all
/// others are settled. After a commit whose answer was lost the same batch is safe to do again.
final class JournalInbox {
    let database: Database
    let notes: ReadingNotes
    private let configuration: JournalConsumerConfiguration
    private let handler: PostingHandler
    /// Places that failed, by how often, and when each is tried again.
    private var failing: [Int64: (tries: Int, due: UInt64)] = [:]
    /// More are not remembered: beyond, the tries of some begin anew.
    private static let failingMax = 10_000

    init(
        _ configuration: JournalConsumerConfiguration,
        database: Database,
        handler: @escaping PostingHandler
    ) {
        self.configuration = configuration
        self.database = database
        self.handler = handler
        notes = ReadingNotes(database)
    }

    private var producer: String { configuration.producer.rawValue }

    /// What is applied, as far as it is committed.
    func window() async throws -> AppliedWindow {
        try await database.queryOne(JournalMarkStatements.read, producer) ?? AppliedWindow()
    }

    /// Places whose next try is still to come.
    func waiting(at now: UInt64) -> PlaceSet {
        PlaceSet(failing.filter { $0.value.due > now }.map { $0.key...$0.key })
    }

    /// How long an outcome's failed places wait, at least.
    func pauseMilliseconds(of places: some Sequence<Int64>) -> Int64 {
        let now = monotonicNanoseconds()
        let due = places.compactMap { failing[$0]?.due }.min() ?? now
        return due > now ? Int64(clamping: (due - now) / 1_000_000) : 0
    }

    /// Applies batches together where that can be.
    /// - Throws: `DatabaseError` where the database cannot be used.
    func apply(_ batches: [PostingBatch]) async throws -> JournalOutcome {
        var outcome = JournalOutcome()
        // From the last to the first.
        var parts = [batches]
        while let part = parts.popLast() {
            let whole = PostingBatch(part)
            if whole.isEmpty { continue }
            do {
                try await commit(whole)
                outcome.applied += whole.rows.count
                if let last = whole.rows.last {
                    outcome.lagMicroseconds = last.recordedAt.microseconds(to: .now())
                }
                if !failing.isEmpty {
                    for row in whole.rows { failing[row.source.place] = nil }
                }
            } catch let failure as PostingFailure {
                if part.count > 1 {
                    parts += part.reversed().map { [$0] }
                } else if let (first, second) = whole.halves {
                    parts += [[second], [first]]
                } else {
                    try await fail(whole, failure.cause, &outcome)
                }
            }
        }
        return outcome
    }

    /// Applies a batch that may be what ends the process, noted as begun before anything touches
    /// it; where somebody began it before and did not come to its end, entry by entry.
    func applyNoted(
        _ batch: PostingBatch,
        as reading: Reading,
        between: () async throws -> Void
    ) async throws -> JournalOutcome {
        let outcome: JournalOutcome
        if try await notes.begin(reading) == 1 {
            outcome = try await apply([batch])
        } else {
            outcome = try await applyEntries(of: batch, between)
        }
        try await notes.end(reading)
        return outcome
    }

    private func applyEntries(
        of batch: PostingBatch,
        _ between: () async throws -> Void
    ) async throws -> JournalOutcome {
        var outcome = JournalOutcome()
        for entry in batch.entries {
            guard let first = entry.rows.first else {
                outcome.merge(try await apply([entry]))
                continue
            }
            let reading = Reading(
                name: "\(configuration.durable) entry",
                sequence: first.source.place
            )
            if try await notes.begin(reading) > configuration.beginningsMax {
                let cause = "begun \(configuration.beginningsMax) times and never ended"
                let faults = entry.rows.map { JournalOutcome.Fault(row: $0, cause: cause) }
                try await bury(faults, settling: entry.covers, ending: reading)
                outcome.buried += faults
            } else {
                outcome.merge(try await apply([entry]))
                try await notes.end(reading)
            }
            try await between()
        }
        return outcome
    }

    private func commit(_ batch: PostingBatch) async throws {
        try await database.transaction { transaction in
            if !batch.rows.isEmpty { try await handle(batch.rows, transaction) }
            try await settle(batch.covers, in: transaction)
        }
    }

    private func settle(_ places: PlaceSet, in transaction: Transaction) async throws {
        guard !places.isEmpty else { return }
        var window =
            try await transaction.queryOne(JournalMarkStatements.lock, producer)
            ?? AppliedWindow()
        window.add(places)
        try await transaction.execute(
            JournalMarkStatements.save,
            producer,
            window.mark,
            window.above.runs.map(\.lowerBound),
            window.above.runs.map(\.upperBound)
        )
    }

    /// Runs the handler as the work of the request that the postings are of, where that is one.
    private func handle(_ rows: [TransactionPosted], _ transaction: Transaction) async throws {
        let trace = rows[0].source.traceParent
        let isOne = rows.allSatisfy { $0.source.traceParent == trace }
        let context = RequestContext(
            // Cannot wrap: a setting of seconds is added to the clock.
            deadline: monotonicNanoseconds() &+ configuration.handlerMillisecondsMax * 1_000_000,
            requestID: "journal-\(rows[0].source.place)",
            traceparent: isOne ? trace : nil
        )
        do {
            try await RequestContext.with(context) { try await handler(rows, transaction) }
        } catch {
            if isOfTheDatabase(error) { throw error }
            throw PostingFailure(cause: error)
        }
    }

    // MARK: What cannot be applied

    private func fail(
        _ entry: PostingBatch,
        _ cause: any Error,
        _ outcome: inout JournalOutcome
    ) async throws {
        guard let place = entry.rows.first?.source.place else { return }
        let tries = (failing[place]?.tries ?? 0) + 1
        guard tries >= configuration.attemptsMax else {
            if failing.count >= Self.failingMax { failing.removeAll() }
            // 2, 4, 8 … s, a minute at most. Cannot wrap: seconds are added to the clock.
            let pause = UInt64(min(60, 1 << min(tries, 6))) * 1_000_000_000
            failing[place] = (tries, monotonicNanoseconds() &+ pause)
            outcome.failed += entry.rows.map { .init(row: $0, cause: describe(cause)) }
            return
        }
        var faults: [JournalOutcome.Fault] = []
        for row in entry.rows {
            do {
                try await commit(PostingBatch(covers: PlaceSet(), rows: [row]))
                outcome.applied += 1
            } catch let failure as PostingFailure {
                faults.append(.init(row: row, cause: describe(failure.cause)))
            }
        }
        try await bury(faults, settling: entry.covers)
        failing[place] = nil
        outcome.buried += faults
    }

    /// Records postings as dead letters, each as a body of its own, and goes on behind them.
    private func bury(
        _ faults: [JournalOutcome.Fault],
        settling places: PlaceSet,
        ending reading: Reading? = nil
    ) async throws {
        try await database.transaction { transaction in
            for fault in faults {
                let place = fault.row.source.place
                try await transaction.execute(
                    InboxStatements.bury,
                    producer,
                    "journal",
                    place,
                    JSON.text(Postings(covers: [place...place], rows: [fault.row])),
                    fault.cause
                )
            }
            if let reading { try await notes.end(reading, in: transaction) }
            try await settle(places, in: transaction)
        }
        if let reading { notes.forget(reading) }
    }
}
