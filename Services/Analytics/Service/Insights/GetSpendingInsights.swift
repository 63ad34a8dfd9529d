import ServiceKit
import WalletProtocol

/// What all users spend, by cell.
struct GetSpendingInsights: Handler {
    static let endpoint = Insights.spending
    let insights: InsightStore
    let documents: ReportDocuments

    func handle(
        _ request: Request<SpendingQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SpendingInsights> {
        let query = request.query
        let view = try await insights.spending(query, by: caller.user.id)
        return try await documents.answer(view, as: query.format, query.direction, for: caller)
    }
}
