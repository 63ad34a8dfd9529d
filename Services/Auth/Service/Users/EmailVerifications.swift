import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Links that prove an address: mailed, kept as hashes, good once and for a day.
struct EmailVerifications {
    static let lifeSeconds: Int64 = 86_400

    private let messages: MessageJobs
    private let publicURL: String
    private let budget: CodeBudget

    init(messages: MessageJobs, configuration: AuthConfiguration) {
        self.messages = messages
        publicURL = configuration.publicURL
        budget = CodeBudget(configuration: configuration)
    }

    /// Mails a link to an address; who already had links keeps those to the same address alone.
    ///
    /// - Throws: 429 `too-many-requests` where the mailbox has had many, whoever asked for them.
    func send(
        to email: String,
        of user: ID<User>,
        language: String,
        in transaction: Transaction
    ) async throws {
        let mailbox = (subject: CodeBudget.Subject.links(to: email), most: CodeBudget.linksMax)
        if let until = try await budget.take([mailbox], in: transaction) {
            throw APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
        }
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
