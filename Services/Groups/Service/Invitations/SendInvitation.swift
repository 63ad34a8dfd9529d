import ServiceKit
import WalletProtocol

/// Asks somebody to join a group.
struct SendInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.send
    let effects: KeyedEffects
    let people: PeopleStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, Invitee>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let group = try request.path.id(of: Group.self)
        let person = try await people.person(caller.user)
        return try await effects.run(request.idempotency) { keyed in
            let invited = try await invitations.resolve(request.body, to: group, by: person)
            return try await keyed.answer { transaction in
                let row = try await invitations.send(
                    invited,
                    to: group,
                    by: person,
                    in: transaction
                )
                return .created(row.view(for: person.id, isMember: true))
            }
        }
    }
}

/// A group's open invitations.
struct ListGroupInvitations: Handler {
    static let endpoint = WalletProtocol.Invitations.ofGroup
    let invitations: InvitationStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InvitationView>> {
        .ok(
            try await invitations.list(
                request.query,
                of: request.path.id(),
                for: caller.user.id
            )
        )
    }
}
