import ServiceKit
import WalletProtocol

/// What went to whom, or came from whom.
struct GetPayeeReport: Handler {
    static let endpoint = LedgerReports.payees
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PayeeReport> {
        let subject = try await subjects.own(caller.user.id)
        return .report(
            try await reader.payees(request.query, of: subject),
            as: request.query.format
        )
    }
}

/// A child's.
struct GetChildPayeeReport: Handler {
    static let endpoint = LedgerReports.childPayees
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PayeeReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        return .report(
            try await reader.payees(request.query, of: subject),
            as: request.query.format
        )
    }
}
