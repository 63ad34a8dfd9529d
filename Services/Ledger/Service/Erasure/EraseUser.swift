import ServiceKit
import WalletProtocol

/// Closes a person's accounts, or says that they hold money.
struct AgreeToErasure: Handler {
    static let endpoint = InternalErasures.agree
    let eraser: PersonEraser

    func handle(
        _ request: Request<NoQuery, ErasureQuestion>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await eraser.agree(
            to: request.path.id(of: Erasure.self),
            of: request.body.userID
        )
        return .noContent
    }
}

/// Forgets a person.
struct EraseUser: Handler {
    static let endpoint = InternalErasures.ledger
    let eraser: PersonEraser

    func handle(
        _ request: Request<NoQuery, ErasureOrder>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await eraser.erase(request.body)
        return .noContent
    }
}
