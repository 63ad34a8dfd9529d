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

    /// How long the answer waits for the worker.
    static let patienceNanoseconds: UInt64 = 2_000_000_000

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
        case "preview":
            try await database.execute(ImportStatements.advance, id, "preview", "committing")
            bell.ring()
        case "committing", "committed": break
        default: throw APIError(.importState)
        }
        let end = monotonicNanoseconds() + Self.patienceNanoseconds
        let done = try await waitForWorker(on: id, of: user, "committing", until: end, database)
        if done.state == "preview" { throw refusal(of: done) }
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
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let id = try request.path.id(of: StatementImport.self)
        guard let record = try await database.queryOne(ImportStatements.find, user, id) else {
            throw APIError.notFound
        }
        switch record.state {
        case "preview":
            guard try await database.execute(ImportStatements.drop, id) == 1 else {
                throw APIError(.importState)
            }
            return .noContent
        case "withdrawn": return .noContent
        case "committed":
            try await database.execute(ImportStatements.advance, id, "committed", "withdrawing")
            bell.ring()
        case "withdrawing": break
        default: throw APIError(.importState)
        }
        // As long as the request lasts: the work goes on in any case.
        let end = RequestContext.deadline(within: 25_000_000_000) &- 500_000_000
        let done = try await waitForWorker(on: id, of: user, "withdrawing", until: end, database)
        switch done.state {
        case "withdrawn": return .noContent
        case "committed": throw refusal(of: done)
        default: throw APIError(.unavailable, "still being taken back", retryAfterSeconds: 5)
        }
    }
}

/// Looks until the import has left `state`, or the time is over.
private func waitForWorker(
    on id: ID<StatementImport>,
    of user: ID<User>,
    _ state: String,
    until end: UInt64,
    _ database: Database
) async throws -> ImportRecord {
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

/// Why the worker gave up.
private func refusal(of record: ImportRecord) -> APIError {
    guard let status = record.refusal.flatMap(PostingStatus.init(rawValue:)) else {
        return APIError(.importState)
    }
    return status.error
}
