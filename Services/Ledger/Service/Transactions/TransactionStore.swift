import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Reads and changes transactions.
struct TransactionStore {
    let database: Database
    let relayBell: RelayBell

    /// One, for whoever may see it.
    func find(_ id: ID<MoneyTransaction>, for user: ID<User>) async throws -> TransactionRow {
        let statement = TransactionStatements.find(id, for: user)
        guard let found = try await database.queryOne(statement) else { throw APIError.notFound }
        return found.row
    }

    /// Changes one; the transaction as it is then.
    func change(
        _ id: ID<MoneyTransaction>,
        _ change: TransactionChange,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> TransactionRow {
        let row = try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            let old = try await transaction.changeable(id, by: user, ifMatch: ifMatch)
            let edit = TransactionEdit(old: old, user: user, transaction: transaction)
            return try await edit.apply(change)
        }
        relayBell.ring()
        return row
    }
}

extension Transaction {
    /// One that somebody may change.
    /// - Throws: 404 where they do not see it, 403 where they may only see it, 412 where it is of
    ///   another version.
    func changeable(
        _ id: ID<MoneyTransaction>,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws -> TransactionRow {
        guard let found = try await queryOne(TransactionStatements.find(id, for: user)) else {
            throw APIError.notFound
        }
        guard found.mayChange else { throw APIError(.forbidden) }
        try wanted.check(found.row.version)
        return found.row
    }
}
