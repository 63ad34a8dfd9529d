import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Reads the attachments of expenses, and takes them away.
struct ExpenseAttachmentStore {
    let database: Database
    let limits: GroupAttachmentLimits

    /// Where somebody puts a file.
    func place(
        beside expense: ID<Expense>,
        of group: ID<Group>,
        for user: ID<User>
    ) -> ExpenseAttachmentPlace {
        ExpenseAttachmentPlace(
            user: user,
            group: group,
            expense: expense,
            database: database,
            limits: limits
        )
    }

    /// Those of an expense, oldest first, for its members.
    func list(
        of expense: ID<Expense>,
        in group: ID<Group>,
        for user: ID<User>
    ) async throws -> [ExpenseAttachmentRow] {
        _ = try await Membership.find(user, in: group, database)
        _ = try await ExpenseStore.standing(expense, of: group, database)
        return try await database.query(ExpenseAttachmentStatements.list, group, expense)
    }

    /// One of them.
    func find(_ key: ExpenseAttachmentKey, for user: ID<User>) async throws -> ExpenseAttachmentRow
    {
        _ = try await Membership.find(user, in: key.group, database)
        return try await Self.find(key, in: database)
    }

    private static func find(
        _ key: ExpenseAttachmentKey,
        in database: some Querying
    ) async throws -> ExpenseAttachmentRow {
        _ = try await ExpenseStore.standing(key.expense, of: key.group, database)
        let row = try await database.queryOne(
            ExpenseAttachmentStatements.find,
            key.group,
            key.expense,
            key.id
        )
        guard let row else { throw APIError.notFound }
        return row
    }

    /// Takes one away, whoever added it, its bytes at once.
    func remove(
        _ key: ExpenseAttachmentKey,
        by user: ID<User>,
        ifMatch wanted: EntityTags?
    ) async throws {
        try await database.transaction { work in
            _ = try await Membership.lock(user, in: key.group, to: .write, work)
            let row = try await Self.find(key, in: work)
            try wanted.check(row.file.digest)
            try await Self.remove(key, in: work)
        }
    }

    private static func remove(
        _ key: ExpenseAttachmentKey,
        in work: Transaction
    ) async throws {
        try await work.execute(
            ExpenseAttachmentStatements.remove,
            key.group,
            key.expense,
            key.id
        )
        try await work.execute(AttachmentFileStatements.removeChunks, key.id)
    }

    /// Takes those of an expense away that stays removed.
    fileprivate func end(_ key: ExpenseAttachmentKey) async throws {
        try await database.transaction { work in
            _ = try await work.queryOne(GroupStatements.lock, key.group)
            try await Self.remove(key, in: work)
        }
    }

    /// Takes away all that a person added, in whichever groups, which are locked.
    static func erase(_ user: ID<User>, in transaction: Transaction) async throws {
        try await transaction.execute(ExpenseAttachmentStatements.erase, user)
        try await AttachmentFiles.erase(user, in: transaction)
        try await transaction.execute(AttachmentFileStatements.eraseUsage, user)
    }
}

/// Takes away what nobody can have back: those of expenses that were removed a day ago or longer.
final class ExpenseAttachmentSweep {
    private let attachments: ExpenseAttachmentStore
    /// Behind which attachment the next turn begins.
    private var after = ExpenseAttachmentKey.first

    /// How many one turn looks at.
    static let turn = 500

    init(attachments: ExpenseAttachmentStore) { self.attachments = attachments }

    /// The next few; at the end it begins anew.
    func sweepSome() async throws {
        let some = try await attachments.database.query(
            ExpenseAttachmentStatements.someAfter,
            after.group,
            after.expense,
            after.id,
            Self.turn
        )
        for attachment in some where attachment.isEnded {
            try await attachments.end(attachment.key)
        }
        after = some.count < Self.turn ? .first : some.last?.key ?? .first
    }
}
