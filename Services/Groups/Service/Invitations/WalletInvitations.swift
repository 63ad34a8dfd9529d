import ServiceKit
import WalletProtocol

/// Asks somebody to use a wallet.
struct InviteToWallet: Handler {
    static let endpoint = WalletMembers.invite
    let people: PeopleStore
    let wallets: WalletInvitationStore

    func handle(
        _ request: Request<NoQuery, WalletInvitee>,
        as caller: Caller
    ) async throws -> Response<InvitationView> {
        let account = try request.path.id(of: Account.self)
        let outcome = try await wallets.send(
            request.body,
            to: account,
            by: people.person(caller.user),
            key: request.idempotency
        )
        return try outcome.response { row in
            .created(
                row.view(for: caller.user.id, isMember: true),
                at: "/v1/accounts/\(account)/invitations/\(row.id)"
            )
        }
    }
}

/// The open invitations to a wallet.
struct ListWalletInvitations: Handler {
    static let endpoint = WalletMembers.invitations
    let wallets: WalletInvitationStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InvitationView>> {
        .ok(
            try await wallets.list(
                request.query,
                of: request.path.id(of: Account.self),
                for: caller.user.id
            )
        )
    }
}

/// Takes an invitation to a wallet back.
struct WithdrawWalletInvitation: Handler {
    static let endpoint = WalletMembers.withdraw
    let wallets: WalletInvitationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await wallets.withdraw(
            request.path.id("invitationId", of: Invitation.self),
            from: request.path.id(of: Account.self),
            by: caller.user.id
        )
        return .noContent
    }
}
