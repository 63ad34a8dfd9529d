import ServiceKit
import WalletProtocol

/// Posts what a parent has approved of, once for each id.
struct PostPurchase: Handler {
    static let endpoint = InternalPurchases.post
    let purchases: PurchaseStore

    func handle(
        _ request: Request<NoQuery, ApprovedPurchase>,
        as caller: Caller
    ) async throws -> Response<PurchaseOutcome> {
        .ok(try await purchases.post(request.path.id(of: Approval.self), request.body))
    }
}
