import Postgres
import ServiceKit
import WalletProtocol

/// What is in a folder: transactions, and categories with all that is in them.
struct FolderContentStore {
    let database: Database
    let relayBell: RelayBell

    /// Puts a transaction of one's own in; out of another folder it is taken.
    func put(
        _ id: ID<MoneyTransaction>,
        into folder: ID<Folder>,
        by user: ID<User>
    ) async throws {
        try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            try await transaction.holdFolder(folder, for: user, needing: .write)
            let found = try await transaction.queryOne(TransactionStatements.find(id, for: user))
            guard let found else { throw APIError.notFound }
            guard found.mayChange, found.row.owner == user else { throw APIError(.forbidden) }
            let edit = TransactionEdit(old: found.row, user: user, transaction: transaction)
            _ = try await edit.apply(TransactionChange(folderID: .set(folder)))
        }
        relayBell.ring()
    }

    /// Takes a transaction out, whosever it is: the folder is changed and not what is booked, so
    /// that no right on the account is needed.
    func take(
        _ id: ID<MoneyTransaction>,
        outOf folder: ID<Folder>,
        by user: ID<User>
    ) async throws {
        try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            try await transaction.holdFolder(folder, for: user, needing: .write)
            let found = try await transaction.queryOne(FolderStatements.transaction(id, in: folder))
            guard var row = found else { throw APIError.notFound }
            row.file(in: nil)
            var posting = Posting(revising: row, Posting.Operation(of: user), by: user)
            posting.isByService = true
            for outcome in try await transaction.postIfFree([posting]) {
                switch outcome.status {
                // Somebody else was quicker: look again.
                case .transactionNotFound, .categoryNotFound: throw TryAgain()
                default: _ = try outcome.posted()
                }
            }
        }
        relayBell.ring()
    }

    /// Puts a category of one's own in: it brings all that is in it.
    func put(_ category: CategoryID, into folder: ID<Folder>, by user: ID<User>) async throws {
        try await database.transaction { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            // The category first: whoever deletes it locks in this order, too.
            let kept = try await transaction.queryOne(CategoryStatements.keep, user, category)
            try await transaction.holdFolder(folder, for: user, needing: .write)
            guard kept != nil else { throw APIError.notFound }
            let count = try await transaction.execute(
                FolderStatements.putCategory,
                folder,
                category,
                user
            )
            if count > 0 { try await transaction.execute(FolderStatements.touch, folder) }
        }
    }

    /// Takes a category out, whosever it is.
    func take(_ category: CategoryID, outOf folder: ID<Folder>, by user: ID<User>) async throws {
        try await database.transaction { transaction in
            try await transaction.holdFolder(folder, for: user, needing: .write)
            let count = try await transaction.execute(
                FolderStatements.takeCategory,
                folder,
                category
            )
            guard count == 1 else { throw APIError.notFound }
            try await transaction.execute(FolderStatements.touch, folder)
        }
    }
}
