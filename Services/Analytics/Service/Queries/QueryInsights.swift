import ServiceKit
import WalletProtocol

/// Figures of everybody, by one typed query.
struct QueryInsights: Handler {
    static let endpoint = Insights.query
    let queries: InsightQueries
    let audit: InsightAudit

    func handle(
        _ request: Request<NoQuery, Unjudged<InsightQuery>>,
        as caller: Caller
    ) async throws -> Response<InsightAnswer> {
        let asked = try AskedInsights(request.body, now: .now())
        try await audit.note(request, of: Self.endpoint.erased, asking: asked.text, by: caller)
        return .ok(try await queries.answer(asked, by: caller.user.id))
    }
}
