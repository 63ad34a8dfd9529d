import ServiceKit
import WalletProtocol

/// Makes a group and invites its first members.
struct MakeGroup: Handler {
    static let endpoint = WalletProtocol.Groups.make
    let effects: KeyedEffects
    let people: PeopleStore
    let groups: GroupStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, NewGroup>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let person = try await people.person(caller.user)
        return try await effects.run(request.idempotency) { keyed in
            let invitees = try await invitations.resolve(
                request.body.invitations,
                by: person,
                from: request.clientAddress
            )
            return try await keyed.answer { transaction in
                let group = try await groups.make(
                    request.body,
                    by: person,
                    inviting: invitees,
                    in: transaction
                )
                return .created(group.view, at: "/v1/groups/\(group.id.text)")
                    .tagged(String(group.version))
            }
        }
    }
}

/// The group that one has with a friend alone.
struct PairWithFriend: Handler {
    static let endpoint = WalletProtocol.Friends.pair
    let people: PeopleStore
    let pairs: PairStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let person = try await people.person(caller.user)
        let found = try await pairs.pair(of: person, with: request.path.id("userId"))
        let view = found.group.view
        let answer: Response<GroupView> =
            found.isNew ? .created(view, at: "/v1/groups/\(view.id)") : .ok(view)
        return answer.tagged(String(found.group.version))
    }
}
