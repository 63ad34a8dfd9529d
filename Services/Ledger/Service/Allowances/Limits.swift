import ServiceKit
import WalletProtocol

/// What a child may spend of their account in a family.
struct GetAllowanceLimits: Handler {
    static let endpoint = InternalAllowances.limits
    let limits: LimitStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<SpendingLimitsView> {
        let family = try request.path.id("familyId", of: Family.self)
        return .ok(try await limits.find(family, request.path.id("userId")))
    }
}

/// Says what a child may spend of it.
struct SetAllowanceLimits: Handler {
    static let endpoint = InternalAllowances.setLimits
    let limits: LimitStore

    func handle(
        _ request: Request<NoQuery, SpendingLimits>,
        as caller: Caller
    ) async throws -> Response<SpendingLimitsView> {
        let family = try request.path.id("familyId", of: Family.self)
        let child = try request.path.id("userId", of: User.self)
        return .ok(try await limits.set(request.body, family, child, ifMatch: request.ifMatch))
    }
}

/// A category of a child's in a family.
struct GetAllowanceCategory: Handler {
    static let endpoint = InternalAllowances.category
    let limits: LimitStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<LimitableCategory> {
        let family = try request.path.id("familyId", of: Family.self)
        let child = try request.path.id("userId", of: User.self)
        return .ok(try await limits.category(request.path.id("categoryId"), of: child, in: family))
    }
}
