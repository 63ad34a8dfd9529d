import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes and reads people.
final class UserStore {
    private let database: Database
    private let verifications: EmailVerifications
    private let identities: IdentityStore
    private let sessions: SessionStore
    private let relayBell: RelayBell

    /// How many names are tried where the one made from the e-mail is taken.
    static let usernameTriesMax = 5

    init(
        database: Database,
        messages: MessageJobs,
        identities: IdentityStore,
        sessions: SessionStore,
        configuration: AuthConfiguration,
        relayBell: RelayBell
    ) {
        self.database = database
        verifications = EmailVerifications(
            messages: messages,
            configuration: configuration
        )
        self.identities = identities
        self.sessions = sessions
        self.relayBell = relayBell
    }

    /// Writes the person, their first session, the confirmation mail and the event, or nothing.
    func register(
        _ registration: Registration,
        isUsernameChosen: Bool,
        on device: Device
    ) async throws -> (profile: Profile, session: OpenedSession) {
        try await naming(registration, isUsernameChosen) { [self] registration in
            try await write(registration, on: device)
        }
    }

    /// Writes a registration; where its name was made from the e-mail and is taken, under another.
    func naming<Value>(
        _ registration: Registration,
        _ isUsernameChosen: Bool,
        _ write: (Registration) async throws -> Value
    ) async throws -> Value {
        var registration = registration
        var attempt = 0
        while true {
            attempt += 1
            do {
                let made = try await write(registration)
                relayBell.ring()
                return made
            } catch let error as DatabaseError {
                guard let taken = TakenNames(error) else { throw error }
                guard taken.username, !isUsernameChosen, attempt < Self.usernameTriesMax else {
                    let every = try await everyTaken(registration, isUsernameChosen)
                    throw every ?? taken.refusal ?? APIError(.internalError)
                }
                var random = SystemRandomNumberGenerator()
                let name = Username.made(
                    from: registration.email,
                    suffix: UInt32.random(in: 1_000...9_999_999, using: &random)
                )
                guard let username = Username(name) else { throw error }
                registration.username = username
            }
        }
    }

    /// A constraint names the first that is taken; this, all of them.
    private func everyTaken(
        _ registration: Registration,
        _ isUsernameChosen: Bool
    ) async throws -> APIError? {
        try await database.queryOne(
            ProfileStatements.taken,
            registration.id,
            registration.email.folded,
            isUsernameChosen ? registration.username.folded : nil,
            isUsernameChosen ? registration.username.skeleton : nil,
            registration.phone,
            isUsernameChosen ? registration.username.foldedSkeleton : nil
        )?.refusal
    }

    private func write(
        _ registration: Registration,
        on device: Device
    ) async throws -> (profile: Profile, session: OpenedSession) {
        let key = try await sessions.signingKey()
        return try await database.transaction { [self] transaction in
            if let token = registration.phoneToken {
                try await PhoneToken.use(token, in: transaction)
            }
            try await insert(registration, in: transaction)
            try await verify(registration, askedFrom: device.address, in: transaction)
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
            // First of all that is told of them.
            try await announce(profile, in: transaction)
            let session = try await sessions.open(
                for: credential,
                on: device,
                methods: [registration.identity == nil ? "pwd" : "fed"],
                signedWith: key,
                in: transaction
            )
            return (profile, session)
        }
    }

    /// Asks for the address to be confirmed, unless the provider of the person's identity has
    /// verified it.
    private func verify(
        _ registration: Registration,
        askedFrom line: String,
        in transaction: Transaction
    ) async throws {
        if let proof = registration.identity {
            let isVerified = try await identities.claim(
                proof,
                for: registration.id,
                email: registration.email,
                in: transaction
            )
            if isVerified {
                try await transaction.execute(ProfileStatements.markVerified, registration.id)
                return
            }
        }
        try await verifications.send(
            to: registration.email.text,
            of: registration.id,
            language: registration.language,
            askedFrom: line,
            in: transaction
        )
    }

    /// Writes a person whom somebody else makes: no session.
    func create(
        _ registration: Registration,
        isVerified: Bool,
        in transaction: Transaction
    ) async throws -> Profile {
        if let token = registration.phoneToken {
            try await PhoneToken.use(token, in: transaction)
        }
        try await insert(registration, in: transaction)
        if isVerified {
            try await transaction.execute(ProfileStatements.markVerified, registration.id)
        }
        let profile = try await read(registration.id, in: transaction)
        try await announce(profile, in: transaction)
        return profile
    }

    private func read(_ id: ID<User>, in transaction: Transaction) async throws -> Profile {
        guard let profile = try await transaction.queryOne(UserStatements.profile, id) else {
            throw APIError(.internalError)
        }
        return profile
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
            registration.username.text,
            registration.username.folded,
            registration.username.skeleton,
            registration.passwordHash,
            registration.firstName,
            registration.lastName,
            registration.dateOfBirth,
            registration.phone,
            registration.area,
            registration.currency,
            registration.language,
            registration.timeZone,
            registration.roles.map(\.rawValue),
            registration.username.foldedSkeleton
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
            registeredAt: profile.createdAt,
            roles: profile.roles.compactMap { Role(rawValue: $0) },
            dateFormat: profile.dateFormat,
            version: Int(profile.version)
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
        try await database.queryOne(UserStatements.profileByEmail, EmailAddress.lookup(email))
    }
}
