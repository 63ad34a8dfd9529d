import Postgres
import ServiceKit
import WalletProtocol

/// Puts a transaction of one's own into a folder; out of another it is taken.
struct PutIntoFolder: Handler {
    static let endpoint = Folders.put
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let id = try request.path.id("transactionId", of: MoneyTransaction.self)
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
        return .noContent
    }
}

/// Takes a transaction out of a folder, whosever it is: the folder is changed and not what is
/// booked, so that no right on the account is needed.
struct TakeOutOfFolder: Handler {
    static let endpoint = Folders.take
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let id = try request.path.id("transactionId", of: MoneyTransaction.self)
        try await database.posting { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            try await transaction.holdFolder(folder, for: user, needing: .write)
            let found = try await transaction.queryOne(
                FolderStatements.transaction(id, in: folder)
            )
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
        return .noContent
    }
}

/// Puts a category of one's own into a folder: it brings all that is in it.
struct PutCategoryIntoFolder: Handler {
    static let endpoint = Folders.putCategory
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let category = try request.path.id("categoryId", of: WalletProtocol.Category.self)
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
        return .noContent
    }
}

/// Takes a category out of a folder, whosever it is.
struct TakeCategoryOutOfFolder: Handler {
    static let endpoint = Folders.takeCategory
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        let category = try request.path.id("categoryId", of: WalletProtocol.Category.self)
        try await database.transaction { transaction in
            try await transaction.holdFolder(folder, for: caller.user.id, needing: .write)
            let count = try await transaction.execute(
                FolderStatements.takeCategory,
                folder,
                category
            )
            guard count == 1 else { throw APIError.notFound }
            try await transaction.execute(FolderStatements.touch, folder)
        }
        return .noContent
    }
}
