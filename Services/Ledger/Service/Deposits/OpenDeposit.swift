import ServiceKit
import WalletProtocol

/// Opens a deposit with money in it, at most once per key.
struct OpenDeposit: Handler {
    static let endpoint = Deposits.open
    let deposits: DepositStore

    func handle(
        _ request: Request<NoQuery, NewDeposit>,
        as caller: Caller
    ) async throws -> Response<DepositView> {
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let opened = try await deposits.open(request.body, under: scope, for: caller.user.id)
        return .created(opened.view, at: "/v1/accounts/\(opened.view.account.id)")
            .replayed(opened.isReplay)
    }
}
