import ServiceKit
import WalletProtocol

/// The audit log, newest first.
struct ListAudit: Handler {
    static let endpoint = Audit.list
    let reader: AuditReader

    func handle(
        _ request: Request<AuditQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<AuditEntryView>> {
        .ok(
            try await reader.page(
                request.query,
                by: AuditActor(caller),
                from: AuditOrigin(request)
            )
        )
    }
}
