import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Appends the journal's blocks, each with what the system's accounts come to, and told as an
/// event for whoever keeps heads.
func makeJournalSealer(
    _ configuration: LedgerConfiguration,
    database: Database,
    leaseSeconds: Double = ChainSealer.leaseSeconds
) -> ChainSealer {
    let key = JournalKey(database: database, seal: configuration.journalSeal)
    return ChainSealer(
        JournalChain(database: database),
        database: database,
        proofKeys: configuration.journalProofKeys,
        leaseSeconds: leaseSeconds,
        signingKey: { try await key.key() },
        announce: { head, transaction in
            _ = try await transaction.queryOne(JournalStatements.lookUpsAlone)
            try await transaction.execute(JournalStatements.addSums, head.chain, head.height)
            try await Outbox.append(JournalSealed(head: head), of: "journal:log", in: transaction)
        }
    )
}
