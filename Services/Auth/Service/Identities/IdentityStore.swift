import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// What a client has to show to take what a callback gave.
struct SignInProof: Sendable {
    /// The code or token of the callback.
    let code: String
    /// What the browser's cookie says.
    let browser: String?
    /// What a native client made its challenge of.
    let codeVerifier: String?

    fileprivate var hash: [UInt8] { SHA256.digest(code.utf8) }
    fileprivate var browserHash: [UInt8]? { browser.map { SHA256.digest($0.utf8) } }
    /// S256 (RFC 7636, 4.2).
    fileprivate var challenge: String? {
        codeVerifier.map { Base64URL.encode(SHA256.digest($0.utf8)) }
    }
}

/// What a callback tells its client.
enum SignInOutcome: Sendable {
    case code(String)
    case unknown(registrationToken: String)
}

/// Keeps identities, sign-ins under way, and what they gave.
final class IdentityStore {
    let database: Database
    private let notices: SecurityNotices
    private let audit: AuditLog
    private let seal: Seal
    private let budget: CodeBudget
    private let signInsMax: Int32

    static let attemptSeconds: Int64 = 600
    static let codeSeconds: Int64 = 60
    static let registrationSeconds: Int64 = 1_800

    init(
        database: Database,
        messages: MessageJobs,
        audit: AuditLog,
        configuration: AuthConfiguration
    ) {
        self.database = database
        notices = SecurityNotices(messages: messages, configuration: configuration)
        self.audit = audit
        seal = configuration.signInSeal
        budget = CodeBudget(configuration: configuration)
        signInsMax = Int32(clamping: configuration.signInsPerAddressMax)
    }

    /// 256 random bits as text.
    static func secret() -> String { Base64URL.encode(randomBytes(32)) }

    // MARK: Attempts

    /// A sign-in begins.
    struct NewAttempt {
        let state = IdentityStore.secret()
        let nonce = IdentityStore.secret()
        let verifier = IdentityStore.secret()
        let browser: String?
        let codeChallenge: String?
        let provider: String
        let redirectURI: String
        let user: ID<User>?

        /// The challenge that the provider is told.
        var challenge: String { Base64URL.encode(SHA256.digest(verifier.utf8)) }
    }

    /// Writes a sign-in that begins, as many as its line may begin in an hour.
    /// - Throws: 429 with the seconds until the next one.
    func begin(_ attempt: NewAttempt, from address: String) async throws {
        let hash = SHA256.digest(attempt.state.utf8)
        let client = ClientNetwork(address)
        let bounds: [(subject: CodeBudget.Subject, most: Int32)] = [
            (.line("sign-in:" + client.line), signInsMax),
            // Cannot wrap: a million at most, by the variable's range.
            (.network("sign-in:" + client.network), signInsMax &* 4),
        ]
        try await database.transaction { [self] transaction in
            if let until = try await budget.take(bounds, in: transaction) {
                throw APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
            }
            try await transaction.execute(
                IdentityStatements.insertAttempt,
                hash,
                attempt.browser.map { SHA256.digest($0.utf8) },
                attempt.codeChallenge,
                attempt.provider,
                attempt.nonce,
                seal.seal(Array(attempt.verifier.utf8), context: hash),
                attempt.redirectURI,
                attempt.user,
                Instant.now().adding(seconds: Self.attemptSeconds)
            )
        }
    }

    /// Takes a sign-in that came back; nil where there is none, or another browser brings it.
    func take(
        state: String,
        provider: String,
        browser: String?
    ) async throws -> (attempt: SignInAttempt, verifier: String)? {
        let hash = SHA256.digest(state.utf8)
        guard
            let attempt = try await database.queryOne(
                IdentityStatements.takeAttempt,
                hash,
                provider,
                browser.map { SHA256.digest($0.utf8) }
            )
        else { return nil }
        let verifier = try seal.open(attempt.sealedVerifier, context: hash)
        return (attempt, String(decoding: verifier, as: UTF8.self))
    }

    /// Writes what the client may take: a code, or a token to register with.
    func finish(
        _ attempt: SignInAttempt,
        _ identity: ExternalIdentity
    ) async throws -> SignInOutcome {
        let code = Self.secret()
        return try await database.transaction { transaction in
            let isKnown =
                if attempt.user != nil { true } else {
                    try await Self.account(of: identity, in: transaction) != nil
                }
            let kind = attempt.user != nil ? "link" : isKnown ? "log-in" : "registration"
            let life = isKnown ? Self.codeSeconds : Self.registrationSeconds
            try await transaction.execute(
                IdentityStatements.insertCode,
                SHA256.digest(code.utf8),
                kind,
                attempt.browserHash,
                attempt.codeChallenge,
                identity.provider,
                identity.issuer,
                identity.subject,
                identity.email?.text,
                identity.emailIsVerified,
                attempt.user,
                Instant.now().adding(seconds: life)
            )
            return isKnown ? .code(code) : .unknown(registrationToken: code)
        }
    }

