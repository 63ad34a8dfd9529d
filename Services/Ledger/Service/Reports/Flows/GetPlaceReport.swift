import ServiceKit
import WalletProtocol

/// What went where.
struct GetPlaceReport: Handler {
    static let endpoint = LedgerReports.places
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PlaceReport> {
        let subject = try await subjects.own(caller.user.id)
        return .report(
            try await reader.places(request.query, of: subject),
            as: request.query.format
        )
    }
}

/// A child's.
struct GetChildPlaceReport: Handler {
    static let endpoint = LedgerReports.childPlaces
    let subjects: ReportSubjects
    let reader: FlowReader

    func handle(
        _ request: Request<FlowReportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PlaceReport> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        return .report(
            try await reader.places(request.query, of: subject),
            as: request.query.format
        )
    }
}
