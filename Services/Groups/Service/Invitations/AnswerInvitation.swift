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

/// Joins a group, or those who use a wallet.
struct AcceptInvitation: Handler {
    static let endpoint = WalletProtocol.Invitations.accept
    let people: PeopleStore
    let invitations: InvitationStore
    let wallets: WalletInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Either<GroupView, AccountView>> {
        let id = try request.path.id(of: Invitation.self)
        let person = try await people.person(caller.user)
        if let wallet = try await wallets.accept(id, by: person, key: request.idempotency) {
            return try wallet.response { .ok(.second($0)) }
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
    let wallets: WalletInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Invitation.self)
        let person = try await people.person(caller.user)
        if let wallet = try await wallets.reject(id, by: person, key: request.idempotency) {
            return try wallet.response { _ in .noContent }
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