    /// Whose identity it is, or whose it may become: both addresses are verified.
    static func account(
        of identity: ExternalIdentity,
        in transaction: Transaction
    ) async throws -> ID<User>? {
        let owner = try await transaction.queryOne(
            IdentityStatements.owner,
            identity.issuer,
            identity.subject
        )
        if let owner { return owner }
        guard let email = identity.email, identity.emailIsVerified else { return nil }
        return try await transaction.queryOne(
            IdentityStatements.ownerOfVerifiedEmail,
            email.folded
        )
    }

    static func take(
        _ kind: String,
        _ proof: SignInProof,
        user: ID<User>? = nil,
        in transaction: Transaction
    ) async throws -> ExternalIdentity? {
        try await transaction.queryOne(
            IdentityStatements.takeCode,
            proof.hash,
            kind,
            proof.browserHash,
            proof.challenge,
            user
        )
    }

    // MARK: Effects

    /// Links what a code proves to who began to link it.
    func link(
        _ proof: SignInProof,
        by holder: SessionHolder,
        in transaction: Transaction
    ) async throws -> IdentityView {
        let user = holder.user
        // Before the code: a recovery that ends what is under way comes before or after this.
        try await holder.requireOpen(in: transaction)
        guard
            let identity = try await Self.take("link", proof, user: user, in: transaction),
            let credential = try await transaction.queryOne(UserStatements.credentialByID, user)
        else { throw APIError(.signInExpired) }
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        try await insert(identity, for: credential, in: transaction)
        guard
            let view = try await transaction.queryOne(
                IdentityStatements.find,
                identity.issuer,
                identity.subject,
                user
            )
        else { throw APIError(.identityTaken) }
        try await tell(credential, .identityLinked, identity.provider, in: transaction)
        return view
    }

    /// Gives somebody who registers the identity of their token, within that transaction.
    /// - Returns: whether the provider has verified this address.
    func claim(
        _ proof: SignInProof,
        for user: ID<User>,
        email: EmailAddress,
        in transaction: Transaction
    ) async throws -> Bool {
        guard let identity = try await Self.take("registration", proof, in: transaction) else {
            throw APIError.field(
                "/registrationToken",
                .invalidValue,
                "has ended, or began elsewhere"
            )
        }
        let isNew = try await insert(identity, user: user, in: transaction)
        guard isNew else { throw APIError(.identityTaken) }
        return identity.emailIsVerified && identity.email?.folded == email.folded
    }

    private func insert(
        _ identity: ExternalIdentity,
        for credential: Credential,
        in transaction: Transaction
    ) async throws {
        let isNew = try await insert(identity, user: credential.user, in: transaction)
        if isNew { return }
        let owner = try await transaction.queryOne(
            IdentityStatements.owner,
            identity.issuer,
            identity.subject
        )
        guard owner == credential.user else { throw APIError(.identityTaken) }
    }

    /// - Returns: whether nobody had it.
    func insert(
        _ identity: ExternalIdentity,
        user: ID<User>,
        in transaction: Transaction
    ) async throws -> Bool {
        try await transaction.execute(
            IdentityStatements.insert,
            ID<LinkedIdentity>.new(),
            user,
            identity.provider,
            identity.issuer,
            identity.subject,
            identity.email?.text
        ) == 1
    }

    /// Tells the owner by mail, and the audit log.
    func tell(
        _ credential: Credential,
        _ change: SecurityChange,
        _ provider: String,
        in transaction: Transaction
    ) async throws {
        try await audit.append(
            AuditEntry(
                change == .identityLinked ? .identityLinked : .identityUnlinked,
                by: .user(credential.user),
                of: credential.user,
                detail: ["provider": .string(provider)],
                from: .within
            ),
            in: transaction
        )
        try await notices.tell(change, to: credential, in: transaction)
    }

    // MARK: Reading and unlinking

    func list(of user: ID<User>) async throws -> [IdentityView] {
        try await database.query(IdentityStatements.list, user)
    }

    /// Takes an identity away, unless nothing would be left to sign in with.
    func unlink(_ id: ID<LinkedIdentity>, by holder: SessionHolder) async throws {
        let user = holder.user
        try await database.transaction { [self] transaction in
            try await holder.requireOpen(in: transaction)
            guard
                let provider = try await transaction.queryOne(
                    IdentityStatements.delete,
                    id,
                    user
                ),
                let credential = try await transaction.queryOne(
                    UserStatements.credentialByID,
                    user
                )
            else { throw APIError.notFound }
            guard try await transaction.queryOne(PasskeyStatements.canSignIn, user) == true else {
                throw APIError(.lastCredential)
            }
            try await tell(credential, .identityUnlinked, provider, in: transaction)
        }
    }
}
