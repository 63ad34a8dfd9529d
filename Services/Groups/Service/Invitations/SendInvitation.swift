import ServiceKit
import WalletProtocol

/// Asks somebody to join a group.
struct SendInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.send
    let effects: KeyedEffects
    let people: PeopleStore
    let invitations: InvitationStore
    let links: LinkStore

    func handle(
        _ request: Request<NoQuery, NewInvitation>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let group = try request.path.id(of: Group.self)
        let person = try await people.person(caller.user)
        if let link = request.body.link {
            guard request.body.username == nil, request.body.email == nil else {
                throw APIError.field("/link", .conflict, "a link is to nobody in particular")
            }
            return try await effects.answer(request.idempotency) { transaction in
                let made = try await links.make(link, to: group, by: person.id, in: transaction)
                return .created(made.view).tagged(made.version)
            }
        }
        return try await effects.run(request.idempotency) { keyed in
            let named = request.body.invitee
            let invited = try await invitations.resolve(
                named,
                to: group,
                by: person,
                from: request.clientAddress
            )
            return try await keyed.answer { transaction in
                .created(
                    try await invitations.send(invited, to: group, by: person, in: transaction)
                )
                .tagged(InvitationRow.tag).naming(invited)
            }
        }
    }
}

/// Takes an invitation to a group back.
struct WithdrawInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.withdraw
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await invitations.withdraw(
            request.path.id("invitationId"),
            to: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
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
