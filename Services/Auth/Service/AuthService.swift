import AuthMigrations
import Postgres
public import ServiceKit
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Auth: who there is, and what proves it.
public let authService = ServiceDefinition(
    .auth,
    variables: AuthVariables.all,
    migrations: unsafe embeddedFiles(auth_migrations, count: auth_migrations_count),
    commands: [
        .init("create-user", help: CreateUser.usage) { _, service, arguments in
            let parts = try AuthParts(service)
            try await CreateUser.run(arguments, parts)
        },
        .init("audit-head", help: AuditCommands.headUsage) { _, service, arguments in
            let parts = try AuthParts(service)
            try await AuditCommands.printHead(arguments, parts: parts, database: service.database)
        },
        .init("verify-audit", help: AuditCommands.verifyUsage) { _, service, arguments in
            let parts = try AuthParts(service)
            try await AuditCommands.verify(arguments, parts: parts, database: service.database)
        },
        .init("list-keys", help: KeyCommands.listUsage) { _, service, arguments in
            try await KeyCommands.list(arguments, keys: try AuthParts(service).keys.rotation)
        },
        .init("measure-tokens", help: MeasureTokens.usage) { _, service, arguments in
            try await MeasureTokens.run(arguments, parts: try AuthParts(service))
        },
        .init("rotate-keys", help: KeyCommands.rotateUsage) { _, service, arguments in
            try await KeyCommands.rotate(arguments, keys: try AuthParts(service).keys.rotation)
        },
        .init("revoke-key", help: KeyCommands.revokeUsage) { _, service, arguments in
            try await KeyCommands.revoke(arguments, keys: try AuthParts(service).keys.rotation)
        },
    ],
    wire: { _, service in
        let parts = try AuthParts(service)
        service.keySource = parts.keys
        let revocations = parts.revocations
        service.loadRevocations = { after in try await revocations.list(after: after) }
        addRoutes(to: service.router, parts, service)
        addProfileWorkers(parts, service)
        let messages = parts.messages
        service.addPeriodicWorker("messages", everyMilliseconds: 500, wokenBy: messages.bell) {
            while try await messages.handOver() > 0 {}
        }
        if service.isFirst {
            addErasureWorkers(to: service, parts)
            addExportWorkers(to: service, parts)
            let (database, logger) = (service.database, service.logger)
            let (rotation, days) = (parts.keys.rotation, parts.configuration.signingKeyDays)
            service.addPeriodicWorker("signing keys", everyMilliseconds: 60_000) {
                try await rotation.runSchedule(days: days)
            }
            addSealWorker(to: service, parts)
            service.addPeriodicWorker("clean-up", everyMilliseconds: 60_000) {
                await CleanUp(database: database, logger: logger).run()
            }
        }
    }
)

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

    init(_ service: ServiceLoop) throws {
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
