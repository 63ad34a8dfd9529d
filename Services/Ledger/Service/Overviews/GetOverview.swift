import ServiceKit
import WalletProtocol

/// How somebody stands, for those who look after them.
struct GetOverview: Handler {
    static let endpoint = InternalOverviews.get
    let overviews: OverviewReader

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Overview> {
        .ok(try await overviews.read(request.path.id("userId")))
    }
}
