import ServiceKit
import WalletProtocol

/// Whether the books are right, and how far they are sealed and verified.
struct GetIntegrity: Handler {
    static let endpoint = Integrity.get
    let reader: IntegrityReader

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<LedgerIntegrity> {
        .ok(try await reader.read())
    }
}
