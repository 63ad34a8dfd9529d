import ReportFiles
import ServiceKit
import WalletProtocol

/// What went where.
struct GetPlaceReport: Handler {
    static let endpoint = LedgerReports.places
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PlaceReport> {
        let subject = try await subjects.own(caller.user.id)
        let report = try await reader.places(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            request.query.direction,
            for: caller.user.id
        )
    }
}

/// A child's.
struct GetChildPlaceReport: Handler {
    static let endpoint = LedgerReports.childPlaces
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PlaceReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        let report = try await reader.places(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            request.query.direction,
            for: caller.user.id
        )
    }
}
