import Postgres
import ServiceKit
import WalletProtocol

/// Writes what was read.
struct ImportStore {
    /// Rows written at a time.
    static let chunk = 2_000
    /// Bytes of a file in one row of its table.
    static let partBytes = 1 << 20

    let transaction: Transaction

    /// A new preview, and of a CSV its own bytes.
    func insert(
        _ read: ReadStatement,
        file: [UInt8],
        as id: ID<StatementImport>,
        for user: ID<User>,
        _ account: ID<Account>
    ) async throws {
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
            PostgresJSON(JSON.text(read.faults)),
            statement.layout.map { PostgresJSON(JSON.text($0.columns)) },
            (statement.layout?.mapping).map { PostgresJSON(JSON.text($0)) },
            StatementTexts.accountNumber(statement.accountNumber),
            Int32(read.faultCount),
            Int64(file.count)
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
        try await insertRows(read, of: id, account)
    }

    /// The same file, read in another way.
    func replace(
        _ read: ReadStatement,
        of id: ID<StatementImport>,
        _ account: ID<Account>
    ) async throws {
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
            Int32(read.faultCount)
        )
        try await insertRows(read, of: id, account)
    }

    private func insertRows(
        _ read: ReadStatement,
        of id: ID<StatementImport>,
        _ account: ID<Account>
    ) async throws {
        let count = read.statement.rows.count
        var start = 0
        while start < count {
            let end = min(start + Self.chunk, count)
            try await insertRows(read, start..<end, of: id, account)
            start = end
        }
        try await transaction.execute(ImportStatements.countDuplicates, id)
    }

    private func insertRows(
        _ read: ReadStatement,
        _ range: Range<Int>,
        of id: ID<StatementImport>,
        _ account: ID<Account>
    ) async throws {
        let rows = read.statement.rows[range]
        try await transaction.execute(
            ImportStatements.insertRows,
            id,
            range.map { Int32($0) },
            rows.map { Int32(clamping: $0.line) },
            rows.map(\.day),
            rows.map(\.amount),
            rows.map(\.name),
            rows.map { $0.description ?? "" },
            rows.map { $0.counterparty ?? "" },
            rows.map { $0.endToEnd ?? "" },
            read.fingerprints[range].map(\.digest),
            read.fingerprints[range].map(\.occurrence),
            read.categories[range].map { $0?.text ?? "" },
            account
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
    let end = rows.last.map { ImportRowPlace(importID: id, place: Int($0.place)) }
    let view = record.view(
        rows: rows.map { $0.view(in: record.currency) },
        next: end.flatMap { $0.place + 1 < Int(record.rowCount) ? Cursor($0) : nil }
    )
    return (view, String(record.version))
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
