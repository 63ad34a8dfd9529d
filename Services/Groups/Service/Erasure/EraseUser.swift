import ServiceKit
import WalletProtocol

/// Forgets a person; again it finds nothing more.
struct EraseUser: Handler {
    static let endpoint = InternalErasures.groups
    let people: PeopleStore

    func handle(
        _ request: Request<NoQuery, ErasureOrder>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await people.erase(request.body)
        return .noContent
    }
}
