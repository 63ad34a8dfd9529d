import ServiceKit
import WalletProtocol

/// Logs out one device, or this one (`current`).
struct EndSession: Handler {
    static let endpoint = Sessions.end
    let sessions: SessionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let isCurrent = request.path["session"] == "current"
        let session: ID<Session> =
            isCurrent ? caller.user.session : try request.path.id("session")
        guard try await sessions.end(session, by: SessionHolder(caller.user)) else {
            throw APIError.notFound
        }
        return isCurrent || session == caller.user.session
            ? SessionAnswer.clearing(.noContent) : .noContent
    }
}

/// Logs out every other device.
struct EndOtherSessions: Handler {
    static let endpoint = Sessions.endOthers
    let sessions: SessionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await sessions.endOthers(by: SessionHolder(caller.user))
        return .noContent
    }
}

/// Lists the devices signed in, newest first.
struct ListSessions: Handler {
    static let endpoint = Sessions.list
    let sessions: SessionStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<SessionView>> {
        let rows = try await sessions.list(of: caller.user.id)
        return .ok(
            Page(
                items: rows.map { row in
                    SessionView(
                        id: row.id,
                        current: row.id == caller.user.session,
                        createdAt: row.createdAt,
                        lastUsedAt: row.lastUsedAt,
                        expiresAt: row.expiresAt,
                        deviceName: row.deviceName,
                        addressFamily: row.addressFamily,
                        methods: row.methods
                    )
                },
                nextCursor: nil
            )
        )
    }
}
