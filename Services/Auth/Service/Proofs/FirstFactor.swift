import Postgres
import ServiceKit
import WalletProtocol

/// What follows a first factor that was right, whichever it was: the session, or a challenge where
/// the account has a second factor or a code was asked for.
struct FirstFactor {
    let database: Database
    let sessions: SessionStore
    let challenges: ChallengeStore
    let totp: TotpStore
    let identities: IdentityStore
    let audit: AuditLog
    let security: SecurityLog
    let configuration: AuthConfiguration

    /// Goes on after a right first factor.
    ///
    /// - Parameters:
    ///   - methods: how it was proved (RFC 8176).
    ///   - isWhole: whether it counts as two factors by itself, as a passkey does.
    ///   - identity: by which it was proved; it is linked by the session that opens alone.
    /// - Throws: 403 `user-disabled`.
    func accept(
        _ credential: Credential,
        methods: [String],
        isWhole: Bool = false,
        identity: ExternalIdentity? = nil,
        for request: Request<NoQuery, NewSession>
    ) async throws -> Response<Either<SessionTokens, PendingLogIn>> {
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        if !isWhole {
            let needsCode = try await totp.isOn(for: credential.user)
            if needsCode || request.body.method == .otp {
                // Guesses are not forgotten yet: the code is to be guessed as slowly.
                let challenge = try await challenges.makeLogIn(
                    for: credential,
                    channel: request.body.channel,
                    methods: methods,
                    identity: identity,
                    from: request.clientAddress
                )
                return .accepted(.second(PendingLogIn(challenge: challenge)))
            }
        }
        let answer = try await open(
            credential,
            methods: methods,
            identity: identity.map { .now($0) },
            for: request
        )
        return answer.on(.created(.first(answer.tokens)))
    }

    /// Opens the session, by the identity where there is one, and forgets what guesses there were.
    func open<Body: JSONValue>(
        _ credential: Credential,
        methods: [String],
        identity: IdentityProof? = nil,
        for request: Request<NoQuery, Body>
    ) async throws -> SessionAnswer {
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        let (device, address) = (Device(request), request.clientAddress)
        let key = try await sessions.signingKey()
        let session = try await database.transaction { transaction in
            if let identity {
                // The person first, as whoever takes an identity away does.
                try await SessionHolder.share(credential.user, in: transaction)
                try await identities.use(identity, for: credential, in: transaction)
            }
            let session = try await sessions.open(
                for: credential,
                on: device,
                methods: methods,
                signedWith: key,
                in: transaction
            )
            try await attempts.welcome(credential, from: address, in: transaction)
            if let entry = AuditEntry(logInOf: credential, methods, request) {
                try await audit.append(entry, in: transaction)
            }
            return session
        }
        security.note(.logIn, request.facts(of: credential.user, methods))
        return SessionAnswer(session, for: request, configuration: configuration)
    }
}

extension AuditEntry {
    /// The log-in of somebody who administers people or reads everybody's figures; nil for others.
    fileprivate init?<Body>(
        logInOf credential: Credential,
        _ methods: [String],
        _ request: Request<NoQuery, Body>
    ) {
        guard credential.roles.contains(where: { $0 != Role.user.rawValue }) else { return nil }
        self.init(
            .officerLoggedIn,
            by: .user(credential.user),
            of: credential.user,
            detail: ["methods": .array(methods.map { .string($0) })],
            from: AuditOrigin(request)
        )
    }
}
