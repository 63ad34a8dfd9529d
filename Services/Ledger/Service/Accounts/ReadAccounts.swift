import Postgres
import ServiceKit
import WalletProtocol

/// Accounts of one's own and wallets that are shared, oldest first.
struct ListAccounts: Handler {
    static let endpoint = Accounts.list
    let database: Database
    let people: People

    func handle(
        _ request: Request<AccountQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<AccountView>> {
        let user = caller.user.id
        _ = try await people.person(user)
        let query = request.query
        let after = try query.cursor?.decode(ID<Account>.self) ?? ID<Account>(high: 0, low: 0)
        let statement = query.closed ? AccountStatements.listAll : AccountStatements.listOpen
        let rows = try await database.query(statement, user, after, query.limit + 1)
        return .ok(Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) })
    }
}

/// One account.
struct GetAccount: Handler {
    static let endpoint = Accounts.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let id = try request.path.id(of: Account.self)
        guard
            let row = try await database.queryOne(AccountStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        return .ok(row.view).tagged(String(row.version))
    }
}
