internal import Postgres

/// What is begun and may end the process, noted before in a statement of its own.
///
/// Whoever is ended by it leaves the note standing; whoever ends in any other way takes it back.
final class ReadingNotes {
    let database: Database
    /// What is noted as begun, and of whose end the database may not know yet.
    private var open: Set<Reading> = []

    init(_ database: Database) { self.database = database }

    /// Notes that something is begun; answers how often it was, this time counted.
    func begin(_ reading: Reading) async throws -> Int {
        // Its last try ended with the database's failure, in this process.
        if open.contains(reading) { try await end(reading) }
        open.insert(reading)
        return try await database.queryOne(
            BeginningStatements.beginReading,
            reading.name,
            reading.sequence
        ) ?? 1
    }

    /// Notes that it has ended.
    func end(_ reading: Reading) async throws {
        try await database.execute(
            BeginningStatements.endReading,
            reading.name,
            reading.sequence
        )
        open.remove(reading)
    }

    /// The same in the transaction that puts it down for good; `forget` it once that is committed.
    func end(_ reading: Reading, in transaction: Transaction) async throws {
        try await transaction.execute(
            BeginningStatements.endReading,
            reading.name,
            reading.sequence
        )
    }

    /// The note stands, or is gone with a transaction: it is not ours to take back any more.
    func forget(_ reading: Reading) { open.remove(reading) }

    /// Takes back the notes of what ended here without the database knowing.
    func giveBackAll() async throws {
        for reading in open { try await end(reading) }
    }
}
