import ServiceKit

/// Every endpoint of auth, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let (users, sessions, challenges) = (parts.users, parts.sessions, parts.challenges)
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
    router.add(
        LogIn(
            password: PasswordLogIn(
                database: database,
                blocking: blocking,
                challenges: challenges,
                messages: parts.messages,
                firstFactor: parts.firstFactor,
                configuration: configuration
            ),
            passkey: PasskeyLogIn(
                passkeys: parts.passkeys,
                database: database,
                firstFactor: parts.firstFactor,
                configuration: configuration
            )
        )
    )
    addPasskeyRoutes(to: router, parts, service)
    router.add(RefreshSession(sessions: sessions, configuration: configuration))
    router.add(ListSessions(sessions: sessions))
    router.add(EndSession(sessions: sessions))
    router.add(EndOtherSessions(sessions: sessions))
    router.add(
        MakeChallenge(challenges: challenges, database: database, configuration: configuration)
    )
    router.add(
        AnswerChallenge(
            challenges: challenges,
            sessions: sessions,
            database: database,
            configuration: configuration
        )
    )
    addAuditRoutes(to: router, parts, service)
    router.add(GetKeys(keys: parts.keys))
    router.add(GetOpenIDConfiguration(publicURL: configuration.publicURL))
    router.add(MakeServiceToken(configuration: configuration, keys: parts.keys))
    router.add(ListRevocations(revocations: parts.revocations))
    router.add(GetInternalUser(users: users))
    router.add(FindInternalUsers(users: users))
    addErasureRoutes(to: router, parts, service)
}
