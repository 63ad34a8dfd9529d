import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Walks the audit log's chain: from nothing, or behind a block that was verified before.
struct VerifyAudit: Handler {
    static let endpoint = Audit.verification
    /// How long one answer may take; a longer walk goes on with the next call.
    static let walkNanoseconds: UInt64 = 10_000_000_000
    let database: Database
    let audit: AuditLog
    let proofKeys: [[UInt8]]

    func handle(
        _ request: Request<AuditVerificationQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<ChainVerification> {
        let query = request.query
        var saved: (height: Int64, hash: [UInt8])?
        if let height = query.height, let hash = query.hash {
            guard let bytes = bytes(hexadecimal: hash, count: 32) else {
                throw APIError.query("hash", .invalidValue, "64 hexadecimal digits are needed")
            }
            saved = (Int64(height), bytes)
        } else if (query.height == nil) != (query.hash == nil) {
            throw APIError.query("hash", .required, "a saved head is a height and a hash")
        }
        let verifier = ChainVerifier(
            AuditChain(log: audit, database: database),
            database: database,
            proofKeys: proofKeys
        )
        let verification = try await verifier.verify(
            after: Int64(query.after),
            saved: saved,
            until: monotonicNanoseconds() + Self.walkNanoseconds
        )
        try await audit.append(
            AuditEntry(
                .auditVerified,
                by: AuditActor(caller),
                of: nil,
                detail: [
                    "intact": .bool(verification.isIntact),
                    "from": .integer(verification.verifiedFrom),
                    "to": .integer(verification.verifiedTo),
                ],
                from: AuditOrigin(request)
            ),
            in: database
        )
        return .ok(verification)
    }
}
