import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Lets somebody in again who has forgotten the password, by a code in their mailbox.
///
/// A recovery is open → answered by the right code (three tries, nothing is sent again) → used by
/// the new password; or it expires, or another one of the account was used. Where nobody has the
/// address a recovery is written that no code answers, with a mail that is never handed over.
final class RecoveryStore {
    private let database: Database
    private let messages: MessageJobs
    private let passwords: PasswordStore
    private let profiles: ProfileStore
    private let configuration: AuthConfiguration
    private let budget: CodeBudget

    /// How long a code is good, where its owner asked for it.
    static let lifeSeconds: Int64 = 900
    /// How long a code is good that an administrator had sent.
    static let invitedLifeSeconds: Int64 = 86_400
    static let tokenSeconds: Int64 = 900
    static let triesMax = 3
    /// More digits than a log-in's code has, for this one stands alone.
    static let digits = 8

    init(
        database: Database,
        messages: MessageJobs,
        passwords: PasswordStore,
        profiles: ProfileStore,
        configuration: AuthConfiguration
    ) {
        self.database = database
        self.messages = messages
        self.passwords = passwords
        self.profiles = profiles
        self.configuration = configuration
        budget = CodeBudget(configuration: configuration)
    }

    /// Begins a recovery by an address, known or not.
    ///
    /// Too many for one address are answered alike and send nothing; too many from one line are
    /// refused.
    func begin(email: EmailAddress, from address: String) async throws -> RecoveryView {
        let client = ClientNetwork(address)
        let most = Int32(clamping: configuration.codesPerAddressMax)
        // Cannot wrap: a million at most, by the variable's range.
        let asked: [(subject: CodeBudget.Subject, most: Int32)] = [
            (.line("recovery:" + client.line), most),
            (.network("recovery:" + client.network), most &* 4),
        ]
        let view = RecoveryView(
            id: .new(),
            expiresAt: Instant.now().adding(seconds: Self.lifeSeconds)
        )
        let user = try await database.queryOne(RecoveryStatements.find, email.folded)
        let isKnown = try await isKnown(user, email, at: address)
        try await database.transaction { [self] transaction in
            if let until = try await budget.take(asked, in: transaction) {
                throw APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
            }
            let bounds = CodeBudget.Asker.all(client).map { asker in
                (
                    subject: CodeBudget.Subject.recovery(
                        email.folded,
                        isKnown ? .known(asker) : asker
                    ),
                    most: asker.most(ofAll: CodeBudget.recoveryMax)
                )
            }
            let isFull = try await budget.takeInTurn(bounds, in: transaction) != nil
            try await write(
                view,
                for: isFull ? nil : user,
                lifeSeconds: Self.lifeSeconds,
                in: transaction
            )
        }
        return view
    }

    /// Whether the account has signed in on the line lately.
    ///
    /// What its owner asks for there no stranger uses up. It is looked up alike for who is nobody.
    private func isKnown(
        _ user: ID<User>?,
        _ email: EmailAddress,
        at address: String
    ) async throws -> Bool {
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        return try await attempts.knows(
            user.map { .user($0) } ?? .nobody(folded: email.folded),
            at: address
        )
    }

    /// Begins a recovery for a person, which mails them alone (an administrator asks for it, or has
    /// made the account).
    func begin(
        for user: ID<User>,
        lifeSeconds: Int64 = invitedLifeSeconds,
        in transaction: Transaction
    ) async throws -> RecoveryView {
        let view = RecoveryView(
            id: .new(),
            expiresAt: Instant.now().adding(seconds: lifeSeconds)
        )
        try await write(view, for: user, lifeSeconds: lifeSeconds, in: transaction)
        return view
    }

    /// The same in a transaction of its own.
    func begin(for user: ID<User>) async throws -> RecoveryView {
        try await database.transaction { [self] transaction in
            try await begin(for: user, in: transaction)
        }
    }

