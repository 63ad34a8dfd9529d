import ServiceKit
import WalletProtocol

/// Whether two people are in a group together, live, for services.
struct GetAcquaintance: Handler {
    static let endpoint = InternalGroups.acquaintance
    let groups: GroupStore

    func handle(
        _ request: Request<AcquaintanceQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AcquaintanceView> {
        let query = request.query
        return .ok(
            AcquaintanceView(isKnown: try await groups.share(query.userID, query.otherID))
        )
    }
}
