import Postgres
import ServiceKit
import WalletProtocol

/// Forgets a person; again it finds nothing more.
struct EraseUser: Handler {
    static let endpoint = InternalErasures.analytics
    let database: Database

    func handle(
        _ request: Request<NoQuery, ErasureOrder>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let order = request.body
        try await database.transaction { transaction in
            try await ErasedUsers.forgetEvents(by: order, in: transaction)
            try await PeopleEvents.erase(order.userID, at: order.erasedAt, in: transaction)
        }
        // Each chunk commits by itself: what a try has done stays done.
        try await PeopleEvents.eraseFacts(of: order.userID, in: database)
        return .noContent
    }
}
