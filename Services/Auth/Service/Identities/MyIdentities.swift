import Loops
import Outbound
import ServiceKit
import WalletProtocol

/// Who one is elsewhere.
struct ListIdentities: Handler {
    static let endpoint = Identities.list
    let identities: IdentityStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<IdentityView>> {
        .ok(Page(items: try await identities.list(of: caller.user.id), nextCursor: nil))
    }
}

/// Links an identity to who began to link it.
struct LinkIdentity: Handler {
    static let endpoint = Identities.link
    let effects: KeyedEffects
    let identities: IdentityStore

    func handle(
        _ request: Request<NoQuery, NewIdentity>,
        as caller: Caller
    ) async throws -> Response<IdentityView> {
        let proof = SignInProof(
            code: request.body.oidcCode,
            verifier: request.body.codeVerifier,
            of: request
        )
        return try await effects.answer(request.idempotency) { transaction in
            let identity = try await identities.link(
                proof,
                by: SessionHolder(caller.user),
                in: transaction
            )
            return .created(identity, at: "/v1/users/me/identities/\(identity.id.text)")
        }
    }
}

/// Unlinks an identity.
struct UnlinkIdentity: Handler {
    static let endpoint = Identities.unlink
    let identities: IdentityStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try caller.user.requireFreshProof()
        try await identities.unlink(
            request.path.id(of: LinkedIdentity.self),
            by: SessionHolder(caller.user)
        )
        return .noContent
    }
}

extension AuthConfiguration {
    /// The providers as one loop knows them; who has none pays for no client of theirs.
    func identityProviders(on loop: EventLoop) -> [IdentityProvider] {
        guard !providers.isEmpty else { return [] }
        let client = OutboundClient(loop: loop)
        return providers.compactMap { IdentityProvider($0, client: client, loop: loop) }
    }
}
