import Postgres
import ServiceKit
import WalletProtocol

/// Takes imports in, or back, each as a whole: one transaction, done again after a kill.
struct ImportWork {
    let database: Database
    let relayBell: RelayBell

    /// Elements a call of `post_batch_v1`.
    static let chunk = 500
    /// How long one call may take; the whole is bounded by the file's size.
    static let callMillisecondsMax: UInt64 = 30_000

    /// What ends an attempt: the state goes back, with the reason.
    private struct Refused: Error {
        let id: ID<StatementImport>
        let status: PostingStatus
    }

    /// Does the work that waits longest and that nobody is at; false where there is none.
    func doOne() async throws -> Bool {
        var under: ID<StatementImport>?
        do {
            let found = try await database.lease { lease in
                lease.waitMillisecondsMax = Self.callMillisecondsMax
                return try await lease.transaction { transaction in
                    try await transaction.setStatementTimeout(
                        milliseconds: Int(Self.callMillisecondsMax) - 5_000
                    )
                    guard let work = try await transaction.queryOne(ImportStatements.takeWork)
                    else { return false }
                    under = work.id
                    if work.state == "committing" {
                        try await commit(work, in: transaction)
                    } else {
                        try await withdraw(work, in: transaction)
                    }
                    return true
                }
            }
            if found { relayBell.ring() }
            return found
        } catch let refused as Refused {
            try await giveUp(refused.id, refused.status)
            return true
        } catch let error as DatabaseError {
            // What the database can never take must not keep the others from their turn.
            if case .server = error, !error.isRetryable, let under {
                try await giveUp(under, .invalidElement)
            }
            throw error
        }
    }

    private func giveUp(_ id: ID<StatementImport>, _ status: PostingStatus) async throws {
        try await database.execute(ImportStatements.giveUp, id, status.rawValue)
    }

    private func commit(_ work: ImportRecord, in transaction: Transaction) async throws {
        let count = try await transaction.execute(ImportStatements.claim, work.id, work.account)
        var openingEntry: ID<JournalEntry>?
        if let opening = work.opening, opening != 0, count == Int(work.rowCount) {
            openingEntry = try await open(work, with: opening, in: transaction)
        }
        var place: Int32 = -1
        while true {
            let rows = try await transaction.query(
                ImportStatements.claimed,
                work.id,
                place,
                Self.chunk
            )
            guard let last = rows.last else { break }
            place = last.place
            try await post(rows.map { posting(for: $0, of: work) }, of: work, in: transaction)
        }
        try await transaction.execute(
            ImportStatements.finish,
            work.id,
            "committed",
            openingEntry,
            work.rowCount - Int32(count)
        )
    }

    /// What the account held before the first row, so that the closing balance ties.
    private func open(
        _ work: ImportRecord,
        with opening: Int64,
        in transaction: Transaction
    ) async throws -> ID<JournalEntry>? {
        var posting = Posting(
            .opening,
            Posting.Operation(work: "import \(work.id)", part: -1),
            by: work.user,
            on: work.account
        )
        posting.amount = opening
        posting.currency = work.currency
        posting.day = work.from ?? .utc(work.createdAt)
        let outcome = try await transaction.post([posting]).first
        switch outcome?.status {
        case .posted: return posting.entry
        // It has rows already, or is no wallet: then there is no opening to set.
        case .accountNotEmpty, .accountKind: return nil
        case let status: throw Refused(id: work.id, status: status ?? .invalidElement)
        }
    }

    private func posting(for row: ImportedRow, of work: ImportRecord) -> Posting {
        var posting = Posting(
            .record,
            Posting.Operation(work: "import \(work.id)", part: Int(row.place)),
            by: work.user,
            on: work.account
        )
        posting.transaction = .new()
        posting.amount = row.amount
        posting.currency = work.currency
        posting.day = row.day
        posting.importID = work.id
        posting.name = row.name
        posting.description = row.description
        return posting
    }

    /// Deletes what it brought, edited or not; what the user deleted already stays deleted.
    private func withdraw(_ work: ImportRecord, in transaction: Transaction) async throws {
        var part = 0
        while true {
            let rows = try await transaction.query(
                ImportStatements.transactions,
                work.id,
                Self.chunk
            )
            if rows.isEmpty { break }
            let postings = rows.map { row in
                part += 1
                var posting = Posting(
                    .reversal,
                    Posting.Operation(work: "withdrawal \(work.id)", part: part),
                    by: work.user,
                    on: row.account
                )
                posting.transaction = row.id
                return posting
            }
            try await post(postings, of: work, in: transaction)
        }
        if let entry = work.openingEntry {
            var posting = Posting(
                .reversal,
                Posting.Operation(work: "withdrawal \(work.id)", part: -1),
                by: work.user,
                on: work.account
            )
            posting.reverses = entry
            try await post([posting], of: work, in: transaction)
        }
        try await transaction.execute(ImportStatements.release, work.id)
        try await transaction.execute(
            ImportStatements.finish,
            work.id,
            "withdrawn",
            nil as ID<JournalEntry>?,
            work.duplicateCount
        )
    }

    private func post(
        _ postings: [Posting],
        of work: ImportRecord,
        in transaction: Transaction
    ) async throws {
        for outcome in try await transaction.post(postings)
        where outcome.status != .posted && outcome.status != .transactionNotFound {
            throw Refused(id: work.id, status: outcome.status)
        }
    }
}
