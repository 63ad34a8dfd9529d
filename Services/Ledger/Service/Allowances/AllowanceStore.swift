import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Makes children's accounts, and wallets of them.
struct AllowanceStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// The child's account in a family, made where there is none.
    /// - Throws: 404 for a child who is gone.
    func open(
        in currency: Currency,
        _ family: ID<Family>,
        _ child: ID<User>
    ) async throws -> AccountRow {
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
                return try await make(in: currency, family, child, transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "erased_user" {
            throw APIError.notFound
        }
        relayBell.ring()
        return try await row(of: account, child)
    }

    private func make(
        in currency: Currency,
        _ family: ID<Family>,
        _ child: ID<User>,
        _ transaction: Transaction
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

    /// The child's wallet that was their account in a family; done again it finds the same.
    /// - Throws: 404 where there was none.
    func release(_ family: ID<Family>, _ child: ID<User>) async throws -> AccountRow {
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
            try await makeWallet(of: account, child, transaction)
            return account
        }
        guard let account else { throw APIError.notFound }
        return try await row(of: account, child)
    }

    private func makeWallet(
        of account: ID<Account>,
        _ child: ID<User>,
        _ transaction: Transaction
    ) async throws {
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
    }

    private func row(of account: ID<Account>, _ child: ID<User>) async throws -> AccountRow {
        guard let row = try await database.queryOne(AccountStatements.find, child, account) else {
            throw APIError.notFound
        }
        return row
    }
}
