import ServiceKit
import WalletProtocol

/// Keeps a query.
struct MakeSavedQuery: Handler {
    static let endpoint = SavedQueries.make
    let effects: KeyedEffects
    let saved: SavedQueryStore

    func handle(
        _ request: Request<NoQuery, Unjudged<NewSavedQuery>>,
        as caller: Caller
    ) async throws -> Response<SavedQueryView> {
        let body = request.body.body
        let query = Unjudged(body.query, faults: request.body.faults)
        _ = try AskedInsights(query, at: "/query", now: .now())
        return try await effects.answer(
            request.idempotency,
            refusing: SavedQueryStore.constraints
        ) { transaction in
            let row = try await saved.make(body, of: caller.user.id, in: transaction)
            return .created(row.view(at: .now()), at: "/v1/insights/saved-queries/\(row.id)")
                .tagged(String(row.version))
        }
    }
}

/// Queries that somebody has kept.
struct ListSavedQueries: Handler {
    static let endpoint = SavedQueries.list
    let saved: SavedQueryStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<SavedQueryView>> {
        .ok(try await saved.list(request.query, of: caller.user.id, at: .now()))
    }
}

/// One of them.
struct GetSavedQuery: Handler {
    static let endpoint = SavedQueries.get
    let saved: SavedQueryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SavedQueryView> {
        let row = try await saved.find(request.path.id(of: SavedQuery.self), of: caller.user.id)
        return .ok(row.view(at: .now())).tagged(String(row.version))
    }
}

/// Gives one another name, or has it ask something else.
struct ChangeSavedQuery: Handler {
    static let endpoint = SavedQueries.change
    let saved: SavedQueryStore

    func handle(
        _ request: Request<NoQuery, Unjudged<SavedQueryChange>>,
        as caller: Caller
    ) async throws -> Response<SavedQueryView> {
        let (user, id) = (caller.user.id, try request.path.id(of: SavedQuery.self))
        let (change, faults) = (request.body.body, request.body.faults)
        if let query = change.query.content {
            _ = try AskedInsights(Unjudged(query, faults: faults), at: "/query", now: .now())
        }
        guard faults.isEmpty else { throw APIError(.invalidBody, errors: faults) }
        let row = try await saved.change(id, change, of: user, ifMatch: request.ifMatch)
        return .ok(row.view(at: .now())).tagged(String(row.version))
    }
}

/// Takes one away.
struct RemoveSavedQuery: Handler {
    static let endpoint = SavedQueries.remove
    let saved: SavedQueryStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: SavedQuery.self)
        try await saved.remove(id, of: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}

/// Asks one, as though it were sent again.
struct AnswerSavedQuery: Handler {
    static let endpoint = SavedQueries.answer
    let saved: SavedQueryStore
    let queries: InsightQueries
    let audit: InsightAudit

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<InsightAnswer> {
        let row = try await saved.find(request.path.id(of: SavedQuery.self), of: caller.user.id)
        let asked = try AskedInsights(row.query, now: .now())
        try await audit.note(request, of: Self.endpoint.erased, asking: asked.text, by: caller)
        return .ok(try await queries.answer(asked, by: caller.user.id))
    }
}
