import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Looks at somebody who was erased once more, when nothing of them can be under way any longer.
///
/// A replica that was held up while all was deleted may have told of the person afterwards: into
/// the stream behind their last event, into the outbox, or into a service that takes it in late.
/// All that is done here may be done again; a replica that is killed leaves the row to be claimed
/// again.
struct LatePurge {
    let database: Database
    let logger: Logger
    let begun: BegunWork
    /// Has the services forget what came late.
    let tell: (ErasureRow) async throws -> Void
    /// Removes what came late from the stream.
    let purgeStream: (ErasureRow) async throws -> Void

    /// A row that is ours to do until its time.
    struct Turn: Sendable {
        let erasure: ID<Erasure>
        /// Which turn it is: one that took too long has no say any more.
        let number: Int32
    }

    /// Does what has been due for longest.
    /// - Returns: whether there was anything.
    func doOne() async throws -> Bool {
        guard
            let turn = try await database.queryOne(
                LatePurgeStatements.claim,
                ErasureStatements.turnSeconds
            )
        else { return false }
        try await begun.attempt("late purge", turn.erasure) { attempt in
            if attempt.isHopeless {
                try await database.execute(LatePurgeStatements.rest, turn.erasure, turn.number)
            } else {
                try await workOrWait(turn)
            }
        }
        return true
    }

    private func workOrWait(_ turn: Turn) async throws {
        do {
            try await work(turn)
        } catch {
            logger.warning(
                "late purge waits",
                [("erasure", turn.erasure.text), ("cause", String(describing: error))]
            )
            try await database.execute(
                LatePurgeStatements.postpone,
                turn.erasure,
                turn.number
            )
        }
    }

    private func work(_ turn: Turn) async throws {
        guard let erasure = try await database.queryOne(ErasureStatements.find, turn.erasure)
        else { return }
        // The outbox first: nothing comes out of it into the stream that is looked at next.
        try await database.transaction { transaction in
            try await transaction.execute(
                LatePurgeStatements.deleteEvents,
                erasure.user.text,
                erasure.event
            )
            try await MessageJobs.erase(erasure.user, in: transaction)
        }
        try await tell(erasure)
        try await purgeStream(erasure)
        try await database.execute(LatePurgeStatements.delete, turn.erasure, turn.number)
    }
}
