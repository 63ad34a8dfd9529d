import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Makes a user and their first session at once.
struct RegisterUser: Handler {
    static let endpoint = Users.register
    let users: UserStore
    let blocking: BlockingPool
    let database: Database
    let mailChecks: MailDomainCheck
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, Unjudged<NewUser>>,
        as caller: Caller
    ) async throws -> Response<RegistrationView> {
        let body = request.body.body
        // Here alone it is told which names are taken: not to who asks for many.
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        try await spend(from: request.clientAddress)
        let draft = try await checked(request.body)
        let password = body.password
        let hash = try await blocking.run { password.map { PasswordHash.make($0) } }
        var registration = draft.registration(passwordHash: hash)
        registration.identity = body.registrationToken.map {
            SignInProof(code: $0, verifier: body.codeVerifier, of: request)
        }
        let isUsernameChosen = body.username != nil
        let made = try await attempts.counting(.taken(request.clientAddress)) { [users] in
            try await users.register(
                registration,
                isUsernameChosen: isUsernameChosen,
                on: Device(request)
            )
        }
        try await attempts.know(made.profile.id, at: request.clientAddress)
        let answer = SessionAnswer(made.session, for: request, configuration: configuration)
        return answer.on(
            .created(
                RegistrationView(
                    user: made.profile.view(sessionExpiresAt: made.session.sessionExpiresAt),
                    session: answer.tokens
                ),
                at: "/v1/users/me"
            )
        )
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
        let password = checks.isWrong("/password") ? nil : sent.body.password
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
