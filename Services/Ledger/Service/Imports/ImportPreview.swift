import BankFiles
import Postgres
import ServiceKit
import WalletProtocol

/// What was read of a file for an account.
struct ImportPreview: Sendable {
    let read: ReadStatement
    let recognition: Recognition
    /// The import whose mapping it was read by.
    var mappingFrom: ID<StatementImport>?
}

/// Writes what was read, within a transaction.
struct ImportPreviewWriter {
    /// Rows written at a time.
    static let chunk = 500
    /// Bytes of a file in one row of its table.
    static let partBytes = 1 << 20

    let transaction: Transaction

    /// A new preview, and of a CSV its own bytes.
    func insert(
        _ preview: ImportPreview,
        file: [UInt8],
        as id: ID<StatementImport>,
        for user: ID<User>,
        _ account: ID<Account>
    ) async throws {
        let read = preview.read
        let statement = read.statement
        try await transaction.execute(
            ImportStatements.insert,
            id,
            user,
            account,
            statement.format.rawValue,
            statement.opening,
            statement.closing,
            statement.from,
            statement.to,
            Int32(statement.rows.count),
            preview.recognition.duplicateCount,
            PostgresJSON(JSON.text(read.faults)),
            statement.layout.map { PostgresJSON(JSON.text($0.columns)) },
            (statement.layout?.mapping).map { PostgresJSON(JSON.text($0)) },
            Self.number(of: statement),
            Int32(read.faultCount),
            Int64(file.count),
            read.balanceFault.map { PostgresJSON(JSON.text($0)) },
            preview.mappingFrom,
            (statement.layout?.proposal).map { PostgresJSON(JSON.text($0)) }
        )
        if statement.format == .csv {
            var (start, part) = (0, Int32(0))
            while start < file.count {
                let end = min(start + Self.partBytes, file.count)
                try await transaction.execute(
                    ImportStatements.insertFile,
                    id,
                    part,
                    Array(file[start..<end])
                )
                (start, part) = (end, part + 1)
            }
        }
        try await insertRows(preview, of: id)
    }

    /// The same file, read in another way.
    func replace(
        _ preview: ImportPreview,
        of id: ID<StatementImport>
    ) async throws {
        let read = preview.read
        let statement = read.statement
        try await transaction.execute(ImportStatements.deleteRows, id)
        try await transaction.execute(
            ImportStatements.replace,
            id,
            statement.opening,
            statement.closing,
            statement.from,
            statement.to,
            Int32(statement.rows.count),
            PostgresJSON(JSON.text(read.faults)),
            statement.layout.map { PostgresJSON(JSON.text($0.columns)) },
            (statement.layout?.mapping).map { PostgresJSON(JSON.text($0)) },
            Int32(read.faultCount),
            read.balanceFault.map { PostgresJSON(JSON.text($0)) },
            preview.recognition.duplicateCount,
            Self.number(of: statement),
            (statement.layout?.proposal).map { PostgresJSON(JSON.text($0)) }
        )
        try await insertRows(preview, of: id)
    }

    /// A name that is no number tells it from the others of its file.
    private static func number(of statement: BankStatement) -> String? {
        StatementTexts.accountNumber(statement.accountNumber) ?? statement.accountNumber
    }

    private func insertRows(
        _ preview: ImportPreview,
        of id: ID<StatementImport>
    ) async throws {
        let statement = preview.read.statement
        let count = statement.rows.count
        try await transaction.execute(ImportStatements.setOrder, id, statement.isNewestFirst)
        guard count > 0 else { return }
        var place = 0
        try await transaction.copyIn(ImportStatements.copyRows) { copy in
            let end = min(place + Self.chunk, count)
            while place < end {
                Self.append(place, of: preview, id, to: &copy)
                place += 1
            }
            return place < count
        }
    }

    private static func append(
        _ place: Int,
        of preview: ImportPreview,
        _ id: ID<StatementImport>,
        to copy: inout CopyRows
    ) {
        let row = preview.read.statement.rows[place]
        let fingerprint = preview.read.fingerprints[place]
        copy.append(
            id,
            Int32(place),
            Int32(clamping: row.line),
            row.day,
            row.amount,
            row.name,
            row.description,
            row.counterparty,
            row.endToEnd,
            fingerprint.digest.bytes,
            fingerprint.occurrence,
            preview.read.categories[place],
            preview.recognition.isDuplicate[place],
            preview.recognition.known[place],
            preview.recognition.lookAlikes[place]
        )
    }
}
