import ServiceKit
import WalletProtocol

/// Makes a group and invites its first members.
struct MakeGroup: Handler {
    static let endpoint = WalletProtocol.Groups.make
    let people: PeopleStore
    let groups: GroupStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, NewGroup>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let person = try await people.person(caller.user)
        let invitees = try await invitations.resolve(request.body.invitations, by: person)
        let outcome = try await groups.make(
            request.body,
            by: person,
            inviting: invitees,
            key: request.idempotency
        )
        return try outcome.response { group in
            Response.created(group.view, at: "/v1/groups/\(group.id.text)")
                .tagged(String(group.version))
        }
    }
}
