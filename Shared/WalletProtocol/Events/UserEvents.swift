/// Somebody has registered, or is told of anew in a snapshot.
public struct UserRegistered: JSONObject, Hashable {
    /// Who.
    public let userID: ID<User>
    /// The public name.
    public let username: String
    /// The address.
    public let email: String
    /// The given name.
    public let firstName: String?
    /// The family name.
    public let lastName: String?
    /// The day of birth.
    public let dateOfBirth: Day?
    /// The region.
    public let area: String?
    /// The language.
    public let language: String
    /// The time zone.
    public let timeZone: String
    /// The currency of the first wallet and of totals.
    public let currency: Currency
    /// When.
    public let registeredAt: Instant
    /// What they may be; who is no user has nothing of their own anywhere.
    public let roles: [Role]

    /// All of it.
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
        roles: [Role] = [.user]
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
    }

    /// The description.
    public static let json = Object(
        UserRegistered.init,
        Field("userId", \.userID),
        Field("username", \.username),
        Field("email", \.email),
        Field("firstName", \.firstName),
        Field("lastName", \.lastName),
        Field("dateOfBirth", \.dateOfBirth),
        Field("area", \.area),
        Field("language", \.language),
        Field("timeZone", \.timeZone),
        Field("currency", \.currency),
        Field("registeredAt", \.registeredAt),
        Field("roles", \.roles, default: [.user])
    )
}

/// A profile has changed; all of it as it is now.
public struct UserChanged: JSONObject, Hashable {
    /// Who.
    public let userID: ID<User>
    /// The public name.
    public let username: String
    /// The address.
    public let email: String
    /// Whether the address is proven.
    public let emailVerified: Bool
    /// The verified phone.
    public let phone: String?
    /// The given name.
    public let firstName: String?
    /// The family name.
    public let lastName: String?
    /// The day of birth.
    public let dateOfBirth: Day?
    /// The region.
    public let area: String?
    /// The language.
    public let language: String
    /// The time zone.
    public let timeZone: String
    /// The currency of totals.
    public let currency: Currency
    /// Whether they may sign in.
    public let enabled: Bool
    /// The day on which a month of theirs begins.
    public let monthStart: Int
    /// What they may be.
    public let roles: [Role]

    /// All of it.
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
        roles: [Role] = [.user]
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
    }

    /// The description.
    public static let json = Object(
        UserChanged.init,
        Field("userId", \.userID),
        Field("username", \.username),
        Field("email", \.email),
        Field("emailVerified", \.emailVerified),
        Field("phone", \.phone),
        Field("firstName", \.firstName),
        Field("lastName", \.lastName),
        Field("dateOfBirth", \.dateOfBirth),
        Field("area", \.area),
        Field("language", \.language),
        Field("timeZone", \.timeZone),
        Field("currency", \.currency),
        Field("enabled", \.enabled),
        Field("monthStart", \.monthStart, default: 1),
        Field("roles", \.roles, default: [.user])
    )
}

/// A person is to be forgotten.
public struct UserErased: JSONObject, Hashable {
    /// Who it was.
    public let userID: ID<User>
    /// When.
    public let erasedAt: Instant

    /// All of it.
    public init(userID: ID<User>, erasedAt: Instant) {
        self.userID = userID
        self.erasedAt = erasedAt
    }

    /// The description.
    public static let json = Object(
        UserErased.init,
        Field("userId", \.userID),
        Field("erasedAt", \.erasedAt)
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
