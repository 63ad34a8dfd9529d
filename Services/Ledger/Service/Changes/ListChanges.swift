import ServiceKit
import WalletProtocol

/// What has changed behind a cursor, page by page.
struct ListChanges: Handler {
    static let endpoint = Changes.list
    let changes: ChangeStore
    let people: People

    func handle(
        _ request: Request<ChangeQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ChangePage> {
        let user = caller.user.id
        let since = try ChangePlace.read(request.query.since, of: user)
        _ = try await people.person(user)
        return .ok(try await changes.page(of: user, since: since, request.query.limit))
    }
}
