internal import Loops

/// What is applied alone, for it may be what ends the process: what the broker delivers a second
/// time, what failed or did not end before, what a producer sent again, and what waited for those.
///
/// An innocent neighbour of one that ends the process was never begun itself, and so loses nothing;
/// one that was begun by a replica that was killed for another reason loses one of three.
extension EventConsumer {
    /// Takes a message apart, its reading noted as begun, too, and applies each of its events
    /// alone.
    func applyAlone(_ message: IncomingMessage, of open: [IncomingMessage]) async throws {
        let mayRead = try await inbox.beginReading(message, by: configuration.durable)
        let lines =
            mayRead
            ? IncomingLines(message)
            : IncomingLines(neverRead: message)
        if mayRead { try await inbox.endReading(message, by: configuration.durable) }
        let unseen = try await inbox.unseen(lines.events)
        held.duplicates += UInt64(lines.events.count - unseen.count)
        var kept = monotonicNanoseconds()
        for event in unseen {
            try await applyAlone(event)
            guard monotonicNanoseconds() - kept > 1_000_000_000 else { continue }
            guard !stopping else { throw CancellationError() }
            kept = monotonicNanoseconds()
            try await fetcher.settle([], keeping: open)
        }
        // Last, for it is not to be done again where something else fails.
        if !lines.unreadable.isEmpty { try await buryUnreadable(lines) }
    }

    /// Applies an event alone, and then one by one what had waited for it.
    func applyAlone(_ event: IncomingEvent) async throws {
        guard try await inbox.begin(event) else {
            // It comes too early, was applied before, or waits for a time of its own.
            let outcome = try await inbox.apply([event], only: [])
            await count(outcome)
            return try await applyWhatWaits(of: outcome.more)
        }
        try await applyBegun(event.key)
    }

    /// Tries those again, one after another, that failed or did not end, and whose time has come.
    func applyRetries() async throws {
        for _ in 0..<Self.retriesMax {
            guard !stopping, let key = try await inbox.beginRetry(of: configuration.producer)
            else { return }
            try await applyBegun(key)
        }
    }

    /// How many are tried again before other things have their turn.
    private static let retriesMax = 16

    private func applyBegun(_ key: EventKey) async throws {
        let outcome = try await inbox.applyBegun(key)
        await count(outcome)
        try await applyWhatWaits(of: outcome.more)
    }

    /// Applies what is parked of these and has its turn, one by one.
    func applyWhatWaits(of aggregates: [AggregateKey]) async throws {
        for aggregate in aggregates {
            while !stopping, let event = try await inbox.nextParked(aggregate),
                try await inbox.begin(event)
            {
                await count(try await inbox.applyBegun(event.key))
            }
        }
    }
}
