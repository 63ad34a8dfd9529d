import Postgres
import ServiceKit
import WalletProtocol

/// Everybody, newest first, a page at a time.
struct ListUsers: Handler {
    static let endpoint = Administration.list
    let administration: AdministrationStore

    func handle(
        _ request: Request<UserQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<UserView>> {
        let (page, hasMore) = try await administration.list(
            request.query,
            by: AuditActor(caller),
            from: AuditOrigin(request)
        )
        return .ok(
            Page(
                items: page.map(\.forAdministrators),
                nextCursor: hasMore ? page.last.map { Cursor($0.id) } : nil
            )
        )
    }
}

/// Somebody's profile.
struct GetUser: Handler {
    static let endpoint = Administration.get
    let administration: AdministrationStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<UserView> {
        let profile = try await administration.read(
            request.path.id(of: User.self),
            by: AuditActor(caller),
            from: AuditOrigin(request)
        )
        return .ok(profile.forAdministrators).tagged(String(profile.version))
    }
}

/// Changes somebody's profile.
struct ChangeUser: Handler {
    static let endpoint = Administration.change
    let administration: AdministrationStore
    let mailChecks: MailDomainCheck
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, ProfileChanges>,
        as caller: Caller
    ) async throws -> Response<UserView> {
        let id = try request.path.id(of: User.self)
        let body = request.body
        var checks = FieldChecks()
        // They prove what its owner does; here nobody proves anything.
        if body.password != nil { checks.wrong("/password", .unknownField, "is its owner's") }
        if body.phoneToken != nil { checks.wrong("/phoneToken", .unknownField, "is its owner's") }
        try checks.finish()
        let change = try ProfileChange(body, by: .admin, phoneKeys: configuration.phoneKeys)
        if let email = change.email { try await mailChecks.check(email) }
        let profile = try await administration.change(
            id,
            by: change,
            ifMatch: request.ifMatch,
            admin: caller.user,
            from: AuditOrigin(request)
        )
        return .ok(profile.forAdministrators).tagged(String(profile.version))
    }
}

/// Gives or withdraws rights.
struct SetUserAccess: Handler {
    static let endpoint = Administration.setAccess
    let administration: AdministrationStore

    func handle(
        _ request: Request<NoQuery, UserAccess>,
        as caller: Caller
    ) async throws -> Response<UserView> {
        let profile = try await administration.setAccess(
            request.body,
            of: request.path.id(of: User.self),
            ifMatch: request.ifMatch,
            admin: caller.user,
            from: AuditOrigin(request)
        )
        return .ok(profile.forAdministrators).tagged(String(profile.version))
    }
}

/// Deletes somebody.
struct DeleteUser: Handler {
    static let endpoint = Administration.delete
    let administration: AdministrationStore
    let erasures: ErasureStore
    let audit: AuditLog
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionReceipt> {
        let id = try request.path.id(of: User.self)
        let (actor, origin) = (AuditActor(caller), AuditOrigin(request))
        let profile = try await administration.read(id, by: actor, from: origin)
        return try await administration.tellingRefusals(
            of: .erasureRequested,
            to: id,
            by: actor,
            from: origin
        ) {
            try request.ifMatch.check(profile.version)
            // Themselves they delete as everybody does: a token alone is no proof.
            if id == caller.user.id { try caller.user.requireFreshProof() }
            try await audit.append(
                AuditEntry(.erasureRequested, by: actor, of: id, from: origin),
                in: database
            )
            return .accepted(try await erasures.begin(id, by: SessionHolder(caller.user)))
        }
    }
}
