import Text
import WalletProtocol

/// What logging in needs to know of a person.
struct Credential: Sendable {
    let user: ID<User>
    let username: String
    let email: String
    let emailIsVerified: Bool
    let passwordHash: String?
    let roles: [String]
    let generation: Int32
    let isEnabled: Bool
    let phone: String?
    let language: String

    /// The names under which guesses at the account are counted.
    var attempts: [AttemptGuard.Subject] {
        [email, username].map { .account(TextFolding.caseFolded($0)) }
    }
}

/// What a registration writes: names folded, the password hashed.
struct Registration: Sendable {
    let id: ID<User>
    let email: EmailAddress
    var username: String
    var usernameFolded: String
    let passwordHash: String?
    let firstName: String?
    let lastName: String?
    let dateOfBirth: Day?
    let phone: String?
    let area: String?
    let currency: Currency
    let language: String
    let timeZone: String
    let roles: [Role]
}

/// A person as their own profile, and other services, see them.
struct Profile: Sendable {
    let id: ID<User>
    let email: String
    let emailIsVerified: Bool
    let username: String
    let firstName: String?
    let lastName: String?
    let dateOfBirth: Day?
    let phone: String?
    let area: String?
    let currency: Currency
    let language: String
    let timeZone: String
    let theme: String
    let dateFormat: String?
    let monthStart: Int16
    let roles: [String]
    let isEnabled: Bool
    let version: Int32
    let createdAt: Instant

    /// The profile as its owner reads it.
    func view(sessionExpiresAt: Instant?) -> UserView {
        UserView(
            id: id,
            email: email,
            emailVerified: emailIsVerified,
            username: username,
            firstName: firstName,
            lastName: lastName,
            dateOfBirth: dateOfBirth,
            phone: phone,
            area: area,
            language: language,
            timeZone: timeZone,
            currency: currency,
            roles: roles.compactMap { Role(rawValue: $0) },
            createdAt: createdAt,
            sessionExpiresAt: sessionExpiresAt
        )
    }

    /// The profile as services read it.
    var forServices: InternalUser {
        InternalUser(
            id: id,
            username: username,
            email: email,
            emailVerified: emailIsVerified,
            phone: phone,
            firstName: firstName,
            lastName: lastName,
            dateOfBirth: dateOfBirth,
            area: area,
            language: language,
            timeZone: timeZone,
            currency: currency,
            roles: roles.compactMap { Role(rawValue: $0) },
            enabled: isEnabled
        )
    }
}
