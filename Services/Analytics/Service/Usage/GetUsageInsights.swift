import ServiceKit
import WalletProtocol

/// How the suite is used, by cell.
struct GetUsageInsights: Handler {
    static let endpoint = Insights.usage
    let usage: UsageStore
    let audit: InsightAudit

    func handle(
        _ request: Request<UsageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<UsageInsights> {
        try await audit.note(request, of: Self.endpoint.erased, by: caller)
        let view = try await usage.insights(request.query, by: caller.user.id)
        switch request.query.format {
        case .json: return .ok(view)
        case .csv: return .file(UsageCSV.write(view), type: ReportFormat.csvType)
        }
    }
}
