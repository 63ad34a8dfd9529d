import BankFiles
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads a file for an account: as it is told, else as the account's last one of its layout was.
struct StatementReading {
    let database: Database
    let blocking: BlockingPool

    /// - Throws: 422 where the file cannot be read for the account.
    func read(
        _ bytes: [UInt8],
        _ question: ReadStatement.Question
    ) async throws -> (read: ReadStatement, mappingFrom: ID<StatementImport>?) {
        let remembered =
            question.mapping == nil
            ? try await database.query(RecognitionStatements.mappings, question.account) : []
        let read = try await once(bytes, question)
        guard let layout = read.statement.layout, !layout.columns.isEmpty else {
            return (read, nil)
        }
        var seen: Set<[String]> = []
        for last in remembered where seen.insert(last.columns).inserted {
            if last.columns == layout.columns {
                return try await again(bytes, question, last, read) ?? (read, nil)
            }
            // A header that is not known by itself may stand below other lines.
            guard layout.mapping == nil,
                let found = try await again(bytes, question, last, read)
            else { continue }
            return found
        }
        // Whoever writes the account's other files wrote this one, too.
        guard !layout.isOrderDecided, let order = remembered.first?.mapping.dateOrder,
            order != layout.order
        else { return (read, nil) }
        var asked = question
        asked.order = order
        return (try await once(bytes, asked), nil)
    }

    /// What the file says when it is read as another was; nil where that adds nothing, or where it
    /// is not written so: it tells by itself how it is.
    private func again(
        _ bytes: [UInt8],
        _ question: ReadStatement.Question,
        _ last: RememberedMapping,
        _ read: ReadStatement
    ) async throws -> (read: ReadStatement, mappingFrom: ID<StatementImport>?)? {
        var mapping = last.mapping
        // What stands above the header may be longer than it was.
        if case .second = mapping.date { mapping.headerRows = nil }
        var found = read.statement.layout?.mapping
        found?.headerRows = mapping.headerRows
        guard found != mapping else { return nil }
        var asked = question
        asked.mapping = mapping
        let other = asked
        guard case .read(let again) = try await blocking.run({ ReadOutcome(bytes, other) }),
            again.statement.layout?.columns == last.columns,
            again.statement.rows.count >= max(1, read.statement.rows.count)
        else { return nil }
        try check(again, question)
        return (again, last.importID)
    }

    private func once(
        _ bytes: [UInt8],
        _ question: ReadStatement.Question
    ) async throws -> ReadStatement {
        let read = try await blocking.run { ReadOutcome(bytes, question) }.get()
        try check(read, question)
        return read
    }

    private func check(
        _ read: ReadStatement,
        _ question: ReadStatement.Question
    ) throws(APIError) {
        if let named = read.statement.currency, named != question.currency {
            throw APIError(.currencyMismatch, "the file is in \(named.code)")
        }
    }
}

/// How a file of an account was read.
struct RememberedMapping: Sendable {
    let importID: ID<StatementImport>
    /// The names in its header line.
    let columns: [String]
    let mapping: CSVMapping
}
