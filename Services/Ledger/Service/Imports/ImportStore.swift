import BankFiles
import Loops
import Postgres
import ServiceKit
import WalletProtocol

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

/// Tells of imports, and has them taken in or back.
struct ImportStore {
    let database: Database
    let bell: WorkBell

    /// An import as it is shown, and its version.
    typealias Shown = (view: ImportView, version: String)

    /// How long an answer waits for the worker.
    private static let patienceNanoseconds: UInt64 = 2_000_000_000

    /// An import with its first rows, or those behind a place.
    /// - Throws: 404 for a stranger, `invalid-cursor` for another import's.
    func find(
        _ id: ID<StatementImport>,
        of user: ID<User>,
        behind last: ImportRowPlace? = nil,
        _ limit: Int = 200
    ) async throws -> Shown {
        try await Self.find(id, of: user, behind: last, limit, in: database)
    }

    /// The same, as a transaction sees it.
    static func find(
        _ id: ID<StatementImport>,
        of user: ID<User>,
        behind last: ImportRowPlace? = nil,
        _ limit: Int = 200,
        in database: some Querying
    ) async throws -> Shown {
        guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        if let last, last.importID != id {
            throw APIError.query("cursor", .invalidCursor, "is not a cursor of this import")
        }
        let stored = try await database.query(
            ImportStatements.rows,
            id,
            limit,
            Int32(last?.place ?? -1)
        )
        let rows = PageSize.first(of: stored, limit: limit) { $0.length }
        let named = rows.flatMap { [$0.known].compactMap { $0 } + $0.lookAlikes }
        let standing =
            named.isEmpty
            ? []
            : try await database.query(RecognitionStatements.named, record.account, named)
        let found = Dictionary(standing.map { ($0.id, $0) }) { first, _ in first }
        let end = rows.last.map { ImportRowPlace(importID: id, place: Int($0.place)) }
        let view = record.view(
            rows: rows.map { $0.view(in: record.currency, among: found) },
            next: end.flatMap { $0.place + 1 < Int(record.rowCount) ? Cursor($0) : nil }
        )
        return (view, String(record.version))
    }

    /// Without its rows.
    func record(_ id: ID<StatementImport>, of user: ID<User>) async throws -> ImportRecord {
        guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        return record
    }

    /// Has it taken in; done again it tells how far that is.
    /// - Throws: `balances-do-not-tie`, `import-state`, or why the worker refused it.
    func commit(_ id: ID<StatementImport>, of user: ID<User>) async throws -> Shown {
        let record = try await record(id, of: user)
        switch record.state {
        case .preview:
            if let fault = record.balanceFault, !record.acceptsBalances {
                throw APIError(
                    .balancesDoNotTie,
                    "line \(fault.line): \(fault.detail); PATCH acceptBalances to take it in so"
                )
            }
            try await advance(id, from: .preview, to: .committing)
        case .committing, .committed: break
        case .withdrawing, .withdrawn: throw APIError(.importState)
        }
        let done = try await waitForWorker(on: id, of: user, .committing)
        if done.state == .preview { throw done.refusalError ?? APIError(.importState) }
        return try await find(id, of: user)
    }

    /// Drops a preview, or has taken back what was taken in.
    /// - Returns: the import while that is under way; nil once it is done.
    /// - Throws: `import-state`, `precondition-failed`, or why the worker refused it.
    func remove(
        _ id: ID<StatementImport>,
        of user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> ImportView? {
        let record = try await record(id, of: user)
        try wanted.check(record.version)
        switch record.state {
        case .preview:
            let version = wanted == nil ? nil : record.version
            guard try await dropPreview(id, of: version) else {
                throw APIError(wanted == nil ? .importState : .preconditionFailed)
            }
            return nil
        case .withdrawn: return nil
        case .committed: try await advance(id, from: .committed, to: .withdrawing)
        case .withdrawing: break
        case .committing: throw APIError(.importState)
        }
        let done = try await waitForWorker(on: id, of: user, .withdrawing)
        switch done.state {
        case .withdrawn: return nil
        case .committed: throw done.refusalError ?? APIError(.importState)
        case .preview, .committing, .withdrawing: break
        }
        let view = try await find(id, of: user).view
        return view.state == .withdrawing ? view : nil
    }

    private func advance(
        _ id: ID<StatementImport>,
        from old: ImportState,
        to new: ImportState
    ) async throws {
        try await database.execute(ImportStatements.advance, id, old.rawValue, new.rawValue)
        bell.ring()
    }

    /// Looks until the import has left `state`, or the patience is over.
    private func waitForWorker(
        on id: ID<StatementImport>,
        of user: ID<User>,
        _ state: ImportState
    ) async throws -> ImportRecord {
        let end = monotonicNanoseconds() + Self.patienceNanoseconds
        var pause: UInt64 = 5_000_000
        while true {
            let record = try await record(id, of: user)
            guard record.state == state, monotonicNanoseconds() < end else { return record }
            try await database.loop.sleep(nanoseconds: pause)
            pause = min(pause * 2, 100_000_000)
        }
    }

    /// Drops a preview, and its rows behind it: who was writing some is done by then.
    private func dropPreview(
        _ id: ID<StatementImport>,
        of version: Int32?
    ) async throws -> Bool {
        try await database.transaction { transaction in
            guard try await transaction.execute(ImportStatements.drop, id, version) == 1 else {
                return false
            }
            try await transaction.execute(ImportStatements.deleteRows, id)
            return true
        }
    }

    /// Drops the oldest of the previews that are too old; false where there is none.
    static func dropOldPreview(in database: Database) async throws -> Bool {
        try await database.transaction { transaction in
            guard let id = try await transaction.queryOne(ImportStatements.deleteOldPreview)
            else { return false }
            try await transaction.execute(ImportStatements.deleteRows, id)
            return true
        }
    }
}

extension Database {
    /// The account that a person may import into: the one place where this right is checked.
    func importableAccount(_ id: ID<Account>, of user: ID<User>) async throws -> AccountRow {
        guard let account = try await queryOne(AccountStatements.find, user, id) else {
            throw APIError.notFound
        }
        guard account.role == .owner else { throw APIError(.forbidden) }
        guard account.closedAt == nil else { throw APIError(.accountClosed) }
        return account
    }
}
