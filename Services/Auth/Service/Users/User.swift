import Text
import WalletProtocol

/// What logging in needs to know of a person.
struct Credential: Sendable {
    let user: ID<User>
    let username: String
    let email: String
    var emailIsVerified: Bool
    var passwordHash: String?
    let roles: [String]
    let generation: Int32
    let isEnabled: Bool
    let phone: String?
    let language: String
}

/// A person as their own profile, and other services, see them.
struct Profile: Sendable, Hashable {
    let id: ID<User>
    var email: String
    var emailIsVerified: Bool
    var username: String
    var firstName: String?
    var lastName: String?
    var dateOfBirth: Day?
    var phone: String?
    var area: String?
    var currency: Currency
    var language: String
    var timeZone: String
    var theme: Theme
    var dateFormat: DateFormat?
    var monthStart: Int
    let roles: [String]
    let isEnabled: Bool
    let version: Int32
    let createdAt: Instant
    /// What waits to become the address, or the phone.
    let pendingEmail: String?
    let pendingPhone: String?

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
            sessionExpiresAt: sessionExpiresAt,
            pendingEmail: pendingEmail,
            pendingPhone: pendingPhone,
            theme: theme,
            dateFormat: dateFormat,
            monthStart: monthStart
        )
    }

    /// The profile as administrators read it.
    var forAdministrators: UserView {
        var view = view(sessionExpiresAt: nil)
        view.isEnabled = isEnabled
        return view
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
            enabled: isEnabled,
            monthStart: monthStart,
            dateFormat: dateFormat,
            version: Int(version)
        )
    }

    /// The profile as an event tells it.
    var changed: UserChanged {
        UserChanged(
            userID: id,
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
            enabled: isEnabled,
            monthStart: monthStart,
            roles: roles.compactMap { Role(rawValue: $0) },
            dateFormat: dateFormat,
            version: Int(version)
        )
    }
}
