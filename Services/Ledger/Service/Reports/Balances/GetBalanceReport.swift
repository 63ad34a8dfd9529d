import ReportFiles
import ServiceKit
import WalletProtocol

/// One's own balances over time.
struct GetBalanceReport: Handler {
    static let endpoint = LedgerReports.balances
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: BalanceReader

    func handle(
        _ request: Request<BalanceReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BalanceReport> {
        let subject = try await subjects.own(caller.user.id)
        let report = try await reader.report(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            for: caller.user.id
        )
    }
}

/// A child's.
struct GetChildBalanceReport: Handler {
    static let endpoint = LedgerReports.childBalances
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: BalanceReader

    func handle(
        _ request: Request<BalanceReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BalanceReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        let report = try await reader.report(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            for: caller.user.id
        )
    }
}