    /// One row and one message, whoever it is for.
    private func write(
        _ view: RecoveryView,
        for user: ID<User>?,
        lifeSeconds: Int64,
        in transaction: Transaction
    ) async throws {
        let code = ChallengeStore.newCode(digits: Self.digits)
        // For nobody too, though nothing is made of it: it takes its time.
        let hash = hashes(code, of: view.id).made
        let credential = try await transaction.queryOne(
            UserStatements.credentialByID,
            user ?? .new()
        )
        try await transaction.execute(
            RecoveryStatements.insert,
            view.id,
            credential?.user,
            credential == nil ? randomBytes(32) : hash,
            view.expiresAt
        )
        try await messages.add(
            .recoveryCode,
            by: .email,
            to: credential?.email ?? "nobody@nowhere.invalid",
            language: credential?.language ?? "en",
            user: credential?.user,
            parameters: [
                "code": code,
                "minutes": String(lifeSeconds / 60),
                "link": "\(configuration.publicURL)/recover-password?id=\(view.id.text)",
            ],
            // Over before it begins: it is deleted unsent.
            lifeSeconds: credential == nil ? -60 : lifeSeconds,
            in: transaction
        )
    }

    /// Takes the mailed code.
    /// - Returns: the token by which the password is set.
    /// - Throws: 404, 409 `recovery-expired`, 422 `wrong-code`.
    func answer(_ id: ID<PasswordRecovery>, _ code: String) async throws -> RecoveryProof {
        guard let open = try await database.queryOne(RecoveryStatements.countAttempt, id) else {
            throw APIError.notFound
        }
        let triesLeft = Self.triesMax - Int(open.attempts)
        guard open.isOpen, triesLeft >= 0 else { throw APIError(.recoveryExpired) }
        guard hashes(code, of: id).hold(open.codeHMAC), open.user != nil else {
            guard triesLeft > 0 else { throw APIError(.recoveryExpired) }
            throw APIError(
                .wrongCode,
                members: [JSONMember("triesLeft", .integer(Int64(triesLeft)))]
            )
        }
        let token = randomBytes(32)
        let expiresAt = Instant.now().adding(seconds: Self.tokenSeconds)
        guard
            try await database.queryOne(
                RecoveryStatements.answer,
                id,
                SHA256.digest(token),
                expiresAt
            ) != nil
        else { throw APIError(.recoveryExpired) }
        return RecoveryProof(
            recoveryToken: Base64URL.encode(token),
            expiresAt: expiresAt
        )
    }

    /// Sets the password; all sessions end, and the address is proved by the code.
    ///
    /// Whatever else signs in, or proves who one is, goes where it may be an intruder's: all of it
    /// where no address of the account was ever proved, else what is younger than seven days and
    /// than an address that an administrator gave it.
    /// - Throws: 404, 409 `recovery-expired`, 422 with the field, or `same-password`.
    func finish(_ id: ID<PasswordRecovery>, _ body: RecoveredPassword) async throws {
        let hash = SHA256.digest(
            Base64URL.decode(body.recoveryToken.utf8) ?? Array(body.recoveryToken.utf8)
        )
        guard
            let user = try await database.queryOne(RecoveryStatements.holder, id, hash) ?? nil,
            var credential = try await database.queryOne(UserStatements.credentialByID, user)
        else {
            guard try await database.queryOne(RecoveryStatements.exists, id) != nil else {
                throw APIError.notFound
            }
            throw APIError(.recoveryExpired)
        }
        let password = try await passwords.hash(
            body.newPassword,
            again: body.confirmPassword,
            replacing: credential.passwordHash,
            of: user
        )
        // By the code, so that its owner is told.
        credential.emailIsVerified = true
        try await profiles.committing { [self, credential] transaction in
            // The person first: another recovery of theirs ends this one, or the other way round.
            let old = try await profiles.locked(user, in: transaction)
            guard try await transaction.queryOne(RecoveryStatements.use, id, hash) != nil else {
                throw APIError(.recoveryExpired)
            }
            let isCleared =
                try await transaction.queryOne(RecoveryStatements.clear, user) ?? false
            guard
                try await passwords.set(
                    password,
                    for: credential,
                    keeping: nil,
                    telling: isCleared ? .passwordRecoveredAnew : .passwordRecovered,
                    in: transaction
                )
            else { throw APIError(.recoveryExpired) }
            guard isCleared || !old.emailIsVerified else { return }
            try await transaction.execute(ProfileStatements.markVerified, user)
            let profile = try await profiles.read(user, in: transaction)
            try await profiles.announce(profile, in: transaction)
        }
    }

    private func hashes(_ code: String, of id: ID<PasswordRecovery>) -> CodeHashes {
        CodeHashes(of: id.bytes + Array(code.utf8), keys: configuration.recoveryKeys)
    }
}
