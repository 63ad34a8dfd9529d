internal import Loops
internal import Postgres
internal import WalletProtocol

/// What is missing, and how it is made up for.
extension JournalConsumer {
    /// How long pages are applied before what was delivered meanwhile has its turn.
    private static let turnNanoseconds: UInt64 = 250_000_000

    /// Looks, every few seconds, at what has been missing for long.
    func lookForGaps() async throws {
        let now = monotonicNanoseconds()
        guard now >= tickDue, !stopping else { return }
        tickDue = now + configuration.tickMilliseconds * 1_000_000
        let window = try await inbox.window()
        let missing = window.gaps
        held.mark = window.mark
        held.missing = missing.count
        let old = UInt64(configuration.gapSeconds) * 1_000_000_000
        let found = watch.look(at: missing, now: now, olderThan: old)
        guard now >= gapsDue, wanted.isEmpty else { return }
        gapsDue = now + old / 6
        wanted = found
    }

    /// Asks for what is wanted, page after page, for a moment.
    func fillGaps() async throws {
        guard !wanted.isEmpty, !stopping else { return }
        // Of the replicas one asks; what it has made up for the others see here.
        guard
            let window = try await inbox.database.queryOne(
                JournalMarkStatements.claim,
                configuration.producer.rawValue,
                PostgresUUID(high: own.high, low: own.low)
            )
        else {
            wanted = PlaceSet()
            return
        }
        wanted = wanted.subtracting(wanted.subtracting(window.gaps))
        let began = monotonicNanoseconds()
        while !stopping, monotonicNanoseconds() - began < Self.turnNanoseconds {
            wanted = wanted.subtracting(inbox.waiting(at: monotonicNanoseconds()))
            guard let run = wanted.runs.first else { return }
            try await fill(run)
        }
    }

    private func fill(_ run: ClosedRange<Int64>) async throws {
        held.pages += 1
        report(.gapAsked(durable: name, fromSequence: run.lowerBound))
        let request = JournalRequest(
            producer: configuration.producer,
            first: run.lowerBound,
            last: run.upperBound
        )
        let batch: PostingBatch
        do {
            batch = try PostingBatch(try await replay(request))
        } catch {
            // The producer is away; what is missing is asked for again after another while.
            wanted = PlaceSet()
            report(.consumerFailed(durable: name, cause: "replay: \(error)"))
            return
        }
        guard !batch.covers.isEmpty else {
            // Nobody has committed there yet, or rolled back.
            wanted = wanted.subtracting(PlaceSet(CollectionOfOne(run)))
            return
        }
        let reading = Reading(name: "\(name) page", sequence: run.lowerBound)
        let outcome = try await inbox.applyNoted(batch, as: reading) {
            guard !self.stopping else { throw CancellationError() }
        }
        await count(outcome)
        wanted = wanted.subtracting(batch.covers)
    }
}
