import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Changes an account's name or icon.
struct ChangeAccount: Handler {
    static let endpoint = Accounts.change
    let database: Database

    func handle(
        _ request: Request<NoQuery, AccountChange>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let user = caller.user.id
        let id = try request.path.id(of: Account.self)
        while true {
            guard let old = try await database.queryOne(AccountStatements.find, user, id) else {
                throw APIError.notFound
            }
            guard old.role == .owner else { throw APIError(.forbidden) }
            if let wanted = request.ifMatch, !wanted.contains(String(old.version)) {
                throw APIError(.preconditionFailed)
            }
            guard old.closedAt == nil else { throw APIError(.accountClosed) }
            let body = request.body
            if body.name.isUnchanged, body.icon.isUnchanged {
                return .ok(old.view).tagged(String(old.version))
            }
            let name = TextFolding.composed(body.name.applied(to: old.name))
            let changed = try await write(name, body.icon.applied(to: old.icon), of: old, user)
            // Somebody was quicker: look again.
            guard changed == 1 else { continue }
            guard let row = try await database.queryOne(AccountStatements.find, user, id) else {
                throw APIError.notFound
            }
            return .ok(row.view).tagged(String(row.version))
        }
    }

    private func write(
        _ name: String,
        _ icon: String?,
        of old: AccountRow,
        _ user: ID<User>
    ) async throws -> Int {
        let folded = try folded(name)
        do {
            return try await database.execute(
                AccountStatements.change,
                user,
                old.id,
                name,
                folded,
                icon,
                old.version
            )
        } catch {
            if error.violatedConstraint == "account_name_key" { throw APIError(.accountNameTaken) }
            throw error
        }
    }
}

/// Closes an account.
struct CloseAccount: Handler {
    static let endpoint = Accounts.close
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Account.self)
        try await database.checkOwner(caller.user.id, of: id)
        // The version is compared under the locks: of several, each has its turn.
        let versions = request.ifMatch.map { $0.versions.prefix(8).compactMap { Int32($0) } }
        let verdict = try await database.transaction { transaction in
            guard let versions else {
                return try await transaction.queryOne(
                    AccountStatements.close,
                    id,
                    caller.user.id,
                    Int32?.none
                )
            }
            for version in versions {
                let verdict = try await transaction.queryOne(
                    AccountStatements.close,
                    id,
                    caller.user.id,
                    version
                )
                if verdict != "changed" { return verdict }
            }
            return "changed"
        }
        switch verdict {
        case "closed": return .noContent
        case "changed": throw APIError(.preconditionFailed)
        case "last-account": throw APIError(.lastAccount)
        case "account-not-empty": throw APIError(.accountNotEmpty)
        case "allowance-account": throw APIError(.allowanceAccount)
        default: throw APIError.notFound
        }
    }
}
