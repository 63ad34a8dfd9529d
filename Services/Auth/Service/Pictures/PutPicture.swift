import Crypto
import HTTP
import Pictures
import Postgres
import ServiceKit
import WalletProtocol

/// Puts one's own picture in its place.
struct PutPicture: Handler {
    static let endpoint = WalletProtocol.Pictures.put
    let database: Database
    let configuration: AuthConfiguration
    var room = PictureRoom.shared

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        try await requirePictureTag(request.ifMatch, of: user, in: database)
        let bytes: [UInt8]
        do throws(BodyError) {
            bytes = try await request.http.body(max: WalletProtocol.Pictures.bytesMax)
        } catch {
            switch error {
            case .tooLarge: throw APIError(.bodyTooLarge)
            case .framing: throw APIError(.invalidRequest)
            case .connection: throw APIError(.requestTimeout)
            }
        }
        guard PictureFormat(of: bytes) != nil else {
            throw APIError(.unsupportedMediaType, "a picture is needed: JPEG, PNG or WebP")
        }
        // What says of itself that it is none, or a bomb, costs nothing.
        guard PictureHeader(bytes)?.isModest == true else { throw APIError(.unreadablePicture) }
        let picture = try await render(bytes, of: user)
        let tag = Crypto.Base64URL.encode(SHA256.digest(picture.large).prefix(16))
        try await database.execute(
            PictureStatements.put,
            user,
            picture.large,
            picture.small,
            tag
        )
        return Response.noContent.tagged(tag)
    }

    /// Whoever finds no place has used up none of the hour's.
    private func render(_ bytes: [UInt8], of user: ID<User>) async throws -> RenderedPicture {
        guard room.enter() else { throw APIError(.unavailable, retryAfterSeconds: 2) }
        defer { room.leave() }
        let bound = (subject: CodeBudget.Subject.pictures(of: user), most: CodeBudget.picturesMax)
        let budget = CodeBudget(configuration: configuration)
        if let until = try await budget.take([bound], in: database) {
            throw APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
        }
        do {
            return try await room.render(bytes)
        } catch let failure as RenderedPicture.Failure {
            switch failure {
            case .unreadable: throw APIError(.unreadablePicture)
            case .broken: throw APIError(.internalError)
            }
        }
    }
}

/// Takes one's own picture away.
struct DeletePicture: Handler {
    static let endpoint = WalletProtocol.Pictures.delete
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await requirePictureTag(request.ifMatch, of: caller.user.id, in: database)
        try await database.execute(PictureStatements.delete, caller.user.id)
        return .noContent
    }
}

/// - Throws: 412 where another picture is there than the one that is meant.
private func requirePictureTag(
    _ wanted: EntityTags?,
    of user: ID<User>,
    in database: Database
) async throws {
    guard let wanted else { return }
    guard let tag = try await database.queryOne(PictureStatements.tag, user), wanted.contains(tag)
    else { throw APIError(.preconditionFailed) }
}
