import ServiceKit
import WalletProtocol

/// What a child may spend in a month, and has spent.
struct GetChildLimits: Handler {
    static let endpoint = Families.limits
    let limits: LimitStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SpendingLimitsView> {
        let child = try request.path.idUnlessMe("userId", of: User.self)
        let view = try await limits.find(of: child, for: caller.user.id)
        return .ok(view).tagged(view.version)
    }
}

/// Says what a child may spend.
struct SetChildLimits: Handler {
    static let endpoint = Families.setLimits
    let limits: LimitStore

    func handle(
        _ request: Request<NoQuery, SpendingLimits>,
        as caller: Caller
    ) async throws -> Response<SpendingLimitsView> {
        let child = try request.path.idUnlessMe("userId", of: User.self)
        let view = try await limits.set(
            request.body,
            of: child,
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .ok(view).tagged(view.version)
    }
}
