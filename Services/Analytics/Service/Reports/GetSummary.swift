import ServiceKit
import WalletProtocol

/// Income and expenses of a time.
struct GetSummary: Handler {
    static let endpoint = Reports.summary
    let reports: ReportStore

    func handle(
        _ request: Request<SummaryQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SummaryView> {
        let query = request.query
        let scope = try await reports.scope(
            of: caller.user.id,
            from: query.from,
            to: query.to,
            currency: query.currency,
            accounts: query.accountIDs,
            categories: query.categoryIDs
        )
        return .ok(try await reports.summary(scope))
    }
}
