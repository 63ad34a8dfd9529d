import ServiceKit
import WalletProtocol

/// One's own balances over time.
struct GetBalanceReport: Handler {
    static let endpoint = LedgerReports.balances
    let subjects: ReportSubjects
    let reader: BalanceReader

    func handle(
        _ request: Request<BalanceReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BalanceReport> {
        let subject = try await subjects.own(caller.user.id)
        return .report(
            try await reader.report(request.query, of: subject),
            as: request.query.format
        )
    }
}

/// A child's.
struct GetChildBalanceReport: Handler {
    static let endpoint = LedgerReports.childBalances
    let subjects: ReportSubjects
    let reader: BalanceReader

    func handle(
        _ request: Request<BalanceReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BalanceReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        return .report(
            try await reader.report(request.query, of: subject),
            as: request.query.format
        )
    }
}
