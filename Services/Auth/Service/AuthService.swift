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
            try await CreateUser.run(
                arguments,
                users: parts.users,
                effects: parts.effects,
                audit: parts.audit
            )
        },
        .init("audit-head", help: AuditCommands.headUsage) { _, service, arguments in
            let verifier = try AuthParts(service).auditVerifier(service)
            try await AuditCommands.printHead(arguments, by: verifier)
        },
        .init("verify-audit", help: AuditCommands.verifyUsage) { _, service, arguments in
            let verifier = try AuthParts(service).auditVerifier(service)
            try await AuditCommands.verify(arguments, by: verifier)
        },
        .init("list-keys", help: KeyCommands.listUsage) { _, service, arguments in
            try await KeyCommands.list(arguments, keys: try AuthParts(service).keys.rotation)
        },
        .init("measure-tokens", help: MeasureTokens.usage) { _, service, arguments in
            let parts = try AuthParts(service)
            try await MeasureTokens.run(
                arguments,
                keys: parts.keys,
                configuration: parts.configuration
            )
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
        addWorkers(to: service, parts)
    }
)
