import Postgres
import ServiceKit
import WalletProtocol

/// Tells what has changed for somebody since a place, in rounds (see `ChangeReader`).
struct ChangeStore {
    let database: Database

    /// A page behind a place, or the first of a first load.
    /// - Throws: `resync-required` for a place in another life of the database.
    func page(
        of user: ID<User>,
        since: ChangePlace?,
        _ limit: Int
    ) async throws -> ChangePage {
        // Before anything is read: whatever is not seen below is at or above it.
        guard let now = try await database.queryOne(ChangeStatements.horizon) else {
            throw APIError(.internalError)
        }
        if let since, since.epoch != now.epoch || since.highest > now.end {
            throw APIError(.resyncRequired)
        }
        let floor = since?.floor ?? 0
        let reader = ChangeReader(
            database: database,
            user: user,
            floor: floor,
            round: since?.round
                ?? ChangeRound(
                    next: now.floor,
                    end: now.end,
                    stage: .first,
                    position: .start(floor)
                )
        )
        let page = try await reader.page(limit)
        let next = ChangePlace(
            user: user,
            epoch: now.epoch,
            floor: page.next == nil ? reader.round.next : floor,
            round: page.next
        )
        return ChangePage(items: page.items, next: Cursor(next), more: page.next != nil)
    }
}
