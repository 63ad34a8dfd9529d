import Messaging
import ServiceKit
import WalletProtocol

/// The audit log's endpoints, and the worker that seals it.
func addAuditRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    let (database, audit) = (service.database, parts.audit)
    router.add(ListAudit(database: database, audit: audit))
    router.add(
        VerifyAudit(
            database: database,
            audit: audit,
            proofKeys: parts.configuration.auditKeys
        )
    )
    guard service.isFirst else { return }
    let sealer = makeSealer(parts, service)
    service.addPeriodicWorker("audit chain", everyMilliseconds: 250) { try await sealer.run() }
}

/// Appends the audit log's blocks, each told as an event for whoever keeps heads.
func makeSealer(_ parts: AuthParts, _ service: ServiceLoop) -> ChainSealer {
    let keys = parts.keys
    return ChainSealer(
        AuditChain(log: parts.audit, database: service.database),
        database: service.database,
        proofKeys: parts.configuration.auditKeys,
        signingKey: { try await keys.signingKey() },
        announce: { head, transaction in
            try await Outbox.append(AuditSealed(head: head), of: "audit:log", in: transaction)
        }
    )
}
