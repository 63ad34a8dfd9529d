import Crypto
import Postgres
import ServiceKit
import WalletProtocol
import WebAuthn

/// Registers passkeys, lists them and takes them away.
final class PasskeyStore {
    let database: Database
    let party: RelyingParty
    let configuration: AuthConfiguration
    let logger: Logger
    private let notices: SecurityNotices
    private let audit: AuditLog

    init(
        database: Database,
        messages: MessageJobs,
        audit: AuditLog,
        configuration: AuthConfiguration,
        logger: Logger
    ) {
        self.database = database
        notices = SecurityNotices(messages: messages, configuration: configuration)
        self.audit = audit
        self.configuration = configuration
        self.logger = logger
        party = RelyingParty(origin: configuration.publicURL)
    }

    /// Gives out a challenge; what is kept of it is its hash.
    func begin(
        _ kind: String,
        for user: ID<User>?
    ) async throws -> (id: ID<PasskeyCeremony>, challenge: [UInt8], expiresAt: Instant) {
        let id = ID<PasskeyCeremony>.new()
        let challenge = RelyingParty.newChallenge()
        let expiresAt = Instant.now().adding(seconds: PasskeyRules.lifeSeconds)
        try await database.execute(
            PasskeyStatements.insertCeremony,
            id,
            kind,
            user,
            SHA256.digest(challenge),
            expiresAt
        )
        return (id, challenge, expiresAt)
    }

    /// Begins a registration.
    func beginRegistration(for user: ID<User>) async throws -> PasskeyCreation {
        guard
            let credential = try await database.queryOne(UserStatements.credentialByID, user)
        else { throw APIError(.unauthenticated) }
        let passkeys = try await list(of: user)
        guard passkeys.count < PasskeyRules.countMax else { throw APIError(.tooManyPasskeys) }
        let begun = try await begin("registration", for: user)
        return PasskeyCreation(
            challengeID: begun.id,
            expiresAt: begun.expiresAt,
            publicKey: PasskeyCreationOptions(
                rp: PasskeyParty(id: party.id, name: "EZWallet"),
                user: PasskeyUser(
                    id: Base64URL.encode(PasskeyRules.handle(of: user)),
                    name: credential.username,
                    displayName: credential.username
                ),
                challenge: Base64URL.encode(begun.challenge),
                pubKeyCredParams: CredentialKey.algorithms.map { PasskeyParameter(alg: Int($0)) },
                timeout: Int(PasskeyRules.lifeSeconds) * 1_000,
                excludeCredentials: passkeys.map(\.descriptor)
            )
        )
    }

    /// Ends a registration.
    func register(
        _ new: NewPasskey,
        by holder: SessionHolder,
        on device: Device,
        from origin: AuditOrigin,
        in transaction: Transaction
    ) async throws -> PasskeyView {
        let answer = try RegistrationAnswer(new.credential)
        let user = holder.user
        // Before the challenge: a recovery locks the person first, and voids it then.
        try await holder.requireOpen(in: transaction)
        let made = try await verify(answer, of: user, new.challengeID, in: transaction)
        let id = ID<Passkey>.new()
        try await insert(id, made, new, of: user, on: device, in: transaction)
        try await tell(user, .passkeyAdded, in: transaction)
        try await audit.append(
            AuditEntry(
                .passkeyAdded,
                by: .user(user),
                of: user,
                detail: ["passkey": .string(id.text)],
                from: origin
            ),
            in: transaction
        )
        guard let view = try await find(id.text, of: user, in: transaction) else {
            throw APIError(.internalError)
        }
        return view
    }

    /// Judges a registration's answer and consumes its challenge.
    private func verify(
        _ answer: RegistrationAnswer,
        of user: ID<User>,
        _ challenge: ID<PasskeyCeremony>,
        in transaction: Transaction
    ) async throws -> RegisteredCredential {
        let ceremony = try await transaction.queryOne(
            PasskeyStatements.countAttempt,
            challenge,
            "registration"
        )
        guard let ceremony, ceremony.user == user, !ceremony.isExpired else {
            throw APIError(.challengeExpired)
        }
        guard
            !ceremony.isUsed,
            try await transaction.queryOne(PasskeyStatements.consume, challenge) != nil
        else { throw APIError(.challengeExhausted) }
        do {
            return try party.verify(
                answer,
                RelyingParty.Expectation(challengeDigest: ceremony.challengeHash)
            )
        } catch { throw APIError.invalidPasskey(error) }
    }

