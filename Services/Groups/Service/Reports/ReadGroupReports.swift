import ServiceKit
import WalletProtocol

/// What a group has spent.
struct GetGroupTotals: Handler {
    static let endpoint = GroupReports.totals
    let reports: GroupReportStore

    func handle(
        _ request: Request<GroupTotalsQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupTotalsView> {
        .ok(try await reports.totals(request.query, of: request.path.id(), for: caller.user.id))
    }
}

/// Where a group's expenses were.
struct ListExpensePositions: Handler {
    static let endpoint = GroupReports.positions
    let reports: GroupReportStore

    func handle(
        _ request: Request<ExpensePositionQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExpensePositionPage> {
        .ok(try await reports.positions(request.query, of: request.path.id(), for: caller.user.id))
    }
}
