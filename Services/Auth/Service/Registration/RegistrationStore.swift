import Crypto
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Registers people, as many as a line may, and tells which names are taken not to who asks for
/// many.
struct RegistrationStore {
    let users: UserStore
    let blocking: BlockingPool
    let database: Database
    let mailChecks: MailDomainCheck
    let configuration: AuthConfiguration

    /// - Throws: every wrong field at once, a taken name, or 429 for a line that has made many.
    func register(
        _ sent: Unjudged<NewUser>,
        as identity: SignInProof?,
        on device: Device,
        from line: String
    ) async throws -> (profile: Profile, session: OpenedSession) {
        // Here alone it is told which names are taken: not to who asks for many.
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        try await spend(from: line)
        let draft = try await checked(sent)
        let password = draft.password?.normalized
        let hash = try await blocking.run { password.map { PasswordHash.make($0) } }
        var asked = draft.registration(passwordHash: hash)
        asked.identity = identity
        let registration = asked
        let isUsernameChosen = sent.body.username != nil
        let made = try await attempts.counting(.taken(line)) { [users] in
            try await users.register(
                registration,
                isUsernameChosen: isUsernameChosen,
                on: device
            )
        }
        try await attempts.know(made.profile.id, at: line)
        return made
    }

    /// Before anything that costs: looking at the mail's domain, the hash, the mail.
    private func spend(from address: String) async throws {
        let budget = CodeBudget(configuration: configuration)
        let wanted = CodeBudget.ofRegistration(from: address, configuration)
        try await database.transaction { transaction in
            guard let until = try await budget.take(wanted, in: transaction) else { return }
            throw APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
        }
    }

    /// Every wrong field at once, what is slow to look at included.
    private func checked(_ sent: Unjudged<NewUser>) async throws -> RegistrationDraft {
        var checks = FieldChecks(errors: sent.faults)
        let password =
            checks.isWrong("/password")
            ? nil : sent.body.password.map { PasswordText($0).normalized }
        let isCommon = try await blocking.run { password.map(CommonPasswords.contains) == true }
        let draft = RegistrationDraft(
            sent.body,
            isPasswordCommon: isCommon,
            phoneKeys: configuration.phoneKeys,
            &checks
        )
        if let email = draft?.email { await mailChecks.check(email, &checks) }
        try checks.finish()
        guard let draft else { throw APIError(.invalidBody) }
        return draft
    }
}
