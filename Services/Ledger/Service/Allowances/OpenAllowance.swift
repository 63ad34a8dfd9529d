import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Makes a child's account, once for each family and child.
struct OpenAllowance: Handler {
    static let endpoint = InternalAllowances.open
    let database: Database
    let people: People
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, AllowanceOpening>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let family = try request.path.id("familyId", of: Family.self)
        let child = try request.path.id("userId", of: User.self)
        _ = try await people.person(child)
        let account: ID<Account>
        do {
            account = try await database.posting { transaction in
                try await ErasedUsers.hold([child], in: transaction)
                if let made = try await transaction.queryOne(
                    AllowanceStatements.find,
                    family,
                    child
                ) {
                    return made
                }
                return try await open(request.body.currency, family, child, in: transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "erased_user" {
            throw APIError.notFound
        }
        relayBell.ring()
        guard let row = try await database.queryOne(AccountStatements.find, child, account) else {
            throw APIError.notFound
        }
        return .ok(row.view)
    }

    private func open(
        _ currency: Currency,
        _ family: ID<Family>,
        _ child: ID<User>,
        in transaction: Transaction
    ) async throws -> ID<Account> {
        let id = ID<Account>.new()
        let name = try await AccountNames.free("Allowance", of: child, in: transaction)
        do {
            try await transaction.execute(
                AccountStatements.insert,
                id,
                child,
                AccountKind.allowance.rawValue,
                currency.code,
                Int16(currency.exponent),
                name,
                try folded(name),
                String?.none,
                String?.none,
                false
            )
            try await transaction.execute(AllowanceStatements.insert, id, family, child)
        } catch let error as DatabaseError {
            // Somebody was quicker: look again.
            let isTaken =
                error.violatedConstraint == "account_name_key"
                || error.violatedConstraint == "allowance_child_key"
            throw isTaken ? TryAgain() : error
        }
        _ = try await Outbox.append(
            AccountOpened(
                accountID: id,
                userID: child,
                kind: .allowance,
                currency: currency,
                openedAt: .now()
            ),
            of: "account:\(id)",
            in: transaction
        )
        return id
    }
}

/// Makes a wallet of a child's account: «Default», or with the first number that makes it free.
struct ReleaseAllowance: Handler {
    static let endpoint = InternalAllowances.release
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let family = try request.path.id("familyId", of: Family.self)
        let child = try request.path.id("userId", of: User.self)
        let account = try await database.posting { transaction in
            guard
                let account = try await transaction.queryOne(
                    AllowanceStatements.find,
                    family,
                    child
                )
            else {
                return try await transaction.queryOne(
                    AllowanceStatements.findReleased,
                    family,
                    child
                )
            }
            let name = try await AccountNames.free("Default", of: child, in: transaction)
            do {
                _ = try await transaction.queryOne(
                    AllowanceStatements.release,
                    account,
                    name,
                    try folded(name)
                )
            } catch let error as DatabaseError {
                // Taken since it was looked for.
                throw error.violatedConstraint == "account_name_key" ? TryAgain() : error
            }
            return account
        }
        guard let account,
            let row = try await database.queryOne(AccountStatements.find, child, account)
        else { throw APIError.notFound }
        return .ok(row.view)
    }
}
