import ReportFiles
import ServiceKit
import WalletProtocol

/// How one's own envelopes were used.
struct GetBudgetReport: Handler {
    static let endpoint = LedgerReports.budgets
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: BudgetReportReader

    func handle(
        _ request: Request<BudgetReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BudgetReport> {
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
struct GetChildBudgetReport: Handler {
    static let endpoint = LedgerReports.childBudgets
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: BudgetReportReader

    func handle(
        _ request: Request<BudgetReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<BudgetReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        let report = try await reader.report(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            for: caller.user.id
        )
    }
}
