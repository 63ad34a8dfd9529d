import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Makes children's accounts, and wallets of them.
struct AllowanceStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// The child's account in a family, made where there is none; whoever comes late, after it was
    /// let go, finds the one that was.
    /// - Throws: 404 for a child who is gone.
    func open(
        _ opening: AllowanceOpening,
        _ family: ID<Family>,
        _ child: ID<User>
    ) async throws -> AccountRow {
        _ = try await people.person(child)
        let account: ID<Account>
        do {
            account = try await database.posting { transaction in
                try await ErasedUsers.hold([child], in: transaction)
                let newest = try await transaction.queryOne(
                    AllowanceStatements.newest,
                    family,
                    child
                )
                if let newest, !newest.isReleased || newest.openedBy >= opening.number {
                    return newest.account
                }
                return try await make(opening, family, child, transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "erased_user" {
            throw APIError.notFound
        }
        relayBell.ring()
        return try await row(of: account, child)
    }

    private func make(
        _ opening: AllowanceOpening,
        _ family: ID<Family>,
        _ child: ID<User>,
        _ transaction: Transaction
    ) async throws -> ID<Account> {
        let (id, currency) = (ID<Account>.new(), opening.currency)
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
            try await transaction.execute(
                AllowanceStatements.insert,
                id,
                family,
                child,
                Int64(opening.number)
            )
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

    /// The child's wallet that was their account in a family; done again it finds the same, and
    /// done late, after another was opened, it changes nothing.
    /// - Throws: 404 where there was none.
    func release(
        _ family: ID<Family>,
        _ child: ID<User>,
        by number: Int
    ) async throws -> AccountRow {
        let account = try await database.posting { transaction in
            let newest = try await transaction.queryOne(AllowanceStatements.newest, family, child)
            if let newest, !newest.isReleased, newest.openedBy < number {
                try await makeWallet(of: newest.account, child, transaction)
            }
            return newest?.account
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
