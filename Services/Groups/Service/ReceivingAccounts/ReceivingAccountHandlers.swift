import ServiceKit
import WalletProtocol

/// The accounts that others pay the caller to.
struct ListReceivingAccounts: Handler {
    static let endpoint = ReceivingAccounts.list
    let accounts: ReceivingAccountStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<ReceivingAccountView>> {
        .ok(try await accounts.list(of: caller.user.id))
    }
}

/// Names the account that others pay to in a currency.
struct NameReceivingAccount: Handler {
    static let endpoint = ReceivingAccounts.name
    let accounts: ReceivingAccountStore

    func handle(
        _ request: Request<NoQuery, ReceivingAccountChoice>,
        as caller: Caller
    ) async throws -> Response<ReceivingAccountView> {
        let currency = try request.path.value("currency", as: Currency.self)
        let row = try await accounts.name(
            request.body,
            for: currency,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(row.view).tagged(row.tag)
    }
}

/// Takes the account back that others pay to in a currency.
struct RemoveReceivingAccount: Handler {
    static let endpoint = ReceivingAccounts.remove
    let accounts: ReceivingAccountStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await accounts.remove(
            try request.path.value("currency"),
            of: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
