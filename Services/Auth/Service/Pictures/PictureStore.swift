import Crypto
import HTTP
import Pictures
import Postgres
import ServiceKit
import WalletProtocol

/// Keeps people's pictures, each rendered anew in two sizes.
struct PictureStore {
    let database: Database
    let configuration: AuthConfiguration
    var room = PictureRoom.shared

    /// One as it is sent.
    struct Kept: Sendable {
        let bytes: [UInt8]
        let tag: String
    }

    /// Nil where there is none.
    func find(_ person: ID<User>, _ size: PictureSize) async throws -> Kept? {
        let statement = size == .small ? PictureStatements.small : PictureStatements.large
        return try await database.queryOne(statement, person)
            .map { Kept(bytes: $0.bytes, tag: "\($0.tag)-\(size.rawValue)") }
    }

    /// Puts one in its place; its tag.
    /// - Throws: 413, 415, `unreadable-picture`, 429 for too many within an hour, 503 where too
    ///   many are rendered.
    func put(_ request: HTTPRequest, of user: ID<User>, ifMatch: EntityTags?) async throws -> String
    {
        try await requireTag(ifMatch, of: user)
        let bytes = try await Self.body(of: request)
        guard PictureFormat(of: bytes) != nil else {
            throw APIError(.unsupportedMediaType, "a picture is needed: JPEG, PNG or WebP")
        }
        // What says of itself that it is none, or a bomb, costs nothing.
        guard PictureHeader(bytes)?.isModest == true else { throw APIError(.unreadablePicture) }
        let picture = try await render(bytes, of: user)
        let tag = Base64URL.encode(SHA256.digest(picture.large).prefix(16))
        try await database.execute(
            PictureStatements.put,
            user,
            picture.large,
            picture.small,
            tag
        )
        return tag
    }

    func remove(of user: ID<User>, ifMatch: EntityTags?) async throws {
        try await requireTag(ifMatch, of: user)
        try await database.execute(PictureStatements.delete, user)
    }

    /// - Throws: 412 where another picture is there than the one that is meant.
    private func requireTag(_ wanted: EntityTags?, of user: ID<User>) async throws {
        guard let wanted else { return }
        guard let tag = try await database.queryOne(PictureStatements.tag, user),
            wanted.contains(tag)
        else { throw APIError(.preconditionFailed) }
    }

    private static func body(of request: HTTPRequest) async throws(APIError) -> [UInt8] {
        do throws(BodyError) {
            return try await request.body(max: WalletProtocol.Pictures.bytesMax)
        } catch {
            switch error {
            case .tooLarge: throw APIError(.bodyTooLarge)
            case .framing: throw APIError(.invalidRequest)
            case .connection: throw APIError(.requestTimeout)
            }
        }
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
