import ServiceKit
import WalletProtocol

/// Which group a link is to.
struct GetInvitationLink: Handler {
    static let endpoint = WalletProtocol.Invitations.link
    let links: LinkStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        .ok(try await links.find(request.path["token"], for: caller.user.id))
    }
}

/// Joins a group by a link.
struct AcceptInvitationLink: Handler {
    static let endpoint = WalletProtocol.Invitations.acceptLink
    let effects: KeyedEffects
    let people: PeopleStore
    let invitations: InvitationStore
    let links: LinkStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let person = try await people.person(caller.user)
        let token = request.path["token"]
        let email = try await invitations.provedEmail(of: person)
        return try await effects.answer(request.idempotency) { transaction in
            .ok(try await links.accept(token, by: person.id, whose: email, in: transaction))
        }
    }
}
