import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Reads standing orders.
struct StandingOrderStore {
    let database: Database

    /// The newest first.
    func list(_ query: PageQuery, of user: ID<User>) async throws -> Page<StandingOrderView> {
        let last = try query.cursor?.decode(ID<StandingOrder>.self)
        let rows = try await database.query(
            StandingOrderStatements.list,
            user,
            last ?? ID(high: .max, low: .max),
            query.limit + 1
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    func find(_ id: ID<StandingOrder>, of user: ID<User>) async throws -> StandingOrderRow {
        guard let row = try await database.queryOne(StandingOrderStatements.find, user, id) else {
            throw APIError.notFound
        }
        return row
    }

    /// The next ten days, and the last ten.
    func occurrences(
        of id: ID<StandingOrder>,
        of user: ID<User>
    ) async throws -> StandingOrderOccurrences {
        let row = try await find(id, of: user)
        let past = try await database.query(StandingOrderStatements.past, id)
        return StandingOrderOccurrences(
            items: row.order.next(10),
            past: past.compactMap(\.self)
        )
    }
}
