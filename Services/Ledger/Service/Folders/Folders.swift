import ServiceKit
import WalletProtocol

/// Makes a folder.
struct MakeFolder: Handler {
    static let endpoint = Folders.make
    let effects: KeyedEffects
    let folders: FolderStore

    func handle(
        _ request: Request<NoQuery, NewFolder>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        _ = try await folders.people.person(caller.user.id)
        return try await effects.answer(request.idempotency) { transaction in
            let row = try await folders.make(request.body, of: caller.user.id, in: transaction)
            return .created(row.view, at: "/v1/folders/\(row.view.id)").tagged(String(row.version))
        }
    }
}

/// One's own folders and those that are shared, newest first.
struct ListFolders: Handler {
    static let endpoint = Folders.list
    let folders: FolderStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<FolderView>> {
        .ok(try await folders.list(request.query, for: caller.user.id))
    }
}

/// One folder, with who and what is in it.
struct GetFolder: Handler {
    static let endpoint = Folders.get
    let folders: FolderStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let folder = try request.path.id(of: Folder.self)
        let (view, version) = try await folders.whole(folder, for: caller.user.id)
        return .ok(view).tagged(String(version))
    }
}

/// Gives a folder another name.
struct ChangeFolder: Handler {
    static let endpoint = Folders.change
    let folders: FolderStore

    func handle(
        _ request: Request<NoQuery, FolderChange>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let row = try await folders.change(
            request.path.id(of: Folder.self),
            request.body,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(row.view).tagged(String(row.version))
    }
}

/// Takes a folder away.
struct RemoveFolder: Handler {
    static let endpoint = Folders.remove
    let folders: FolderStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let folder = try request.path.id(of: Folder.self)
        try await folders.remove(folder, by: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}
