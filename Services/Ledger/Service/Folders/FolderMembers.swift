import ServiceKit
import WalletProtocol

/// Who is in a folder, the owner first.
struct ListFolderMembers: Handler {
    static let endpoint = FolderMembers.list
    let members: FolderMemberStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<FolderMemberView>> {
        let folder = try request.path.id(of: Folder.self)
        return .ok(try await members.list(request.query, in: folder, for: caller.user.id))
    }
}

/// Lets a member do more or less.
struct ChangeFolderMember: Handler {
    static let endpoint = FolderMembers.change
    let members: FolderMemberStore

    func handle(
        _ request: Request<NoQuery, FolderMemberChange>,
        as caller: Caller
    ) async throws -> Response<FolderMemberView> {
        let view = try await members.change(
            request.path.id("userId", of: User.self),
            to: request.body.access,
            in: request.path.id(of: Folder.self),
            by: caller.user.id
        )
        return .ok(view)
    }
}

/// Ends a membership: one's own (`me`), or anybody's in a folder of one's own.
struct RemoveFolderMember: Handler {
    static let endpoint = FolderMembers.remove
    let members: FolderMemberStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let member = try request.path.idUnlessMe("userId") ?? user
        try await members.end(member, in: folder, by: user)
        return .noContent
    }
}

/// A user's right on a folder, live, for groups.
struct GetFolderAccess: Handler {
    static let endpoint = InternalFolders.access
    let members: FolderMemberStore

    func handle(
        _ request: Request<SharedRightQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FolderRight> {
        let (query, folder) = (request.query, try request.path.id(of: Folder.self))
        return .ok(try await members.right(of: query.userID, and: query.otherID, in: folder))
    }
}

/// A folder as a member sees it.
struct GetSharedFolder: Handler {
    static let endpoint = InternalFolders.get
    let folders: FolderStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let member = try request.path.id("userId", of: User.self)
        return .ok(try await folders.find(request.path.id(of: Folder.self), for: member).view)
    }
}

/// Makes somebody a member, once for each invitation.
struct JoinFolder: Handler {
    static let endpoint = InternalFolders.join
    let folders: FolderStore
    let members: FolderMemberStore

    func handle(
        _ request: Request<NoQuery, FolderJoining>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let folder = try request.path.id(of: Folder.self)
        let user = try request.path.id("userId", of: User.self)
        try await members.join(user, folder, request.body)
        return .ok(try await folders.find(folder, for: user).view)
    }
}
