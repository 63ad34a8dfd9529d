internal import Postgres
internal import WalletProtocol

extension Inbox {
    /// Keeps an event with one try more, in a transaction of its own, before it is tried.
    ///
    /// Answers false for one whose turn it is not: it will not be tried now, so nothing counts.
    func countInAdvance(_ event: IncomingEvent) async throws -> Bool {
        let key = event.key
        return try await database.transaction { transaction in
            let last = try await transaction.queryOne(
                InboxStatements.sequence,
                key.producer,
                key.aggregate
            )
            guard key.sequence == (last ?? 0) + 1 else { return false }
            let rows = try await transaction.query(
                InboxStatements.parked,
                key.producer,
                [key.aggregate],
                InboxStatements.parkedMax
            )
            let tries = rows.first { $0.sequence == key.sequence }?.tries ?? 0
            try await transaction.execute(
                InboxStatements.postpone,
                key.producer,
                key.aggregate,
                key.sequence,
                event.text,
                tries + 1,
                "delivered several times"
            )
            return true
        }
    }

    /// Those events that come after what was applied already.
    func unseen(_ events: [IncomingEvent]) async throws -> [IncomingEvent] {
        var last: [AggregateKey: Int64] = [:]
        for (producer, own) in Dictionary(grouping: events, by: \.producer) {
            let names = Set(own.map(\.envelope.aggregate)).sorted()
            for row in try await database.query(InboxStatements.read, producer, names) {
                last[AggregateKey(producer: producer, aggregate: row.aggregate)] = row.sequence
            }
        }
        return events.filter { $0.envelope.sequence > last[$0.aggregateKey] ?? 0 }
    }

    /// Records the lines of a message that are no envelopes of ours, all or none.
    func buryUnreadable(_ lines: [[UInt8]], of message: IncomingMessage) async throws {
        let subject = String(message.subject.prefix(256))
        try await database.transaction { transaction in
            for line in lines {
                // As many bytes as tell what it was, without what no text may hold.
                let text = String(
                    decoding: line.prefix(65_536).map { $0 == 0 ? UInt8(ascii: "?") : $0 },
                    as: UTF8.self
                )
                try await transaction.execute(
                    InboxStatements.bury,
                    nil as String?,
                    subject,
                    Int64(clamping: message.streamSequence),
                    text,
                    "no envelope of ours"
                )
            }
        }
    }

    /// Events that failed and whose next try is due, that try counted.
    func claimRetries() async throws -> [EventKey] {
        try await database.query(InboxStatements.claimRetries)
    }

    /// Aggregates of which something has waited too long.
    func gaps(olderThanSeconds seconds: Int) async throws -> [AggregateKey] {
        try await database.query(InboxStatements.gaps, seconds).map {
            AggregateKey(producer: $0.producer, aggregate: $0.aggregate)
        }
    }

    /// The first sequence that is missing before what is parked; nil: nothing is.
    func missing(_ key: AggregateKey) async throws -> Int64? {
        // Whoever asks next waits a while, whatever comes of this.
        try await database.execute(InboxStatements.askedAgain, key.producer, key.aggregate)
        let last = try await database.queryOne(
            InboxStatements.sequence,
            key.producer,
            key.aggregate
        )
        guard
            let first = try await database.queryOne(
                InboxStatements.firstParked,
                key.producer,
                key.aggregate
            )
        else { return nil }
        let wanted = (last ?? 0) + 1
        return first.sequence > wanted ? wanted : nil
    }
}
