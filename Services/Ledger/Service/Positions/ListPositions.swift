import Postgres
import ServiceKit
import WalletProtocol

/// Where the transactions that a filter leaves were, newest first, page by page.
///
/// It is the list of transactions, of those alone that have a location: who sees what is decided
/// there.
struct ListPositions: Handler {
    static let endpoint = Transactions.positions
    let database: Database

    func handle(
        _ request: Request<PositionQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<PositionPage> {
        let query = request.query.transactions
        let place = try TransactionPlace.of(query.cursor, in: query.sort, isGrouped: false)
        let reader = TransactionFilterReader(database: database, user: caller.user.id)
        guard var filter = try await reader.filter(query) else {
            return .ok(PositionPage(features: [], nextCursor: nil))
        }
        filter.isLocated = true
        let finder = TransactionFinder(database: database, filter: filter, sort: query.sort)
        let found = try await finder.page(behind: place, query.limit)
        return .ok(
            PositionPage(
                features: found.rows.compactMap { PositionFeature($0.row.view) },
                nextCursor: found.next.map { Cursor($0) }
            )
        )
    }
}
