import Postgres
import ServiceKit
import WalletProtocol

/// Mails that tell somebody that their account's security has changed, within the transaction of
/// the change.
///
/// So many an hour to one person, and to one mailbox whose addresses nobody has proved: whoever
/// registers another's fills no mailbox. What is not mailed fails nothing and is not told.
struct SecurityNotices {
    /// How many an hour of names, and as many of all else.
    static let most: Int32 = 20
    static let lifeSeconds: Int64 = 7 * 86_400

    private let messages: MessageJobs
    private let budget: CodeBudget

    init(messages: MessageJobs, configuration: AuthConfiguration) {
        self.messages = messages
        budget = CodeBudget(configuration: configuration)
    }

    func tell(
        _ change: SecurityChange,
        to credential: Credential,
        in database: some Querying
    ) async throws {
        try await tell(
            change,
            of: credential.user,
            to: credential.email,
            isProved: credential.emailIsVerified,
            language: credential.language,
            in: database
        )
    }

    /// Tells the address that a profile has.
    func tell(
        _ change: SecurityChange,
        to profile: Profile,
        in database: some Querying
    ) async throws {
        try await tell(
            change,
            of: profile.id,
            to: profile.email,
            isProved: profile.emailIsVerified,
            language: profile.language,
            in: database
        )
    }

    private func tell(
        _ change: SecurityChange,
        of user: ID<User>,
        to email: String,
        isProved: Bool,
        language: String,
        in database: some Querying
    ) async throws {
        // Any number of other names hides no new passkey.
        let isOfNames = change == .names || change == .username
        let bound = (subject: CodeBudget.Subject.notices(user, ofNames: isOfNames), most: Self.most)
        guard try await budget.take([bound], in: database) == nil else { return }
        if !isProved {
            let mailbox = (subject: CodeBudget.Subject.unprovedNotices(to: email), most: Self.most)
            guard try await budget.take([mailbox], in: database) == nil else { return }
        }
        try await messages.add(
            .securityNotice,
            by: .email,
            to: email,
            language: language,
            user: user,
            parameters: ["change": change.rawValue],
            lifeSeconds: Self.lifeSeconds,
            in: database
        )
    }
}
