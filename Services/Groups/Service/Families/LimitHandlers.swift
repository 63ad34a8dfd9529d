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
        .ok(try await limits.find(of: request.path.idUnlessMe("userId"), for: caller.user.id))
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
        return .ok(try await limits.set(request.body, of: child, by: caller.user.id))
    }
}
