import ServiceKit
import Text

/// What one loop of auth is made of.
struct AuthParts {
    let effects: KeyedEffects
    let configuration: AuthConfiguration
    let keys: SigningKeys
    let sessions: SessionStore
    let messages: MessageJobs
    let totp: TotpStore
    let challenges: ChallengeStore
    let passwords: PasswordStore
    let passwordCheck: PasswordCheck
    let recoveries: RecoveryStore
    let users: UserStore
    let profiles: ProfileStore
    let pending: PendingChangeStore
    let mailChecks: MailDomainCheck
    let revocations: RevocationStore
    let erasures: ErasureStore
    let exports: ExportStore
    let firstFactor: FirstFactor
    let identities: IdentityStore
    let providers: [IdentityProvider]
    let audit: AuditLog
    let passkeys: PasskeyStore

    // Flat: one part after the other, each of those above it.
    init(_ service: ServiceLoop) throws {
        try TimeZones.requireDatabase()
        configuration = try AuthConfiguration(service.settings)
        effects = KeyedEffects(database: service.database, relayBell: service.relayBell)
        audit = AuditLog(keys: configuration.auditKeys)
        keys = SigningKeys(
            rotation: KeyRotation(
                database: service.database,
                seal: configuration.signingKeySeal,
                audit: audit
            ),
            revocations: service.revocations
        )
        sessions = SessionStore(
            database: service.database,
            keys: keys,
            audit: audit,
            configuration: configuration
        )
        messages = MessageJobs(
            database: service.database,
            client: service.internalClient,
            seal: configuration.messageSeal,
            logger: service.logger,
            metrics: service.metrics
        )
        totp = TotpStore(
            database: service.database,
            sessions: sessions,
            messages: messages,
            audit: audit,
            configuration: configuration
        )
        challenges = ChallengeStore(
            database: service.database,
            messages: messages,
            totp: totp,
            audit: audit,
            configuration: configuration
        )
        passwords = PasswordStore(
            database: service.database,
            blocking: service.blocking,
            sessions: sessions,
            messages: messages,
            audit: audit,
            configuration: configuration
        )
        passwordCheck = PasswordCheck(
            database: service.database,
            blocking: service.blocking,
            messages: messages,
            audit: audit,
            configuration: configuration
        )
        identities = IdentityStore(
            database: service.database,
            messages: messages,
            audit: audit,
            configuration: configuration
        )
        providers = configuration.identityProviders(on: service.loop)
        users = UserStore(
            database: service.database,
            messages: messages,
            identities: identities,
            sessions: sessions,
            configuration: configuration,
            relayBell: service.relayBell
        )
        profiles = ProfileStore(
            database: service.database,
            messages: messages,
            audit: audit,
            configuration: configuration,
            relayBell: service.relayBell
        )
        recoveries = RecoveryStore(
            database: service.database,
            messages: messages,
            passwords: passwords,
            profiles: profiles,
            configuration: configuration
        )
        pending = PendingChangeStore(
            database: service.database,
            profiles: profiles,
            audit: audit,
            logger: service.logger
        )
        mailChecks = MailDomainCheck(service)
        revocations = RevocationStore(database: service.database)
        exports = ExportStore(
            database: service.database,
            audit: audit,
            configuration: configuration
        )
        erasures = ErasureStore(
            database: service.database,
            client: service.internalClient,
            messages: messages,
            configuration: configuration
        )
        firstFactor = FirstFactor(
            database: service.database,
            sessions: sessions,
            challenges: challenges,
            totp: totp,
            identities: identities,
            audit: audit,
            security: service.security,
            configuration: configuration
        )
        passkeys = PasskeyStore(
            database: service.database,
            messages: messages,
            audit: audit,
            configuration: configuration,
            logger: service.logger
        )
    }
}
