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
