import ServiceKit
import WalletProtocol

/// One's own profile.
struct GetMe: Handler {
    static let endpoint = Users.me
    let users: UserStore
    let sessions: SessionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<UserView> {
        let user = caller.user
        guard let profile = try await users.profile(user.id) else {
            throw APIError(.unauthenticated)
        }
        let expiresAt = try await sessions.expiry(of: user.session, user: user.id)
        return Response.ok(profile.view(sessionExpiresAt: expiresAt))
            .tagged(String(profile.version))
    }
}

/// A user by id, for services.
struct GetInternalUser: Handler {
    static let endpoint = InternalAuth.user
    let users: UserStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<InternalUser> {
        guard let profile = try await users.profile(request.path.id(of: User.self)) else {
            throw APIError.notFound
        }
        return .ok(profile.forServices)
    }
}

/// A user by name or address, for invitations.
struct FindInternalUsers: Handler {
    static let endpoint = InternalAuth.users
    let users: UserStore

    func handle(
        _ request: Request<InternalUserQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<InternalUser>> {
        let found: Profile?
        if let username = request.query.username {
            found = try await users.profile(username: username)
        } else if let email = request.query.email {
            found = try await users.profile(email: email)
        } else {
            throw APIError.query("username", .required, "a name or an address is needed")
        }
        return .ok(Page(items: found.map { [$0.forServices] } ?? [], nextCursor: nil))
    }
}
