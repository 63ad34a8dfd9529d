import Postgres
import ServiceKit
import WalletProtocol

/// Slows down who guesses: per account and per address, held in the database for every replica.
struct LogInGuard {
    /// Failures that cost nothing yet.
    static let freeFailures: Int32 = 5
    let database: Database

    /// - Throws: 429 with the seconds left while either is slowed down.
    func check(account: String, address: String) async throws {
        let subjects = ["account:" + account, "address:" + address]
        guard let until = try await database.query(SessionStatements.block, subjects).first else {
            return
        }
        let seconds = Instant.now().microseconds(to: until) / 1_000_000 + 1
        throw APIError(.lockedOut, retryAfterSeconds: Int(max(1, seconds)))
    }

    func failed(account: String, address: String) async throws {
        // An address may stand for many people: it is let fail four times as often.
        try await database.execute(
            SessionStatements.countFailure,
            ["account:" + account],
            Self.freeFailures
        )
        try await database.execute(
            SessionStatements.countFailure,
            ["address:" + address],
            Self.freeFailures * 4
        )
    }

    func succeeded(account: String) async throws {
        try await database.execute(SessionStatements.forgetFailures, "account:" + account)
    }
}
