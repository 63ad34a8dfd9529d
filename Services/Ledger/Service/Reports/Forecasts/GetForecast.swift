import ReportFiles
import ServiceKit
import WalletProtocol

/// How one's own month will end.
struct GetForecast: Handler {
    static let endpoint = LedgerReports.forecast
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: ForecastReader

    func handle(
        _ request: Request<ForecastQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Forecast> {
        let subject = try await subjects.own(caller.user.id)
        let report = try await reader.forecast(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            for: caller.user.id
        )
    }
}

/// A child's.
struct GetChildForecast: Handler {
    static let endpoint = LedgerReports.childForecast
    let documents: ReportDocuments
    let subjects: ReportSubjects
    let reader: ForecastReader

    func handle(
        _ request: Request<ForecastQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Forecast> {
        let subject = try await subjects.child(request.path.id(), of: caller.user.id)
        let report = try await reader.forecast(request.query, of: subject)
        return try await documents.answer(
            report,
            as: request.query.format,
            for: caller.user.id
        )
    }
}
