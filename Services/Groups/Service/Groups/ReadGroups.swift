import ServiceKit
import WalletProtocol

/// One's own groups, newest first; the personal group is there from the first call on.
struct ListGroups: Handler {
    static let endpoint = WalletProtocol.Groups.list
    let people: PeopleStore
    let groups: GroupStore

    func handle(
        _ request: Request<GroupQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<GroupView>> {
        let person = try await people.person(caller.user)
        return .ok(try await groups.list(request.query, of: person.id))
    }
}

/// One group.
struct GetGroup: Handler {
    static let endpoint = WalletProtocol.Groups.get
    let groups: GroupStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let membership = try await groups.membership(of: caller.user.id, in: request.path.id())
        return Response.ok(membership.group.view).tagged(String(membership.group.version))
    }
}

/// A user's right on a group or a child, live, for services.
struct GetAccess: Handler {
    static let endpoint = InternalGroups.access
    let members: MemberStore

    func handle(
        _ request: Request<AccessQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AccessView> {
        .ok(try await members.access(request.query))
    }
}
