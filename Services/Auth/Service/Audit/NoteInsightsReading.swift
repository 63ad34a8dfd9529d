import Postgres
import ServiceKit
import WalletProtocol

/// Tells of a query for everybody's figures.
struct NoteInsightsReading: Handler {
    static let endpoint = InternalAuth.insightsRead
    let database: Database
    let audit: AuditLog

    func handle(
        _ request: Request<NoQuery, InsightsReading>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let reading = request.body
        try await audit.append(
            AuditEntry(
                .insightsRead,
                by: .user(reading.userID),
                of: nil,
                detail: ["path": .string(reading.path), "query": .string(reading.query)],
                from: AuditOrigin(reading.addressFamily)
            ),
            in: database
        )
        return .noContent
    }
}
