import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Changes one's own profile.
struct ChangeMe: Handler {
    static let endpoint = Profiles.change
    let own: OwnProfileStore
    let sessions: SessionStore
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, ProfileChanges>,
        as caller: Caller
    ) async throws -> Response<UserView> {
        let user = caller.user
        let change = try ProfileChange(
            request.body,
            by: .owner,
            phoneKeys: configuration.phoneKeys
        )
        let profile = try await own.change(
            by: change,
            of: user,
            provedBy: request.body.password,
            ifMatch: request.ifMatch,
            on: request.clientAddress
        )
        let expiresAt = try await sessions.expiry(of: user.session, user: user.id)
        return Response.ok(profile.view(sessionExpiresAt: expiresAt))
            .tagged(String(profile.version))
    }
}

/// Mails the link of an address that is not verified yet once more.
struct SendVerification: Handler {
    static let endpoint = Profiles.resend
    let effects: KeyedEffects
    let profiles: ProfileStore
    let database: Database
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        try await attempts.count(.mails(user))
        return try await effects.answer(request.idempotency) { transaction in
            try await profiles.resend(
                to: user,
                askedFrom: request.clientAddress,
                in: transaction
            )
            return .noContent
        }
    }
}

/// Confirms an address by its mailed link.
struct VerifyEmail: Handler {
    static let endpoint = Users.verifyEmail
    let effects: KeyedEffects
    let pending: PendingChangeStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await effects.run(request.idempotency) { keyed in
            try await pending.profiles.tellingTaken {
                try await keyed.answer { transaction in
                    try await pending.verifyEmail(
                        token: request.path["token"],
                        from: AuditOrigin(request),
                        in: transaction
                    )
                    return .noContent
                }
            }
        }
    }
}

/// Accepts what an administrator wants of one's e-mail or phone.
struct ConfirmChange: Handler {
    static let endpoint = Profiles.confirmChange
    let pending: PendingChangeStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await pending.settle(
            token: request.path["token"],
            accepting: true,
            from: AuditOrigin(request)
        )
        return .noContent
    }
}

/// Rejects what an administrator wants of one's e-mail or phone.
struct RejectChange: Handler {
    static let endpoint = Profiles.rejectChange
    let pending: PendingChangeStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await pending.settle(
            token: request.path["token"],
            accepting: false,
            from: AuditOrigin(request)
        )
        return .noContent
    }
}
