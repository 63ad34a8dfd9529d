import ServiceKit
import WalletProtocol

/// Renames a group, or changes its settings.
struct ChangeGroup: Handler {
    static let endpoint = WalletProtocol.Groups.change
    let groups: GroupStore

    func handle(
        _ request: Request<NoQuery, GroupChange>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let group = try await groups.change(
            request.path.id(),
            request.body,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(group.view).tagged(String(group.version))
    }
}

/// Deletes a group that nobody else is in.
struct RemoveGroup: Handler {
    static let endpoint = WalletProtocol.Groups.remove
    let groups: GroupStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Group.self)
        try await groups.remove(id, by: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}

/// Puts a group away.
struct ArchiveGroup: Handler {
    static let endpoint = WalletProtocol.Groups.archive
    let groups: GroupStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let group = try await groups.archive(
            request.path.id(),
            true,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(group.view).tagged(String(group.version))
    }
}

/// Takes a group out of the archive.
struct RestoreGroup: Handler {
    static let endpoint = WalletProtocol.Groups.restore
    let groups: GroupStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let group = try await groups.archive(
            request.path.id(),
            false,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(group.view).tagged(String(group.version))
    }
}
