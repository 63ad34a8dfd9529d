import BankFiles
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads a CSV's own bytes in another way, or says what becomes of rows.
struct ImportChanges {
    let database: Database
    let blocking: BlockingPool
    let slots: Slots

    /// Does both at once: the rows are those of the new reading.
    func change(
        _ id: ID<StatementImport>,
        _ change: ImportChange,
        of user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> ImportStore.Shown {
        guard let old = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        try check(old, ifMatch: ifMatch)
        try ImportRowChanges.check(change.rows)
        let preview = try await reread(old, change)
        try await database.transaction { transaction in
            guard var record = try await transaction.queryOne(ImportStatements.lock, user, id)
            else { throw APIError.notFound }
            try check(record, ifMatch: ifMatch)
            if let preview {
                try await ImportPreviewWriter(transaction: transaction).replace(preview, of: id)
                record = try await transaction.queryOne(ImportStatements.lock, user, id) ?? record
            }
            try await ImportRowChanges(record: record, transaction: transaction)
                .apply(change.rows)
            if preview != nil || !change.rows.isEmpty {
                try await transaction.matchOwnTransfers(record)
                try await transaction.noteDifferences(record)
            }
            if let accepts = change.acceptsBalances {
                try await transaction.execute(ImportStatements.acceptBalances, id, accepts)
            }
            try await transaction.execute(ImportStatements.touch, id)
        }
        return try await ImportStore.find(id, of: user, in: database)
    }

    private func check(_ record: ImportRecord, ifMatch wanted: EntityTags?) throws(APIError) {
        try wanted.check(record.version)
        guard record.state == .preview else { throw APIError(.importState) }
    }

    /// The file as the mapping says; nil where nothing is said.
    private func reread(
        _ record: ImportRecord,
        _ change: ImportChange
    ) async throws -> ImportPreview? {
        if change.mapping.isUnchanged {
            guard change.accountNumber == nil else {
                throw APIError.field("/accountNumber", .invalidValue, "goes with a mapping")
            }
            return nil
        }
        guard record.format == .csv else {
            throw APIError.field("/mapping", .invalidValue, "is for a CSV alone")
        }
        guard let slot = slots.take(for: record.user) else {
            throw APIError(.unavailable, retryAfterSeconds: 2)
        }
        defer { slot.giveBack() }
        var bytes: [UInt8] = []
        for part in try await database.query(ImportStatements.file, record.id) { bytes += part }
        let question = ReadStatement.Question(
            format: .csv,
            mapping: change.mapping.applied(to: nil),
            currency: record.currency,
            account: record.account,
            accountNumber: change.accountNumber ?? record.accountNumber,
            rules: try await database.importRules(of: record.user)
        )
        let reading = StatementReading(database: database, blocking: blocking)
        let (read, _) = try await reading.read(bytes, question)
        let recognizer = Recognizer(
            database: database,
            blocking: blocking,
            account: record.account
        )
        return ImportPreview(read: read, recognition: try await recognizer.recognize(read))
    }
}
