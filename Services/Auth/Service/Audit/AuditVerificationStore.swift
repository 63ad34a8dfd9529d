import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Verifies the audit log, which tells of that, too.
struct AuditVerificationStore {
    /// How long one answer may take; a longer walk goes on with the next call.
    static let walkNanoseconds: UInt64 = 10_000_000_000
    let database: Database
    let audit: AuditLog
    let proofKeys: [[UInt8]]

    func verify(
        after place: Int64,
        saved: (height: Int64, hash: [UInt8])?,
        by actor: AuditActor,
        from origin: AuditOrigin
    ) async throws -> ChainVerification {
        let verifier = ChainVerifier(
            AuditChain(log: audit, database: database),
            database: database,
            proofKeys: proofKeys
        )
        let verification = try await verifier.verify(
            after: place,
            saved: saved,
            until: monotonicNanoseconds() + Self.walkNanoseconds
        )
        try await audit.append(
            AuditEntry(
                .auditVerified,
                by: actor,
                of: nil,
                detail: [
                    "intact": .bool(verification.isIntact),
                    "from": .integer(verification.verifiedFrom),
                    "to": .integer(verification.verifiedTo),
                ],
                from: origin
            ),
            in: database
        )
        return verification
    }
}
