import Crypto
import ServiceKit
import WalletProtocol

/// Makes somebody, who is mailed a code to set a password: nobody else ever has one.
struct InviteUser: Handler {
    static let endpoint = Administration.create
    let effects: KeyedEffects
    let users: UserStore
    let recoveries: RecoveryStore
    let audit: AuditLog
    let mailChecks: MailDomainCheck
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, InvitedUser>,
        as caller: Caller
    ) async throws -> Response<UserView> {
        let body = request.body
        if body.roles.contains(where: \.isPowerful) { try caller.user.requireFreshProof() }
        let registration = try await registration(body)
        let (actor, origin) = (AuditActor(caller), AuditOrigin(request))
        let holder = SessionHolder(caller.user)
        return try await effects.run(request.idempotency) { keyed in
            try await users.naming(registration, body.username != nil) { registration in
                try await keyed.answer { transaction in
                    let profile = try await users.create(
                        registration,
                        isVerified: false,
                        in: transaction
                    )
                    try await holder.requireStillOpen(in: transaction)
                    _ = try await recoveries.begin(for: profile.id, in: transaction)
                    try await audit.append(
                        .created(profile, by: actor, from: origin),
                        in: transaction
                    )
                    return .created(
                        profile.forAdministrators,
                        at: "/v1/users/\(profile.id.text)"
                    ).tagged(String(profile.version))
                }
            }
        }
    }

    /// The rules of a registration; its password is nobody's, and is not written.
    private func registration(_ body: InvitedUser) async throws -> Registration {
        let nobodys = "Aa1-" + Base64URL.encode(randomBytes(32))
        let draftBody = NewUser(
            email: body.email,
            password: nobodys,
            username: body.username,
            firstName: body.firstName,
            lastName: body.lastName,
            dateOfBirth: body.dateOfBirth,
            currency: body.currency,
            area: body.area,
            language: body.language,
            timeZone: body.timeZone,
            phone: body.phone,
            phoneToken: body.phoneToken
        )
        var checks = FieldChecks()
        let draft = RegistrationDraft(
            draftBody,
            isPasswordCommon: false,
            phoneKeys: configuration.phoneKeys,
            &checks
        )
        if let email = draft?.email { await mailChecks.check(email, &checks) }
        try checks.finish()
        guard var registration = draft?.registration(passwordHash: nil) else {
            throw APIError(.invalidBody)
        }
        var roles = Set(body.roles)
        if roles.contains(.admin) { roles.insert(.user) }
        registration.roles = Role.allCases.filter { roles.contains($0) }
        return registration
    }
}

/// Has somebody mailed a code to set a new password; the administrator gets nothing of it.
struct RecoverUser: Handler {
    static let endpoint = Administration.recover
    let effects: KeyedEffects
    let administration: AdministrationStore
    let recoveries: RecoveryStore
    let audit: AuditLog

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: User.self)
        let (actor, origin) = (AuditActor(caller), AuditOrigin(request))
        return try await administration.tellingRefusals(
            of: .recoveryBegun,
            to: id,
            by: actor,
            from: origin
        ) {
            try await effects.answer(request.idempotency) { transaction in
                try await administration.requireHere(id, in: transaction)
                _ = try await recoveries.begin(for: id, in: transaction)
                try await audit.append(
                    AuditEntry(.recoveryBegun, by: actor, of: id, from: origin),
                    in: transaction
                )
                return .noContent
            }
        }
    }
}

extension AuditEntry {
    /// Somebody was made by somebody else.
    static func created(
        _ profile: Profile,
        by actor: AuditActor,
        from origin: AuditOrigin
    ) -> AuditEntry {
        AuditEntry(
            .userCreated,
            by: actor,
            of: profile.id,
            detail: ["roles": .array(profile.roles.map { .string($0) })],
            texts: ["username": profile.username, "email": profile.email],
            from: origin
        )
    }
}
