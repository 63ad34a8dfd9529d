import Crypto
import ServiceKit
import WalletProtocol

/// Walks the audit log's chain: from nothing, or behind a block that was verified before.
struct VerifyAudit: Handler {
    static let endpoint = Audit.verification
    let verifications: AuditVerificationStore

    func handle(
        _ request: Request<AuditVerificationQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ChainVerification> {
        .ok(
            try await verifications.verify(
                after: Int64(request.query.after),
                saved: Self.savedHead(request.query),
                by: AuditActor(caller),
                from: AuditOrigin(request)
            )
        )
    }

    /// The head that somebody has kept elsewhere: both of it, or nothing.
    private static func savedHead(
        _ query: AuditVerificationQuery
    ) throws(APIError) -> (height: Int64, hash: [UInt8])? {
        switch (query.height, query.hash) {
        case (nil, nil): return nil
        case (let height?, let hash?):
            guard let bytes = bytes(hexadecimal: hash, count: 32) else {
                throw APIError.query("hash", .invalidValue, "64 hexadecimal digits are needed")
            }
            return (Int64(height), bytes)
        default: throw APIError.query("hash", .required, "a saved head is a height and a hash")
        }
    }
}
