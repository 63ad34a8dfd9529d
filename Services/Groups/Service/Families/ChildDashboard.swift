import ServiceKit
import WalletProtocol

/// What parents see of a child.
struct GetChildDashboard: Handler {
    static let endpoint = ChildDashboards.get
    let families: FamilyStore
    let ledger: AllowanceLedger
    let limits: LimitStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ChildDashboard> {
        let child = try await families.child(request.path.id("userId"), of: caller.user.id)
        let overview = try await ledger.overview(child.userID)
        let limits = try await limits.find(of: child.userID, for: caller.user.id)
        return .ok(ChildDashboard(child: child, overview: overview, limits: limits))
    }
}
