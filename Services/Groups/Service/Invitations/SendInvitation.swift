import ServiceKit
import WalletProtocol

/// Asks somebody to join a group.
struct SendInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.send
    let people: PeopleStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, Invitee>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let outcome = try await invitations.send(
            request.body,
            to: request.path.id(),
            by: people.person(caller.user),
            key: request.idempotency
        )
        return try outcome.response { .created($0.view(for: caller.user.id, isMember: true)) }
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
