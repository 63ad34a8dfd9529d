import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What auth does by itself: on every loop, or on loop 0 of each replica.
func addWorkers(to service: ServiceLoop, _ parts: AuthParts) {
    let messages = parts.messages
    service.addPeriodicWorker("messages", everyMilliseconds: 500, wokenBy: messages.bell) {
        while try await messages.handOver() > 0 {}
    }
    guard service.isFirst else { return }
    addWorkersOnPeople(to: service, parts)
    let (rotation, days) = (parts.keys.rotation, parts.configuration.signingKeyDays)
    service.addPeriodicWorker("signing keys", everyMilliseconds: 60_000) {
        try await rotation.runSchedule(days: days)
    }
    let sealer = parts.auditSealer(service)
    service.addPeriodicWorker("audit chain", everyMilliseconds: 250) { try await sealer.run() }
    addSealWorker(to: service, parts.configuration)
    let cleanUp = CleanUp(database: service.database, logger: service.logger)
    service.addPeriodicWorker("clean-up", everyMilliseconds: 60_000) { await cleanUp.run() }
}

private func addWorkersOnPeople(to service: ServiceLoop, _ parts: AuthParts) {
    let (profiles, pending) = (parts.profiles, parts.pending)
    service.addPeriodicWorker("profiles", everyMilliseconds: 30_000) {
        try await pending.settleDue()
        try await profiles.addSkeletons()
    }
    let erasures = parts.erasureWork(service)
    for _ in 0..<ErasureWork.workers {
        service.addPeriodicWorker("erasures", everyMilliseconds: 500) {
            while try await erasures.doOne() {}
        }
    }
    let exports = ExportWork(service, store: parts.exports, messages: parts.messages)
    service.addPeriodicWorker("exports", everyMilliseconds: 1_000) {
        while try await exports.doOne() {}
    }
    let database = service.database
    service.addPeriodicWorker("old exports", everyMilliseconds: 60_000) {
        try await database.execute(ExportStatements.deleteExpired)
    }
}

extension AuthParts {
    /// Erases whoever asked for it.
    func erasureWork(_ service: ServiceLoop) -> ErasureWork {
        ErasureWork(service, store: erasures, audit: audit, configuration: configuration)
    }

    /// Appends the audit log's blocks, each told as an event for whoever keeps heads.
    func auditSealer(_ service: ServiceLoop) -> ChainSealer {
        let keys = keys
        return ChainSealer(
            AuditChain(log: audit, database: service.database),
            database: service.database,
            proofKeys: configuration.auditKeys,
            signingKey: { try await keys.signingKey() },
            announce: { head, transaction in
                try await Outbox.append(AuditSealed(head: head), of: "audit:log", in: transaction)
            }
        )
    }

    /// Walks the audit log's blocks.
    func auditVerifier(_ service: ServiceLoop) -> ChainVerifier {
        ChainVerifier(
            AuditChain(log: audit, database: service.database),
            database: service.database,
            proofKeys: configuration.auditKeys
        )
    }
}
