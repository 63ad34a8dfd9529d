import ReportFiles
import ServiceKit
import WalletProtocol

/// What all users spend, by cell.
struct GetSpendingInsights: Handler {
    static let endpoint = Insights.spending
    let insights: InsightStore
    let documents: ReportDocuments
    let audit: InsightAudit

    func handle(
        _ request: Request<SpendingQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SpendingInsights> {
        try await audit.note(request, of: Self.endpoint.erased, by: caller)
        let query = request.query
        let user = caller.user.id
        let view = try await insights.spending(query, by: user)
        return try await documents.answer(view, as: query.format, query.direction, for: user)
    }
}
