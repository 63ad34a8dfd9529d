import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Links that prove an address: mailed, kept as hashes, good once and for a day.
struct EmailVerifications {
    static let lifeSeconds: Int64 = 86_400

    let messages: MessageJobs
    let publicURL: String

    /// Mails a link to an address; who already had links keeps those to the same address alone.
    func send(
        to email: String,
        of user: ID<User>,
        language: String,
        in transaction: Transaction
    ) async throws {
        let token = randomBytes(32)
        try await transaction.execute(
            VerificationStatements.insert,
            SHA256.digest(token),
            user,
            email,
            Instant.now().adding(seconds: Self.lifeSeconds)
        )
        try await messages.add(
            .emailConfirmation,
            by: .email,
            to: email,
            language: language,
            user: user,
            parameters: [
                "link": publicURL + "/verify-email?token=" + Crypto.Base64URL.encode(token)
            ],
            lifeSeconds: Self.lifeSeconds,
            in: transaction
        )
    }
}
