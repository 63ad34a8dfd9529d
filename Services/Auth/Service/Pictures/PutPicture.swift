import ServiceKit
import WalletProtocol

/// Puts one's own picture in its place.
struct PutPicture: Handler {
    static let endpoint = WalletProtocol.Pictures.put
    let pictures: PictureStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let tag = try await pictures.put(
            request.http,
            of: caller.user.id,
            ifMatch: request.ifMatch
        )
        return Response.noContent.tagged(tag)
    }
}

/// Takes one's own picture away.
struct DeletePicture: Handler {
    static let endpoint = WalletProtocol.Pictures.delete
    let pictures: PictureStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await pictures.remove(of: caller.user.id, ifMatch: request.ifMatch)
        return .noContent
    }
}
