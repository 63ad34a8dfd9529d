import ServiceKit
import WalletProtocol

/// Forgets a person; again it finds nothing more.
struct EraseUser: Handler {
    static let endpoint = InternalErasures.analytics
    let eraser: PersonEraser

    func handle(
        _ request: Request<NoQuery, ErasureOrder>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await eraser.erase(by: request.body)
        return .noContent
    }
}