    private func insert(
        _ id: ID<Passkey>,
        _ made: RegisteredCredential,
        _ new: NewPasskey,
        of user: ID<User>,
        on device: Device,
        in transaction: Transaction
    ) async throws {
        let count = try await transaction.queryOne(PasskeyStatements.count, user) ?? 0
        guard count < PasskeyRules.countMax else { throw APIError(.tooManyPasskeys) }
        let transports = Set(new.credential.response.transports ?? [])
            .intersection(PasskeyRules.transports)
        try await transaction.execute(
            PasskeyStatements.insert,
            id,
            user,
            made.id,
            made.publicKey,
            Int32(made.algorithm),
            Int64(made.signCount),
            made.aaguid,
            transports.sorted(),
            made.isBackupEligible,
            made.isBackedUp,
            new.name ?? device.kind
        )
    }

    func list(of user: ID<User>) async throws -> [ListedPasskey] {
        try await database.query(PasskeyStatements.list, user)
    }

    private func find(
        _ id: String,
        of user: ID<User>,
        in transaction: Transaction
    ) async throws -> PasskeyView? {
        let all = try await transaction.query(PasskeyStatements.list, user)
        return all.first { $0.id.text == id }?.view
    }

    /// Takes one away, unless nothing else would be left to sign in with.
    func delete(
        _ id: ID<Passkey>,
        by holder: SessionHolder,
        from origin: AuditOrigin
    ) async throws {
        let user = holder.user
        try await database.transaction { [self] transaction in
            try await holder.requireOpen(in: transaction)
            guard
                try await transaction.queryOne(PasskeyStatements.delete, id, user) != nil
            else { throw APIError.notFound }
            guard
                try await transaction.queryOne(PasskeyStatements.canSignIn, user) == true
            else { throw APIError(.lastCredential) }
            try await tell(user, .passkeyRemoved, in: transaction)
            try await audit.append(
                AuditEntry(
                    .passkeyRemoved,
                    by: .user(user),
                    of: user,
                    detail: ["passkey": .string(id.text)],
                    from: origin
                ),
                in: transaction
            )
        }
    }

    /// Tells the owner of a change by mail.
    func tell(
        _ user: ID<User>,
        _ change: SecurityChange,
        in transaction: some Querying
    ) async throws {
        guard
            let owner = try await transaction.queryOne(UserStatements.credentialByID, user)
        else { return }
        try await notices.tell(change, to: owner, in: transaction)
    }

    /// Tells the owner, and the audit log, that there may be a copy of an authenticator.
    func warnOfCopy(_ passkey: StoredPasskey, from origin: AuditOrigin) async throws {
        logger.warning("sign count of a passkey went back", [("passkey", passkey.id.text)])
        try await database.transaction { [self] transaction in
            try await tell(passkey.user, .passkeyCopied, in: transaction)
            try await audit.append(
                AuditEntry(
                    .passkeyCopied,
                    by: .anyone,
                    of: passkey.user,
                    detail: ["passkey": .string(passkey.id.text)],
                    from: origin
                ),
                in: transaction
            )
        }
    }
}

extension APIError {
    /// 422 `invalid-passkey` with the rule that is broken.
    static func invalidPasskey(_ reason: WebAuthnError) -> APIError {
        APIError(.invalidPasskey, members: [JSONMember("reason", .string(reason.rawValue))])
    }
}

extension RegistrationAnswer {
    /// What a browser wrote, out of its base64url.
    init(_ credential: PasskeyCredential<PasskeyAttestation>) throws {
        guard let id = Base64URL.decode(credential.id.utf8),
            credential.rawID.map({ $0 == credential.id }) ?? true
        else { throw APIError.invalidPasskey(.wrongCredential) }
        guard
            let clientData = Base64URL.decode(credential.response.clientDataJSON.utf8)
        else { throw APIError.invalidPasskey(.malformedClientData) }
        guard
            let object = Base64URL.decode(credential.response.attestationObject.utf8)
        else { throw APIError.invalidPasskey(.malformedAttestation) }
        self.init(credentialID: id, clientData: clientData, attestationObject: object)
    }
}
