import ServiceKit
import WalletProtocol

/// What all users spend, by cell.
struct GetSpendingInsights: Handler {
    static let endpoint = Insights.spending
    let insights: InsightStore

    func handle(
        _ request: Request<SpendingQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SpendingInsights> {
        let view = try await insights.spending(request.query, by: caller.user.id)
        switch request.query.format {
        case .json: return .ok(view)
        case .csv: return .file(SpendingCSV.write(view), type: "text/csv; charset=utf-8")
        }
    }
}
