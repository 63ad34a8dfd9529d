import Crypto
import WalletProtocol

/// What a link to a group is opened with.
///
/// Shape: base64url of 16 bytes invitation, 16 bytes of HMAC-SHA-256. Nothing of it is kept;
/// whether it lets in yet is the invitation's to say.
struct LinkToken: Sendable {
    /// The first makes tokens, any of them knows one.
    private let keys: [[UInt8]]
    /// What else of the service is made a secret of: the newest.
    let secret: String
    private let publicURL: String

    /// - Parameter secrets: the newest first, at least one.
    init(secrets: [String], publicURL: String) {
        secret = secrets.first ?? ""
        keys = secrets.map { HMACSHA256.code("invitation link".utf8, key: Array($0.utf8)) }
        self.publicURL = publicURL
    }

    /// The link of an invitation.
    func link(_ id: ID<Invitation>, _ terms: InvitationRow.LinkTerms) -> InvitationLink {
        let token = Base64URL.encode(id.bytes + code(id, keys.first ?? []))
        return InvitationLink(
            url: "\(publicURL)/invitation?token=\(token)",
            token: token,
            usesLeft: terms.usesLeft,
            expiresAt: terms.expiresAt,
            memberID: terms.guest
        )
    }

    /// Whose token it is; nil where it is none of ours.
    func invitation(_ token: String) -> ID<Invitation>? {
        guard token.utf8.count == 43, let bytes = Base64URL.decode(token.utf8), bytes.count == 32,
            let id = ID<Invitation>(bytes: bytes[0..<16])
        else { return nil }
        let told = Array(bytes[16...])
        return keys.contains { equalInConstantTime(code(id, $0), told) } ? id : nil
    }

    private func code(_ id: ID<Invitation>, _ key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(id.bytes, key: key).prefix(16))
    }
}
