import ReportFiles
import ServiceKit
import WalletProtocol

/// What went to whom, or came from whom.
struct GetPayeeReport: Handler {
    static let endpoint = LedgerReports.payees
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PayeeReport> {
        let subject = try await subjects.own(caller.user.id)
        let report = try await reader.payees(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            request.query.direction,
            for: caller.user.id
        )
    }
}

/// A child's.
struct GetChildPayeeReport: Handler {
    static let endpoint = LedgerReports.childPayees
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PayeeReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        let report = try await reader.payees(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            request.query.direction,
            for: caller.user.id
        )
    }
}
