import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// Begins to register a passkey.
struct BeginPasskey: Handler {
    static let endpoint = Passkeys.options
    let passkeys: PasskeyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PasskeyCreation> {
        try caller.user.requireFreshProof()
        return .created(try await passkeys.beginRegistration(for: caller.user.id))
    }
}

/// Registers a passkey.
struct RegisterPasskey: Handler {
    static let endpoint = Passkeys.register
    let effects: KeyedEffects
    let passkeys: PasskeyStore

    func handle(
        _ request: Request<NoQuery, NewPasskey>,
        as caller: Caller
    ) async throws -> Response<PasskeyView> {
        try await effects.answer(
            request.idempotency,
            refusing: ["passkey_credential_id_key": .passkeyTaken]
        ) { transaction in
            let view = try await passkeys.register(
                request.body,
                by: SessionHolder(caller.user),
                on: Device(request),
                from: AuditOrigin(request),
                in: transaction
            )
            return .created(view, at: "/v1/passkeys/\(view.id.text)")
        }
    }
}

/// Lists one's passkeys, newest first.
struct ListPasskeys: Handler {
    static let endpoint = Passkeys.list
    let passkeys: PasskeyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<PasskeyView>> {
        let rows = try await passkeys.list(of: caller.user.id)
        return .ok(Page(items: rows.map(\.view), nextCursor: nil))
    }
}

/// Takes a passkey away.
struct DeletePasskey: Handler {
    static let endpoint = Passkeys.delete
    let passkeys: PasskeyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: Passkey.self)
        try caller.user.requireFreshProof()
        try await passkeys.delete(id, by: SessionHolder(caller.user), from: AuditOrigin(request))
        return .noContent
    }
}

/// Gives a challenge to log in, or to prove oneself, by a passkey.
struct ChallengePasskey: Handler {
    static let endpoint = Passkeys.challenge
    let passkeys: PasskeyStore
    let database: Database
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, PasskeyRequest>,
        as caller: Caller
    ) async throws -> Response<PasskeyChallenge> {
        let budget = CodeBudget(configuration: configuration)
        let asked = CodeBudget.ofChallenge(
            .passkey,
            askedFrom: request.clientAddress,
            configuration
        )
        if let until = try await budget.take(asked, in: database) {
            throw APIError(.lockedOut, retryAfterSeconds: until.secondsLeft)
        }
        let challenge = try await passkeys.beginAssertion(
            request.body,
            device: device(request),
            by: caller.optionalUser?.id
        )
        return .created(challenge)
    }

    /// The token in the body, or to a page of our own the cookie.
    private func device(_ request: Request<NoQuery, PasskeyRequest>) -> DeviceToken? {
        if let text = request.body.deviceToken {
            return DeviceToken(text.utf8, keys: configuration.deviceKeys)
        }
        guard request.http.head.text(.origin) == configuration.publicURL,
            let kept = cookie("__Host-device", in: request.http.head)
        else { return nil }
        return DeviceToken(kept, keys: configuration.deviceKeys)
    }
}

/// Takes a passkey as a fresh proof of who is signed in.
struct ProvePasskey: Handler {
    static let endpoint = Passkeys.prove
    let passkeys: PasskeyStore
    let sessions: SessionStore
    let security: SecurityLog
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, PasskeyAssertion>,
        as caller: Caller
    ) async throws -> Response<SessionTokens> {
        let passkey = try await passkeys.proveOwn(
            request.body,
            by: caller.user.id,
            from: AuditOrigin(request)
        )
        let session = try await sessions.prove(
            caller.user.session,
            of: caller.user.id,
            methods: passkey.methods
        )
        security.note(.stepUp, request.facts(of: caller.user.id, passkey.methods))
        let answer = SessionAnswer(session, for: request, configuration: configuration)
        return answer.on(.created(answer.tokens))
    }
}
