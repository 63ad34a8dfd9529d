import IBANs
import Postgres
import ServiceKit
import WalletProtocol

/// Where people want to be paid: named, told and taken back.
final class ReceivingAccountStore {
    private let database: Database
    private let registry: IBANRegistry
    private let ledger: AccountLedger

    init(database: Database, registry: IBANRegistry, ledger: AccountLedger) {
        self.database = database
        self.registry = registry
        self.ledger = ledger
    }

    /// Names an account, in place of the one before.
    ///
    /// Whether one's own account takes payments is asked before: what becomes of it later is asked
    /// again by whoever pays.
    /// - Throws: 412 where another one stands, or none.
    func name(
        _ choice: ReceivingAccountChoice,
        for currency: Currency,
        by user: ID<User>,
        ifMatch: EntityTags? = nil
    ) async throws -> ReceivingAccountRow {
        let account = try ReceivingAccount(choice, registry)
        if let own = account.account {
            try ReceivingAccount.check(try await ledger.own(own, user), for: currency)
        }
        return try await database.transaction { transaction in
            let old = try await transaction.queryOne(
                ReceivingAccountStatements.lock,
                user,
                currency
            )
            // None is not the one that is wanted.
            if old == nil, ifMatch != nil { throw APIError(.preconditionFailed) }
            if let old { try ifMatch.check(old.tag) }
            let row = try await transaction.queryOne(
                ReceivingAccountStatements.put,
                user,
                currency,
                account.account,
                account.iban,
                account.name
            )
            guard let row else { throw APIError(.internalError) }
            return row
        }
    }

    func list(of user: ID<User>) async throws -> Page<ReceivingAccountView> {
        let rows = try await database.query(ReceivingAccountStatements.list, user)
        return Page(items: rows.map(\.view), nextCursor: nil)
    }

    /// - Throws: 404 where there is none, 412 where another one stands.
    func remove(
        _ currency: Currency,
        of user: ID<User>,
        ifMatch: EntityTags? = nil
    ) async throws {
        try await database.transaction { transaction in
            let old = try await transaction.queryOne(
                ReceivingAccountStatements.lock,
                user,
                currency
            )
            guard let old else { throw APIError.notFound }
            try ifMatch.check(old.tag)
            try await transaction.execute(ReceivingAccountStatements.delete, user, currency)
        }
    }

    /// What somebody has named; nil where that is nothing.
    static func find(
        _ currency: Currency,
        of user: ID<User>,
        _ database: some Querying
    ) async throws -> ReceivingAccountRow? {
        try await database.queryOne(ReceivingAccountStatements.find, user, currency)
    }

    /// Forgets what somebody has named who is erased.
    static func erase(_ user: ID<User>, in transaction: Transaction) async throws {
        try await transaction.execute(ReceivingAccountStatements.deleteAll, user)
    }
}
