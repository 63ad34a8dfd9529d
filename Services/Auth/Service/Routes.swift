import ServiceKit

/// Every endpoint of auth, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let (users, sessions) = (parts.users, parts.sessions)
    let (database, blocking) = (service.database, service.blocking)
    let configuration = parts.configuration
    router.add(
        RegisterUser(
            users: users,
            blocking: blocking,
            database: database,
            mailChecks: parts.mailChecks,
            configuration: configuration
        )
    )
    router.add(GetMe(users: users, sessions: sessions))
    addProfileRoutes(to: router, parts, service)
    addPictureRoutes(to: router, parts, service)
    router.add(
        LogIn(
            password: PasswordLogIn(
                database: database,
                passwords: parts.passwordCheck,
                firstFactor: parts.firstFactor
            ),
            passkey: PasskeyLogIn(
                passkeys: parts.passkeys,
                database: database,
                firstFactor: parts.firstFactor
            ),
            identity: IdentityLogIn(
                identities: parts.identities,
                firstFactor: parts.firstFactor
            )
        )
    )
    addPasskeyRoutes(to: router, parts, service)
    addIdentityRoutes(to: router, parts, service)
    router.add(RefreshSession(sessions: sessions, configuration: configuration))
    router.add(ListSessions(sessions: sessions))
    router.add(EndSession(sessions: sessions))
    router.add(EndOtherSessions(sessions: sessions))
    addFactorRoutes(to: router, parts, service)
    addAuditRoutes(to: router, parts, service)
    addAdministrationRoutes(to: router, parts, service)
    router.add(GetKeys(keys: parts.keys))
    router.add(GetOpenIDConfiguration(publicURL: configuration.publicURL))
    router.add(MakeServiceToken(configuration: configuration, keys: parts.keys))
    router.add(ListRevocations(revocations: parts.revocations))
    router.add(GetInternalUser(users: users))
    router.add(FindInternalUsers(users: users))
    addErasureRoutes(to: router, parts, service)
    addExportRoutes(to: router, parts)
}
