import ServiceKit

/// Codes, second factors, passwords and their recovery.
func addFactorRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let database = service.database
    router.add(MakeChallenge(challenges: parts.challenges, database: database))
    router.add(
        AnswerChallenge(
            challenges: parts.challenges,
            sessions: parts.sessions,
            firstFactor: parts.firstFactor,
            configuration: parts.configuration
        )
    )
    router.add(GetTotp(totp: parts.totp))
    router.add(BeginTotp(database: database, totp: parts.totp))
    router.add(
        ConfirmTotp(database: database, totp: parts.totp, configuration: parts.configuration)
    )
    router.add(RemoveTotp(database: database, totp: parts.totp))
    router.add(MakeRecoveryCodes(database: database, totp: parts.totp))
    router.add(
        ChangePassword(
            database: database,
            check: parts.passwordCheck,
            passwords: parts.passwords,
            configuration: parts.configuration
        )
    )
    router.add(BeginRecovery(recoveries: parts.recoveries))
    router.add(AnswerRecovery(recoveries: parts.recoveries))
    router.add(FinishRecovery(recoveries: parts.recoveries))
}
