import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Reads attachments, and takes them away.
struct AttachmentStore {
    let database: Database
    let limits: AttachmentLimits

    /// Lets somebody see or change the attachments of a transaction; those that they add are in
    /// their own space.
    /// - Throws: 404 for a stranger, 403 for whoever may only see them.
    static func check(
        _ transaction: ID<MoneyTransaction>,
        for user: ID<User>,
        changing: Bool = false,
        in database: some Querying
    ) async throws {
        guard
            let mayChange = try await database.queryOne(
                AttachmentStatements.mayUse,
                user,
                transaction
            )
        else { throw APIError.notFound }
        if changing, !mayChange { throw APIError(.forbidden) }
    }

    /// Where somebody puts a file.
    func place(
        beside transaction: ID<MoneyTransaction>,
        for user: ID<User>
    ) -> TransactionAttachmentPlace {
        TransactionAttachmentPlace(
            user: user,
            transaction: transaction,
            database: database,
            limits: limits
        )
    }

    /// Those of a transaction, oldest first.
    func list(
        of transaction: ID<MoneyTransaction>,
        for user: ID<User>
    ) async throws -> [AttachmentRow] {
        try await Self.check(transaction, for: user, in: database)
        return try await database.query(AttachmentStatements.list, transaction)
    }

    func find(
        _ id: ID<Attachment>,
        of transaction: ID<MoneyTransaction>,
        for user: ID<User>
    ) async throws -> AttachmentRow {
        try await Self.check(transaction, for: user, in: database)
        guard
            let row = try await database.queryOne(AttachmentStatements.find, transaction, id)
        else { throw APIError.notFound }
        return row
    }

    /// Takes one away for whoever may change its transaction.
    func remove(
        _ id: ID<Attachment>,
        of transaction: ID<MoneyTransaction>,
        for user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        let row = try await find(id, of: transaction, for: user)
        if let wanted, !wanted.contains(row.file.digest) { throw APIError(.preconditionFailed) }
        try await Self.check(transaction, for: user, changing: true, in: database)
        let owner = try await database.queryOne(AttachmentStatements.owner, id)
        guard let owner, try await Self.remove(id, of: owner, in: database) else {
            throw APIError.notFound
        }
    }

    /// Leaves a tombstone in its place; false: it has gone already.
    static func remove(
        _ id: ID<Attachment>,
        of owner: ID<User>,
        in database: Database
    ) async throws -> Bool {
        try await database.transaction { work in
            _ = try await AttachmentSpace.lock(of: owner, in: work)
            guard let size = try await work.queryOne(AttachmentStatements.remove, id) else {
                return false
            }
            try await work.execute(AttachmentFileStatements.removeChunks, id)
            try await AttachmentSpace.add(-Int(size), of: owner, in: work)
            return true
        }
    }
}
