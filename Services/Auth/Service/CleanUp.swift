import Loops
import Postgres
import ServiceKit

/// Deletes what has had its time.
///
/// In pieces of some thousands of rows, so that none outlasts a statement's time limit however much
/// somebody had written; each table by itself, so that one that fails starves no other.
struct CleanUp {
    let database: Database
    let logger: Logger

    /// A table takes so many pieces a run, and then leaves the others their turn.
    static let piecesMax = 200

    static let all: [(table: String, statement: Statement<Void>)] = [
        ("revocation", RevocationStatements.deleteExpired),
        ("failed_log_in", AttemptStatements.deleteOld),
        ("known_network", AttemptStatements.forgetNetworks),
        ("session", SessionStatements.deleteOld),
        ("active_day", ActiveDayStatements.deleteOld),
        ("challenge", ChallengeStatements.deleteOld),
        ("code_budget", BudgetStatements.deleteOld),
        ("used_phone_token", PhoneTokenStatements.deleteOld),
        ("totp", TotpStatements.deletePending),
        ("email_verification", VerificationStatements.deleteOld),
        ("passkey_ceremony", PasskeyStatements.deleteOld),
        ("password_recovery", RecoveryStatements.deleteOld),
        ("sign_in_attempt", IdentityStatements.deleteOldAttempts),
        ("sign_in_code", IdentityStatements.deleteOldCodes),
    ]

    func run() async {
        for (table, statement) in Self.all {
            await attempt(table) {
                var pieces = 0
                while pieces < Self.piecesMax, try await database.execute(statement) > 0 {
                    pieces += 1
                }
            }
        }
        await attempt("idempotency_key") { try await IdempotencyKeys.deleteOld(in: database) }
        // What hashing passwords has kept.
        giveBackFreeMemory()
    }

    private func attempt(_ table: String, _ delete: () async throws -> Void) async {
        do {
            try await delete()
        } catch {
            logger.error("clean-up", [("table", table), ("error", "\(error)")])
        }
    }
}
