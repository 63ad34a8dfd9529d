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
    /// What asks for it goes on without a link, which can be asked for once more: strangers who
    /// fill a mailbox keep nobody out.
    /// - Parameter line: from where it is asked for; nil: nobody asks.
    /// - Returns: nil, or until when nothing is mailed, for the mailbox has had many.
    @discardableResult
    func send(
        to email: String,
        of user: ID<User>,
        language: String,
        askedFrom line: String?,
        in transaction: Transaction
    ) async throws -> Instant? {
        let askers = line.map { CodeBudget.Asker.all(ClientNetwork($0)) } ?? [.anybody]
        let bounds = askers.map { asker in
            (
                subject: CodeBudget.Subject.links(to: email, asker),
                most: asker.most(ofAll: CodeBudget.linksMax)
            )
        }
        if let until = try await budget.takeInTurn(bounds, in: transaction) { return until }
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
                "link": publicURL + "/verify-email?token=" + Base64URL.encode(token)
            ],
            lifeSeconds: Self.lifeSeconds,
            in: transaction
        )
        return nil
    }
}
