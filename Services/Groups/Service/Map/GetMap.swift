import ServiceKit
import WalletProtocol

/// The configured map service.
struct GetMap: Handler {
    static let endpoint = Maps.get
    let map: MapView

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<MapView> {
        .ok(map)
    }
}
