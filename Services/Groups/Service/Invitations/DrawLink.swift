import QRCodes
import ServiceKit
import WalletProtocol

/// A link to a group as a QR code.
struct DrawLink: Handler {
    static let endpoint = WalletProtocol.Invitations.picture
    let links: LinkStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id("invitationId", of: Invitation.self)
        let link = try await links.find(id, to: request.path.id(), for: caller.user.id)
        return .drawing(of: try QRCode(link.url))
    }
}
