import Crypto
import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes and reads people.
final class UserStore {
    private let database: Database
    private let messages: MessageJobs
    private let sessions: SessionStore
    private let configuration: AuthConfiguration
    private let relayBell: RelayBell

    static let verificationSeconds: Int64 = 86_400
    /// How many names are tried where the one made from the e-mail is taken.
    static let usernameTriesMax = 5

    init(
        database: Database,
        messages: MessageJobs,
        sessions: SessionStore,
        configuration: AuthConfiguration,
        relayBell: RelayBell
    ) {
        self.database = database
        self.messages = messages
        self.sessions = sessions
        self.configuration = configuration
        self.relayBell = relayBell
    }

    /// Writes the person, their first session, the confirmation mail and the event, or nothing.
    func register(
        _ registration: Registration,
        isUsernameChosen: Bool,
        on device: Device
    ) async throws -> (profile: Profile, session: OpenedSession) {
        var registration = registration
        var attempt = 0
        while true {
            attempt += 1
            do {
                let made = try await write(registration, on: device)
                relayBell.ring()
                return made
            } catch let error as DatabaseError {
                switch error.violatedConstraint {
                case "user_account_email_key": throw APIError(.emailTaken)
                case "user_account_phone_key": throw APIError(.phoneTaken)
                case "user_account_username_key":
                    guard !isUsernameChosen, attempt < Self.usernameTriesMax else {
                        throw APIError(.usernameTaken)
                    }
                    var random = SystemRandomNumberGenerator()
                    registration.username = Username.made(
                        from: registration.email,
                        suffix: UInt32.random(in: 1_000...9_999_999, using: &random)
                    )
                    registration.usernameFolded = TextFolding.caseFolded(registration.username)
                default: throw error
                }
            }
        }
    }

    private func write(
        _ registration: Registration,
        on device: Device
    ) async throws -> (profile: Profile, session: OpenedSession) {
        let key = try await sessions.signingKey()
        return try await database.transaction { [self] transaction in
            try await insert(registration, in: transaction)
            try await sendVerification(registration, in: transaction)
            guard
                let profile = try await transaction.queryOne(
                    UserStatements.profile,
                    registration.id
                ),
                let credential = try await transaction.queryOne(
                    UserStatements.credentialByID,
                    registration.id
                )
            else { throw APIError(.internalError) }
            let session = try await sessions.open(
                for: credential,
                on: device,
                methods: ["pwd"],
                signedWith: key,
                in: transaction
            )
            try await announce(profile, in: transaction)
            return (profile, session)
        }
    }

    /// Writes a person whom an operator makes: no session, no mail.
    func create(_ registration: Registration) async throws {
        try await database.transaction { [self] transaction in
            try await insert(registration, in: transaction)
            try await transaction.execute(UserStatements.markVerified, registration.id)
            guard
                let profile = try await transaction.queryOne(
                    UserStatements.profile,
                    registration.id
                )
            else { throw APIError(.internalError) }
            try await announce(profile, in: transaction)
        }
    }

    private func insert(
        _ registration: Registration,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            UserStatements.insert,
            registration.id,
            registration.email.text,
            registration.email.folded,
            registration.username,
            registration.usernameFolded,
            registration.passwordHash,
            registration.firstName,
            registration.lastName,
            registration.dateOfBirth,
            registration.phone,
            registration.area,
            registration.currency,
            registration.language,
            registration.timeZone,
            registration.roles.map(\.rawValue)
        )
    }

    private func sendVerification(
        _ registration: Registration,
        in transaction: Transaction
    ) async throws {
        let token = randomBytes(32)
        try await transaction.execute(
            UserStatements.insertVerification,
            SHA256.digest(token),
            registration.id,
            registration.email.text,
            Instant.now().adding(seconds: Self.verificationSeconds)
        )
        let link =
            configuration.publicURL + "/verify-email?token=" + Crypto.Base64URL.encode(token)
        try await messages.add(
            .emailConfirmation,
            by: .email,
            to: registration.email.text,
            language: registration.language,
            user: registration.id,
            parameters: ["link": link],
            lifeSeconds: Self.verificationSeconds,
            in: transaction
        )
    }

    private func announce(_ profile: Profile, in transaction: Transaction) async throws {
        let event = UserRegistered(
            userID: profile.id,
            username: profile.username,
            email: profile.email,
            firstName: profile.firstName,
            lastName: profile.lastName,
            dateOfBirth: profile.dateOfBirth,
            area: profile.area,
            language: profile.language,
            timeZone: profile.timeZone,
            currency: profile.currency,
            registeredAt: profile.createdAt
        )
        try await Outbox.append(event, of: "user:\(profile.id.text)", in: transaction)
    }

    /// Proves the address that a link was mailed to.
    /// - Returns: whether it was done before under the same key.
    func verifyEmail(token: String, key: IdempotencyScope?) async throws -> Bool {
        guard let bytes = Crypto.Base64URL.decode(token.utf8), bytes.count == 32 else {
            throw APIError.notFound
        }
        let hash = SHA256.digest(bytes)
        let isRepeated: Bool
        do {
            isRepeated = try await database.transaction { [self] transaction in
                if case .done = try await IdempotencyKeys.claim(key, in: transaction) {
                    return true
                }
                guard
                    let user = try await transaction.queryOne(
                        UserStatements.useVerification,
                        hash
                    )
                else { throw UnusableLink() }
                try await transaction.execute(UserStatements.markVerified, user)
                guard
                    let profile = try await transaction.queryOne(UserStatements.profile, user)
                else { throw UnusableLink() }
                try await announceChange(profile, in: transaction)
                try await IdempotencyKeys.record(user.text, for: key, in: transaction)
                return false
            }
        } catch is UnusableLink {
            let isKnown = try await database.queryOne(UserStatements.verificationExists, hash)
            throw isKnown == nil ? APIError.notFound : APIError(.linkExpired)
        }
        relayBell.ring()
        return isRepeated
    }

    /// A link that was used, has ended or never was.
    private struct UnusableLink: Error {}

    private func announceChange(_ profile: Profile, in transaction: Transaction) async throws {
        let event = UserChanged(
            userID: profile.id,
            username: profile.username,
            email: profile.email,
            emailVerified: profile.emailIsVerified,
            phone: profile.phone,
            firstName: profile.firstName,
            lastName: profile.lastName,
            dateOfBirth: profile.dateOfBirth,
            area: profile.area,
            language: profile.language,
            timeZone: profile.timeZone,
            currency: profile.currency,
            enabled: profile.isEnabled
        )
        try await Outbox.append(event, of: "user:\(profile.id.text)", in: transaction)
    }

    func profile(_ id: ID<User>) async throws -> Profile? {
        try await database.queryOne(UserStatements.profile, id)
    }

    func profile(username: String) async throws -> Profile? {
        try await database.queryOne(
            UserStatements.profileByUsername,
            TextFolding.caseFolded(username)
        )
    }

    func profile(email: String) async throws -> Profile? {
        try await database.queryOne(UserStatements.profileByEmail, email.lowercased())
    }
}
