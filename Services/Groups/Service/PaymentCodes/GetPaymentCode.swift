import QRCodes
import ServiceKit
import WalletProtocol

/// What the caller owes a member, for their banking app.
struct GetPaymentCode: Handler {
    static let endpoint = PaymentCodes.get
    let codes: PaymentCodeStore

    func handle(
        _ request: Request<PaymentCodeQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let transfer = try await codes.transfer(
            request.query.amount,
            to: request.path.id("memberId"),
            of: request.path.id(),
            by: caller.user.id
        )
        switch request.query.format {
        case .picture: return .drawing(of: try QRCode(transfer.payload))
        case .text: return .unkept(transfer.payload.utf8, as: request.query.format.mediaType)
        }
    }
}
