/// Somebody has registered, or is told of anew in a snapshot.
public struct UserRegistered: JSONObject, Hashable {
    public let userID: ID<User>
    public let username: String
    public let email: String
    public let firstName: String?
    public let lastName: String?
    public let dateOfBirth: Day?
    public let area: String?
    public let language: String
    public let timeZone: String
    public let currency: Currency
    public let registeredAt: Instant
    public let roles: [Role]
    public let dateFormat: DateFormat?
    public let version: Int

    public init(
        userID: ID<User>,
        username: String,
        email: String,
        firstName: String? = nil,
        lastName: String? = nil,
        dateOfBirth: Day? = nil,
        area: String? = nil,
        language: String,
        timeZone: String,
        currency: Currency,
        registeredAt: Instant,
        roles: [Role] = [.user],
        dateFormat: DateFormat? = nil,
        version: Int = 0
    ) {
        self.userID = userID
        self.username = username
        self.email = email
        self.firstName = firstName
        self.lastName = lastName
        self.dateOfBirth = dateOfBirth
        self.area = area
        self.language = language
        self.timeZone = timeZone
        self.currency = currency
        self.registeredAt = registeredAt
        self.roles = roles
        self.dateFormat = dateFormat
        self.version = version
    }

    public static let json = Object(
        UserRegistered.init,
        Field("userId", \.userID, about: "Who."),
        Field("username", \.username, about: "The public name."),
        Field("email", \.email, about: "The address."),
        Field("firstName", \.firstName, about: "The given name."),
        Field("lastName", \.lastName, about: "The family name."),
        Field("dateOfBirth", \.dateOfBirth, about: "The day of birth."),
        Field("area", \.area, about: "The region."),
        Field("language", \.language, about: "The language."),
        Field("timeZone", \.timeZone, about: "The time zone."),
        Field("currency", \.currency, about: "The currency of the first wallet and of totals."),
        Field("registeredAt", \.registeredAt, about: "When."),
        Field(
            "roles",
            \.roles,
            default: [.user],
            about: "What they may be; who is no user has nothing of their own anywhere."
        ),
        Field("dateFormat", \.dateFormat, about: "How they write days."),
        Field("version", \.version, default: 0, about: "The profile's version.")
    )
}

/// A profile has changed; all of it as it is now.
public struct UserChanged: JSONObject, Hashable {
    public let userID: ID<User>
    public let username: String
    public let email: String
    public let emailVerified: Bool
    public let phone: String?
    public let firstName: String?
    public let lastName: String?
    public let dateOfBirth: Day?
    public let area: String?
    public let language: String
    public let timeZone: String
    public let currency: Currency
    public let enabled: Bool
    public let monthStart: Int
    public let roles: [Role]
    public let dateFormat: DateFormat?
    public let version: Int

    public init(
        userID: ID<User>,
        username: String,
        email: String,
        emailVerified: Bool,
        phone: String? = nil,
        firstName: String? = nil,
        lastName: String? = nil,
        dateOfBirth: Day? = nil,
        area: String? = nil,
        language: String,
        timeZone: String,
        currency: Currency,
        enabled: Bool,
        monthStart: Int = 1,
        roles: [Role] = [.user],
        dateFormat: DateFormat? = nil,
        version: Int = 0
    ) {
        self.userID = userID
        self.username = username
        self.email = email
        self.emailVerified = emailVerified
        self.phone = phone
        self.firstName = firstName
        self.lastName = lastName
        self.dateOfBirth = dateOfBirth
        self.area = area
        self.language = language
        self.timeZone = timeZone
        self.currency = currency
        self.enabled = enabled
        self.monthStart = monthStart
        self.roles = roles
        self.dateFormat = dateFormat
        self.version = version
    }

    public static let json = Object(
        UserChanged.init,
        Field("userId", \.userID, about: "Who."),
        Field("username", \.username, about: "The public name."),
        Field("email", \.email, about: "The address."),
        Field("emailVerified", \.emailVerified, about: "Whether the address is proven."),
        Field("phone", \.phone, about: "The verified phone."),
        Field("firstName", \.firstName, about: "The given name."),
        Field("lastName", \.lastName, about: "The family name."),
        Field("dateOfBirth", \.dateOfBirth, about: "The day of birth."),
        Field("area", \.area, about: "The region."),
        Field("language", \.language, about: "The language."),
        Field("timeZone", \.timeZone, about: "The time zone."),
        Field("currency", \.currency, about: "The currency of totals."),
        Field("enabled", \.enabled, about: "Whether they may sign in."),
        Field(
            "monthStart",
            \.monthStart,
            default: 1,
            about: "The day on which a month of theirs begins."
        ),
        Field("roles", \.roles, default: [.user], about: "What they may be."),
        Field("dateFormat", \.dateFormat, about: "How they write days."),
        Field("version", \.version, default: 0, about: "The profile's version.")
    )
}

/// A person is to be forgotten.
public struct UserErased: JSONObject, Hashable {
    public let userID: ID<User>
    public let erasedAt: Instant

    public init(userID: ID<User>, erasedAt: Instant) {
        self.userID = userID
        self.erasedAt = erasedAt
    }

    public static let json = Object(
        UserErased.init,
        Field("userId", \.userID, about: "Who it was."),
        Field("erasedAt", \.erasedAt, about: "When.")
    )
}

extension UserRegistered: EventBody {
    /// `user.registered`.
    public static let eventType = "user.registered"
}

extension UserChanged: EventBody {
    /// `user.changed`.
    public static let eventType = "user.changed"
}

extension UserErased: EventBody {
    /// `user.erased`.
    public static let eventType = "user.erased"
}
