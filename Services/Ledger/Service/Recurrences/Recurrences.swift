import ServiceKit
import WalletProtocol

/// The newest first, page by page.
struct ListRecurrences: Handler {
    static let endpoint = Recurrences.list
    let recurrences: RecurrenceStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<RecurrenceView>> {
        .ok(try await recurrences.list(request.query, of: caller.user.id))
    }
}

/// One schedule.
struct GetRecurrence: Handler {
    static let endpoint = Recurrences.get
    let recurrences: RecurrenceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<RecurrenceView> {
        let id = try request.path.id(of: WalletProtocol.Recurrence.self)
        let row = try await recurrences.find(id, of: caller.user.id)
        return .ok(row.view).tagged(row.tag)
    }
}

/// The next ten days of a schedule, and the last ten.
struct ListOccurrences: Handler {
    static let endpoint = Recurrences.occurrences
    let recurrences: RecurrenceStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<OccurrenceList> {
        let id = try request.path.id(of: WalletProtocol.Recurrence.self)
        return .ok(try await recurrences.occurrences(of: id, of: caller.user.id))
    }
}

/// Changes what is to come of a schedule.
struct ChangeRecurrence: Handler {
    static let endpoint = Recurrences.change
    let changes: RecurrenceChanges

    func handle(
        _ request: Request<NoQuery, RecurrenceChange>,
        as caller: Caller
    ) async throws -> Response<RecurrenceView> {
        let (user, body) = (caller.user.id, request.body)
        let id = try request.path.id(of: WalletProtocol.Recurrence.self)
        let row = try await changes.change(id, body, of: user, ifMatch: request.ifMatch)
        return .ok(row.view).tagged(row.tag)
    }
}

/// Ends a schedule; what it has posted stays.
struct RemoveRecurrence: Handler {
    static let endpoint = Recurrences.remove
    let changes: RecurrenceChanges

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: WalletProtocol.Recurrence.self)
        try await changes.remove(id, of: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}
