import Postgres
import ServiceKit
import WalletProtocol

/// The newest first, page by page.
struct ListRecurrences: Handler {
    static let endpoint = Recurrences.list
    let database: Database

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<RecurrenceView>> {
        let query = request.query
        let last = try query.cursor?.decode(ID<WalletProtocol.Recurrence>.self)
        let rows = try await database.query(
            RecurrenceStatements.list,
            caller.user.id,
            last ?? ID(high: .max, low: .max),
            query.limit + 1
        )
        let shown = rows.prefix(query.limit)
        let next = rows.count > query.limit ? shown.last.map { Cursor($0.recurring.id) } : nil
        return .ok(Page(items: shown.map { $0.recurring.view(last: $0.last) }, nextCursor: next))
    }
}

/// One schedule.
struct GetRecurrence: Handler {
    static let endpoint = Recurrences.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<RecurrenceView> {
        let id = try request.path.id(of: WalletProtocol.Recurrence.self)
        guard
            let row = try await database.queryOne(RecurrenceStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        return .ok(row.recurring.view(last: row.last)).tagged(String(row.recurring.version))
    }
}

/// The next ten days of a schedule, and the last ten.
struct ListOccurrences: Handler {
    static let endpoint = Recurrences.occurrences
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<OccurrenceList> {
        let id = try request.path.id(of: WalletProtocol.Recurrence.self)
        guard
            let row = try await database.queryOne(RecurrenceStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        let past = try await database.query(RecurrenceStatements.past, id)
        return .ok(OccurrenceList(items: row.recurring.next(10), past: past.compactMap(\.self)))
    }
}
