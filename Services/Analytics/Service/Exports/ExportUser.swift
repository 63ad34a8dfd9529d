import Postgres
import ServiceKit
import WalletProtocol

/// Tells what is held on a person, page by page.
struct ExportUser: Handler {
    static let endpoint = InternalExports.analytics
    let database: Database

    func handle(
        _ request: Request<ExportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExportPage> {
        .ok(
            try await ExportPart.page(
                request.query,
                of: request.path.id(of: User.self),
                from: ExportStatements.parts,
                in: database
            )
        )
    }
}
