import ServiceKit
import WalletProtocol

/// Puts a transaction of one's own into a folder; out of another it is taken.
struct PutIntoFolder: Handler {
    static let endpoint = Folders.put
    let contents: FolderContentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        let id = try request.path.id("transactionId", of: MoneyTransaction.self)
        try await contents.put(id, into: folder, by: caller.user.id)
        return .noContent
    }
}

/// Takes a transaction out of a folder, whosever it is.
struct TakeOutOfFolder: Handler {
    static let endpoint = Folders.take
    let contents: FolderContentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        let id = try request.path.id("transactionId", of: MoneyTransaction.self)
        try await contents.take(id, outOf: folder, by: caller.user.id)
        return .noContent
    }
}

/// Puts a category of one's own into a folder: it brings all that is in it.
struct PutCategoryIntoFolder: Handler {
    static let endpoint = Folders.putCategory
    let contents: FolderContentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        let category = try request.path.id("categoryId", of: WalletProtocol.Category.self)
        try await contents.put(category, into: folder, by: caller.user.id)
        return .noContent
    }
}

/// Takes a category out of a folder, whosever it is.
struct TakeCategoryOutOfFolder: Handler {
    static let endpoint = Folders.takeCategory
    let contents: FolderContentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        let category = try request.path.id("categoryId", of: WalletProtocol.Category.self)
        try await contents.take(category, outOf: folder, by: caller.user.id)
        return .noContent
    }
}
