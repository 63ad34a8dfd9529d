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

/// Joins a group, or those who share a wallet or a folder.
struct AcceptInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.accept
    let people: PeopleStore
    let invitations: InvitationStore
    let shared: SharedInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Either<GroupView, SharedView>> {
        let id = try request.path.id(of: Invitation.self)
        let person = try await people.person(caller.user)
        if let joined = try await shared.accept(id, by: person, key: request.idempotency) {
            return try joined.response { .ok(.second($0)) }
        }
        let outcome = try await invitations.answer(
            id,
            isAccepted: true,
            by: person,
            key: request.idempotency
        )
        return try outcome.response { group in
            guard let group else { throw APIError.notFound }
            return .ok(.first(group.view))
        }
    }
}

/// Does not join.
struct RejectInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.reject
    let people: PeopleStore
    let invitations: InvitationStore
    let shared: SharedInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Invitation.self)
        let person = try await people.person(caller.user)
        if let rejected = try await shared.reject(id, by: person, key: request.idempotency) {
            return try rejected.response { _ in .noContent }
        }
        let outcome = try await invitations.answer(
            id,
            isAccepted: false,
            by: person,
            key: request.idempotency
        )
        return try outcome.response { _ in .noContent }
    }
}
