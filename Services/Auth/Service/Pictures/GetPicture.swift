import HTTP
import ServiceKit
import WalletProtocol

/// A person's picture, to themselves and to those who share something with them.
struct GetPicture: Handler {
    static let endpoint = WalletProtocol.Pictures.get
    let pictures: PictureStore
    let client: InternalClient

    /// Who has no picture: the same for all of them.
    static let icon = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">\
        <rect width="64" height="64" fill="#d5dbe1"/><g fill="#7b8794">\
        <circle cx="32" cy="25" r="11"/><path d="M10 60a22 20 0 0 1 44 0z"/></g></svg>
        """.utf8
    )
    static let iconTag = "icon-1"

    func handle(
        _ request: Request<PictureQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let person = try request.path.id(of: User.self)
        try await requireAcquaintance(of: caller.user.id, with: person)
        let found = try await pictures.find(person, request.query.size)
        return answer(found, to: request.http.head)
    }

    /// Groups knows who is in a group or a family with whom, the ledger who shares a wallet or a
    /// folder; somebody unknown shares nothing.
    private func requireAcquaintance(of user: ID<User>, with person: ID<User>) async throws {
        guard person != user else { return }
        let query = AcquaintanceQuery(userID: user, otherID: person)
        for endpoint in [InternalGroups.acquaintance, InternalWallets.acquaintance] {
            if try await client.call(endpoint, query: query, body: NoBody()).isKnown { return }
        }
        throw APIError.notFound
    }

    private func answer(_ found: PictureStore.Kept?, to head: MessageHead) -> Response<NoView> {
        let tag = found?.tag ?? Self.iconTag
        var response: Response<NoView>
        if head.text(.ifNoneMatch) == "\"\(tag)\"" {
            response = .noContent
            response.status = 304
        } else if let found {
            response = .file(found.bytes, type: "image/jpeg")
        } else {
            response = .file(Self.icon, type: "image/svg+xml")
        }
        response.headers.append("content-security-policy", ContentPolicy.drawing)
        return response.tagged(tag)
    }
}
