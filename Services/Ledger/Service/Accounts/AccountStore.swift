import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Reads accounts, renames and closes them.
struct AccountStore {
    let database: Database
    let people: People

    /// One's own and wallets that are shared, oldest first.
    func list(_ query: AccountQuery, of user: ID<User>) async throws -> Page<AccountView> {
        _ = try await people.person(user)
        let after = try query.cursor?.decode(ID<Account>.self) ?? ID<Account>(high: 0, low: 0)
        let statement = query.closed ? AccountStatements.listAll : AccountStatements.listOpen
        let rows = try await database.query(statement, user, after, query.limit + 1)
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    func find(_ id: ID<Account>, for user: ID<User>) async throws -> AccountRow {
        guard let row = try await database.queryOne(AccountStatements.find, user, id) else {
            throw APIError.notFound
        }
        return row
    }

    /// One's own account, as other services hear of it.
    func own(_ id: ID<Account>, of user: ID<User>) async throws -> OwnAccount {
        guard let account = try await database.queryOne(AccountStatements.own, user, id) else {
            throw APIError.notFound
        }
        return account
    }

    /// Another name or icon.
    func change(
        _ id: ID<Account>,
        _ change: AccountChange,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> AccountRow {
        while true {
            let old = try await find(id, for: user)
            guard old.role == .owner else { throw APIError(.forbidden) }
            try wanted.check(old.version)
            guard old.closedAt == nil else { throw APIError(.accountClosed) }
            if change.name.isUnchanged, change.icon.isUnchanged { return old }
            let name = TextFolding.composed(change.name.applied(to: old.name))
            let changed = try await write(name, change.icon.applied(to: old.icon), of: old, user)
            // Somebody was quicker: look again.
            if changed == 1 { return try await find(id, for: user) }
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

    func close(_ id: ID<Account>, by user: ID<User>, ifMatch wanted: EntityTags?) async throws {
        try await database.checkOwner(user, of: id)
        // The version is compared under the locks: of several, each has its turn.
        let versions = wanted.map { $0.versions.prefix(8).compactMap { Int32($0) } }
        let verdict = try await database.transaction { transaction in
            guard let versions else {
                return try await transaction.queryOne(
                    AccountStatements.close,
                    id,
                    user,
                    Int32?.none
                )
            }
            for version in versions {
                let verdict = try await transaction.queryOne(
                    AccountStatements.close,
                    id,
                    user,
                    version
                )
                if verdict != "changed" { return verdict }
            }
            return "changed"
        }
        switch verdict {
        case "closed": return
        case "changed": throw APIError(.preconditionFailed)
        case "last-account": throw APIError(.lastAccount)
        case "account-not-empty": throw APIError(.accountNotEmpty)
        case "allowance-account": throw APIError(.allowanceAccount)
        default: throw APIError.notFound
        }
    }
}
