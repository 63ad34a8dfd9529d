public import Postgres
public import WalletProtocol

/// What a service does by itself to the rows of its consumers.
public enum InboxRows {
    /// Takes over an aggregate read anew from its producer's snapshot, as of a sequence.
    ///
    /// In the transaction that writes the copy; the stream goes on from there.
    public static func rebuilt(
        _ aggregate: String,
        of producer: ServiceName,
        at sequence: Int64,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(
            InboxStatements.rebuilt,
            producer.rawValue,
            aggregate,
            sequence
        )
    }

    /// Keeps events of these aggregates from being applied until the transaction's end.
    ///
    /// Whoever writes what a snapshot says of an aggregate holds it, and does so only where the
    /// snapshot is no older than what was applied.
    /// - Returns: of each the last sequence that was applied, 0 where none was.
    public static func hold(
        _ aggregates: [String],
        of producer: ServiceName,
        in transaction: Transaction
    ) async throws(DatabaseError) -> [String: Int64] {
        let held = try await transaction.query(
            InboxStatements.lock,
            producer.rawValue,
            Array(Set(aggregates))
        )
        return Dictionary(held.map { ($0.aggregate, $0.sequence) }) { first, _ in first }
    }

    /// The last sequence that was applied of each of these aggregates, where any was.
    public static func sequences(
        of aggregates: [String],
        of producer: ServiceName,
        in database: some Querying
    ) async throws(DatabaseError) -> [String: Int64] {
        let found = try await database.query(
            InboxStatements.read,
            producer.rawValue,
            Array(Set(aggregates))
        )
        return Dictionary(found.map { ($0.aggregate, $0.sequence) }) { first, _ in first }
    }

    /// The place up to which all of a producer's journal is applied.
    public static func journalMark(
        of producer: ServiceName,
        in database: some Querying
    ) async throws(DatabaseError) -> Int64 {
        try await database.queryOne(JournalMarkStatements.read, producer.rawValue)?.mark ?? 0
    }

    /// The highest place of a producer's journal that is applied, be some below it missing still.
    public static func journalEnd(
        of producer: ServiceName,
        in database: some Querying
    ) async throws(DatabaseError) -> Int64 {
        let window = try await database.queryOne(JournalMarkStatements.read, producer.rawValue)
        return window.map { max($0.mark, $0.above.highest ?? 0) } ?? 0
    }

    /// Erases what waits or lies dead of an aggregate (a person's, on erasure).
    public static func erase(
        _ aggregate: String,
        of producer: ServiceName,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(InboxStatements.eraseParked, producer.rawValue, aggregate)
        try await transaction.execute(InboxStatements.eraseDead, producer.rawValue, aggregate)
    }
}
