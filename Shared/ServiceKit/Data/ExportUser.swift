public import Postgres
public import WalletProtocol

/// Tells what a service holds on a person, page by page.
struct ExportUser: Handler {
    static let endpoint = InternalExports.ledger
    let parts: [ExportPart]
    let database: Database

    func handle(
        _ request: Request<ExportQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ExportPage> {
        let user = try request.path.id(of: User.self)
        return .ok(
            try await ExportPart.page(request.query, of: user, from: parts, in: database)
        )
    }
}

extension Router {
    /// Tells auth of what a service holds on somebody, in lists of the service's own.
    public func addExport(
        _ endpoint: Endpoint<ExportQuery, NoBody, ExportPage>,
        of parts: [ExportPart],
        in database: Database
    ) {
        add(ExportUser(parts: parts, database: database), as: endpoint.erased)
    }
}
