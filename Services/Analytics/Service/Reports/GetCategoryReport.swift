import ServiceKit
import WalletProtocol

/// Expenses or income by category, for the pie.
struct GetCategoryReport: Handler {
    static let endpoint = Reports.categories
    let reports: ReportStore

    func handle(
        _ request: Request<CategoryReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<CategoryReport> {
        let query = request.query
        let scope = try await reports.scope(
            of: caller.user.id,
            from: query.from,
            to: query.to,
            currency: query.currency,
            accounts: query.accountIDs,
            categories: query.categoryIDs
        )
        return .ok(try await reports.categories(scope, query.direction))
    }
}
