import Postgres
import WalletProtocol

/// Up to where the journal is there for good: whoever follows it (blocks, search, envelopes) reads
/// no further, for places are drawn in order and committed in any.
enum JournalHorizon {
    /// Looks how far that is.
    ///
    /// A place counts once every transaction that was open when it had been
    /// drawn has ended: the first look notes what was drawn, one behind it finds that they have.
    static func settled(in database: Database) async throws -> Int64 {
        var settled: Int64 = 0
        for _ in 0..<2 {
            guard let found = try await database.queryOne(HorizonStatements.settle) else { break }
            settled = found.settled
            if settled >= found.newest { break }
        }
        return settled
    }

    /// The place below which nothing can appear any more, and the first that was not drawn yet.
    static func read(in database: Database) async throws -> (ended: UInt64, next: UInt64)? {
        let settled = try await settled(in: database)
        let drawn = try await database.queryOne(HorizonStatements.drawn) ?? 0
        return (UInt64(clamping: settled) + 1, UInt64(clamping: drawn) + 1)
    }
}
