import ServiceKit

/// Every endpoint of auth, in the rooms' order; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    addSignInRoutes(to: router, parts, service)
    addCredentialRoutes(to: router, parts, service)
    addPeopleRoutes(to: router, parts, service)
    addAdministrationRoutes(to: router, parts, service)
    router.add(GetKeys(keys: parts.keys))
    router.add(GetOpenIDConfiguration(publicURL: parts.configuration.publicURL))
    router.add(MakeServiceToken(configuration: parts.configuration, keys: parts.keys))
    router.add(ListRevocations(revocations: parts.revocations))
    router.add(GetInternalUser(users: parts.users))
    router.add(FindInternalUsers(users: parts.users))
    router.add(SnapshotUsers(database: service.database))
}

/// Sessions, and what proves who begins one.
private func addSignInRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let (sessions, passkeys, identities) = (parts.sessions, parts.passkeys, parts.identities)
    let (database, first, providers) = (service.database, parts.firstFactor, parts.providers)
    let configuration = parts.configuration
    router.add(
        LogIn(
            password: PasswordLogIn(
                database: database,
                passwords: parts.passwordCheck,
                firstFactor: first
            ),
            passkey: PasskeyLogIn(passkeys: passkeys, database: database, firstFactor: first),
            identity: IdentityLogIn(identities: identities, firstFactor: first)
        )
    )
    router.add(RefreshSession(sessions: sessions, configuration: configuration))
    router.add(ListSessions(sessions: sessions))
    router.add(EndSession(sessions: sessions))
    router.add(EndOtherSessions(sessions: sessions))
    router.add(MakeChallenge(challenges: parts.challenges, database: database))
    router.add(
        AnswerChallenge(
            challenges: parts.challenges,
            sessions: sessions,
            firstFactor: first,
            configuration: configuration
        )
    )
    router.add(
        ChallengePasskey(passkeys: passkeys, database: database, configuration: configuration)
    )
    router.add(
        ProvePasskey(
            passkeys: passkeys,
            sessions: sessions,
            security: service.security,
            configuration: configuration
        )
    )
    router.add(ListIdentityProviders(providers: providers))
    let redirects = IdentityRedirects(
        providers: providers,
        identities: identities,
        configuration: configuration,
        logger: service.logger
    )
    router.add(AuthorizeIdentity(redirects: redirects))
    router.add(IdentityCallback(redirects: redirects, security: service.security))
}

/// Passwords and their recovery, second factors, passkeys, identities elsewhere.
private func addCredentialRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let (totp, passkeys, identities) = (parts.totp, parts.passkeys, parts.identities)
    let (database, effects) = (service.database, parts.effects)
    router.add(
        ChangePassword(
            own: OwnPassword(database: database, check: parts.passwordCheck),
            passwords: parts.passwords,
            configuration: parts.configuration
        )
    )
    router.add(BeginRecovery(recoveries: parts.recoveries))
    router.add(AnswerRecovery(recoveries: parts.recoveries))
    router.add(FinishRecovery(recoveries: parts.recoveries))
    router.add(GetTotp(totp: totp))
    router.add(BeginTotp(database: database, totp: totp))
    router.add(ConfirmTotp(database: database, totp: totp, configuration: parts.configuration))
    router.add(RemoveTotp(database: database, totp: totp))
    router.add(MakeRecoveryCodes(database: database, totp: totp))
    router.add(BeginPasskey(passkeys: passkeys))
    router.add(RegisterPasskey(effects: effects, passkeys: passkeys))
    router.add(ListPasskeys(passkeys: passkeys))
    router.add(DeletePasskey(passkeys: passkeys))
    router.add(ListIdentities(identities: identities))
    router.add(LinkIdentity(effects: effects, identities: identities))
    router.add(UnlinkIdentity(identities: identities))
}

/// Registration, one's own profile, picture, export and deletion.
private func addPeopleRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let (database, effects) = (service.database, parts.effects)
    let (configuration, mailChecks) = (parts.configuration, parts.mailChecks)
    let password = OwnPassword(database: database, check: parts.passwordCheck)
    let registrations = RegistrationStore(
        users: parts.users,
        blocking: service.blocking,
        database: database,
        mailChecks: mailChecks,
        configuration: configuration
    )
    router.add(
        RegisterUser(
            registrations: registrations,
            security: service.security,
            configuration: configuration
        )
    )
    router.add(ListLanguages())
    router.add(GetMe(users: parts.users, sessions: parts.sessions))
    let own = OwnProfileStore(
        profiles: parts.profiles,
        password: password,
        mailChecks: mailChecks,
        configuration: configuration
    )
    router.add(ChangeMe(own: own, sessions: parts.sessions, configuration: configuration))
    router.add(
        SendVerification(
            effects: effects,
            profiles: parts.profiles,
            database: database,
            configuration: configuration
        )
    )
    router.add(VerifyEmail(effects: effects, pending: parts.pending))
    router.add(ConfirmChange(pending: parts.pending))
    router.add(RejectChange(pending: parts.pending))
    let pictures = PictureStore(database: database, configuration: configuration)
    router.add(PutPicture(pictures: pictures))
    router.add(DeletePicture(pictures: pictures))
    router.add(GetPicture(pictures: pictures, client: service.internalClient))
    router.add(RequestExport(effects: effects, exports: parts.exports))
    router.add(GetExport(exports: parts.exports))
    router.add(GetExportFile(exports: parts.exports))
    router.add(DeleteMe(erasures: parts.erasures, password: password))
    router.add(GetDeletionReceipt(erasures: parts.erasures))
}

/// What administrators do with others, and the log of that.
private func addAdministrationRoutes(
    to router: Router,
    _ parts: AuthParts,
    _ service: ServiceLoop
) {
    let (database, effects, audit) = (service.database, parts.effects, parts.audit)
    let (configuration, mailChecks) = (parts.configuration, parts.mailChecks)
    let administration = AdministrationStore(
        database: database,
        profiles: parts.profiles,
        audit: audit,
        accessTokenSeconds: configuration.accessTokenSeconds
    )
    router.add(ListUsers(administration: administration))
    router.add(GetUser(administration: administration))
    router.add(
        ChangeUser(
            administration: administration,
            mailChecks: mailChecks,
            configuration: configuration
        )
    )
    router.add(SetUserAccess(administration: administration))
    router.add(
        DeleteUser(
            administration: administration,
            erasures: parts.erasures,
            audit: audit,
            database: database
        )
    )
    router.add(
        InviteUser(
            effects: effects,
            users: parts.users,
            recoveries: parts.recoveries,
            audit: audit,
            mailChecks: mailChecks,
            configuration: configuration
        )
    )
    router.add(
        RecoverUser(
            effects: effects,
            administration: administration,
            recoveries: parts.recoveries,
            audit: audit
        )
    )
    router.add(ListAudit(reader: AuditReader(database: database, audit: audit)))
    let verifications = AuditVerificationStore(
        database: database,
        audit: audit,
        proofKeys: configuration.auditKeys
    )
    router.add(VerifyAudit(verifications: verifications))
    router.add(NoteInsightsReading(database: database, audit: audit))
}
