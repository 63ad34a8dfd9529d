internal import Postgres
internal import WalletProtocol

extension Inbox {
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

    /// Aggregates of a producer's of which something has waited too long.
    func gaps(of producer: String, olderThanSeconds seconds: Int) async throws -> [AggregateKey] {
        try await database.query(InboxStatements.gaps, seconds, producer).map {
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
        let known = last ?? 0
        return first - 1 > known ? known + 1 : nil
    }
}
