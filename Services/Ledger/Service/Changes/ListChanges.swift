import Postgres
import ServiceKit
import WalletProtocol

/// What has changed behind a cursor, page by page.
struct ListChanges: Handler {
    static let endpoint = Changes.list
    let database: Database
    let people: People

    func handle(
        _ request: Request<ChangeQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ChangePage> {
        let user = caller.user.id
        let since = try request.query.since?.decode(ChangePlace.self, from: "since")
        if let since, since.user != user || !since.isWellFormed {
            throw APIError.query("since", .invalidCursor, "is no cursor of your changes")
        }
        _ = try await people.person(user)
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
        let page = try await reader.page(request.query.limit)
        let next = ChangePlace(
            user: user,
            epoch: now.epoch,
            floor: page.next == nil ? reader.round.next : floor,
            round: page.next
        )
        return .ok(ChangePage(items: page.items, next: Cursor(next), more: page.next != nil))
    }
}
