import ServiceKit
import WalletProtocol

/// One's own open invitations.
struct ListInvitations: Handler {
    static let endpoint = WalletProtocol.Invitations.list
    let people: PeopleStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InvitationView>> {
        let person = try await people.person(caller.user)
        return .ok(try await invitations.list(request.query, of: person))
    }
}

/// Joins a group.
struct AcceptInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.accept
    let people: PeopleStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<GroupView> {
        let outcome = try await invitations.answer(
            request.path.id(),
            isAccepted: true,
            by: people.person(caller.user),
            key: request.idempotency
        )
        return try outcome.response { group in
            guard let group else { throw APIError.notFound }
            return .ok(group.view)
        }
    }
}

/// Does not join.
struct RejectInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.reject
    let people: PeopleStore
    let invitations: InvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let outcome = try await invitations.answer(
            request.path.id(),
            isAccepted: false,
            by: people.person(caller.user),
            key: request.idempotency
        )
        return try outcome.response { _ in .noContent }
    }
}
