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

/// Writes what was read.
struct ImportStore {
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
            preview.mappingFrom
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
            Self.number(of: statement)
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
        let count = preview.read.statement.rows.count
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

/// The last row of a page.
struct ImportRowPlace: JSONObject {
    let importID: ID<StatementImport>
    let place: Int

    static let json = Object(
        ImportRowPlace.init,
        Field("i", \.importID),
        Field("p", \.place, .range(0...StatementLimits.rowsMax))
    )
}

/// An import with its first rows, or those behind a place.
func importView(
    _ id: ID<StatementImport>,
    of user: ID<User>,
    behind last: ImportRowPlace? = nil,
    _ limit: Int = 200,
    in database: some Querying
) async throws -> (view: ImportView, version: String)? {
    guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
        return nil
    }
    if let last, last.importID != id {
        throw APIError.query("cursor", .invalidCursor, "is not a cursor of this import")
    }
    let rows = try await database.query(
        ImportStatements.rows,
        id,
        limit,
        Int32(last?.place ?? -1)
    )
    let named = rows.flatMap { [$0.known].compactMap { $0 } + $0.lookAlikes }
    let standing =
        named.isEmpty
        ? []
        : try await database.query(RecognitionStatements.named, record.account, named)
    let found = Dictionary(standing.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let end = rows.last.map { ImportRowPlace(importID: id, place: Int($0.place)) }
    let view = record.view(
        rows: rows.map { $0.view(in: record.currency, among: found) },
        next: end.flatMap { $0.place + 1 < Int(record.rowCount) ? Cursor($0) : nil }
    )
    return (view, String(record.version))
}

/// Drops a preview, and its rows behind it: who was writing some is done by then.
func dropPreview(_ id: ID<StatementImport>, in database: Database) async throws -> Bool {
    try await database.transaction { transaction in
        guard try await transaction.execute(ImportStatements.drop, id) == 1 else { return false }
        try await transaction.execute(ImportStatements.deleteRows, id)
        return true
    }
}

/// Drops the oldest of the previews that are too old; false where there is none.
func dropOldPreview(in database: Database) async throws -> Bool {
    try await database.transaction { transaction in
        guard let id = try await transaction.queryOne(ImportStatements.deleteOldPreview)
        else { return false }
        try await transaction.execute(ImportStatements.deleteRows, id)
        return true
    }
}

/// The account that a person may import into: the one place where this right is checked.
func importableAccount(
    _ id: ID<Account>,
    of user: ID<User>,
    in database: Database
) async throws -> AccountRow {
    guard let account = try await database.queryOne(AccountStatements.find, user, id) else {
        throw APIError.notFound
    }
    guard account.role == .owner else { throw APIError(.forbidden) }
    guard account.closedAt == nil else { throw APIError(.accountClosed) }
    return account
}
