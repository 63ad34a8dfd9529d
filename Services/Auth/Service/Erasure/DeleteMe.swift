import Postgres
import ServiceKit
import WalletProtocol

/// Deletes the account of who calls.
struct DeleteMe: Handler {
    static let endpoint = Deletions.request
    let erasures: ErasureStore
    let password: OwnPassword

    func handle(
        _ request: Request<NoQuery, DeletionRequest>,
        as caller: Caller
    ) async throws -> Response<DeletionReceipt> {
        try await password.requireProof(
            of: caller.user,
            or: request.body.password,
            from: request.clientAddress
        )
        let receipt = try await erasures.begin(
            caller.user.id,
            by: SessionHolder(caller.user)
        )
        let token = receipt.token ?? ""
        return SessionAnswer.clearing(
            .accepted(receipt, at: "/v1/deletion-receipts/\(token)")
        )
    }
}

/// How far a deletion is.
struct GetDeletionReceipt: Handler {
    static let endpoint = Deletions.receipt
    let erasures: ErasureStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionReceipt> {
        .ok(try await erasures.receipt(token: request.path["token"]))
    }
}
