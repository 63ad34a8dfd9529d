import ServiceKit
import WalletProtocol

/// Accounts of one's own and wallets that are shared, oldest first.
struct ListAccounts: Handler {
    static let endpoint = Accounts.list
    let accounts: AccountStore

    func handle(
        _ request: Request<AccountQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<AccountView>> {
        .ok(try await accounts.list(request.query, of: caller.user.id))
    }
}

/// One account.
struct GetAccount: Handler {
    static let endpoint = Accounts.get
    let accounts: AccountStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let row = try await accounts.find(request.path.id(of: Account.self), for: caller.user.id)
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Changes an account's name or icon.
struct ChangeAccount: Handler {
    static let endpoint = Accounts.change
    let accounts: AccountStore

    func handle(
        _ request: Request<NoQuery, AccountChange>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let (user, id) = (caller.user.id, try request.path.id(of: Account.self))
        let row = try await accounts.change(id, request.body, by: user, ifMatch: request.ifMatch)
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Closes an account.
struct CloseAccount: Handler {
    static let endpoint = Accounts.close
    let accounts: AccountStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Account.self)
        try await accounts.close(id, by: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}

/// A user's own account, live, for groups.
struct GetOwnAccount: Handler {
    static let endpoint = InternalAccounts.own
    let accounts: AccountStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<OwnAccount> {
        let owner = try request.path.id("userId", of: User.self)
        return .ok(try await accounts.own(request.path.id(), of: owner))
    }
}
