import ServiceKit
import WalletProtocol

/// Whether two people are in a group together, live, for services.
struct GetAcquaintance: Handler {
    static let endpoint = InternalGroups.acquaintance
    let members: MemberStore

    func handle(
        _ request: Request<AcquaintanceQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<AcquaintanceView> {
        let query = request.query
        return .ok(
            AcquaintanceView(isKnown: try await members.share(query.userID, query.otherID))
        )
    }
}
