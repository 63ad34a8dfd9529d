import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// One import.
struct GetImport: Handler {
    static let endpoint = Imports.get
    let database: Database

    func handle(
        _ request: Request<FullPageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let id = try request.path.id(of: StatementImport.self)
        guard
            let (view, version) = try await importView(
                id,
                of: caller.user.id,
                behind: try request.query.cursor?.decode(ImportRowPlace.self),
                request.query.limit,
                in: database
            )
        else { throw APIError.notFound }
        return .ok(view).tagged(version)
    }
}

/// Takes an import in; the worker does it, and short ones are done before the answer.
struct CommitImport: Handler {
    static let endpoint = Imports.commit
    let database: Database
    let bell: WorkBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let user = caller.user.id
        let id = try request.path.id(of: StatementImport.self)
        guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        switch record.state {
        case .preview:
            if let fault = record.balanceFault, !record.acceptsBalances {
                throw APIError(
                    .balancesDoNotTie,
                    "line \(fault.line): \(fault.detail); PATCH acceptBalances to take it in so"
                )
            }
            try await database.execute(
                ImportStatements.advance,
                id,
                ImportState.preview.rawValue,
                ImportState.committing.rawValue
            )
            bell.ring()
        case .committing, .committed: break
        case .withdrawing, .withdrawn: throw APIError(.importState)
        }
        let done = try await waitForWorker(on: id, of: user, .committing, database)
        if done.state == .preview { throw done.refusalError ?? APIError(.importState) }
        guard let (view, version) = try await importView(id, of: user, in: database) else {
            throw APIError.notFound
        }
        return view.state == .committing
            ? .accepted(view, at: "/v1/imports/\(id)") : .ok(view).tagged(version)
    }
}

/// Drops a preview, or takes back what was taken in.
struct RemoveImport: Handler {
    static let endpoint = Imports.remove
    let database: Database
    let bell: WorkBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ImportView> {
        let user = caller.user.id
        let id = try request.path.id(of: StatementImport.self)
        guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        switch record.state {
        case .preview:
            guard try await dropPreview(id, in: database) else { throw APIError(.importState) }
            return .noContent
        case .withdrawn: return .noContent
        case .committed:
            try await database.execute(
                ImportStatements.advance,
                id,
                ImportState.committed.rawValue,
                ImportState.withdrawing.rawValue
            )
            bell.ring()
        case .withdrawing: break
        case .committing: throw APIError(.importState)
        }
        let done = try await waitForWorker(on: id, of: user, .withdrawing, database)
        switch done.state {
        case .withdrawn: return .noContent
        case .committed: throw done.refusalError ?? APIError(.importState)
        case .preview, .committing, .withdrawing: break
        }
        guard let (view, _) = try await importView(id, of: user, in: database) else {
            throw APIError.notFound
        }
        return view.state == .withdrawing ? .accepted(view, at: "/v1/imports/\(id)") : .noContent
    }
}

/// How long an answer waits for the worker.
private let patienceNanoseconds: UInt64 = 2_000_000_000

/// Looks until the import has left `state`, or the patience is over.
private func waitForWorker(
    on id: ID<StatementImport>,
    of user: ID<User>,
    _ state: ImportState,
    _ database: Database
) async throws -> ImportRecord {
    let end = monotonicNanoseconds() + patienceNanoseconds
    var pause: UInt64 = 5_000_000
    while true {
        guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        guard record.state == state, monotonicNanoseconds() < end else { return record }
        try await database.loop.sleep(nanoseconds: pause)
        pause = min(pause * 2, 100_000_000)
    }
}
