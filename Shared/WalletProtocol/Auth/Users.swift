/// What somebody registers with.
public struct NewUser: JSONObject, Hashable {
    /// The address that mails go to; verified by one of them.
    public let email: String
    /// The password; or `registrationToken`.
    public let password: String?
    /// The password again, where the form asks twice.
    public let confirmPassword: String?
    /// The public name; made from the e-mail where left out.
    public let username: String?
    /// The given name.
    public let firstName: String?
    /// The family name.
    public let lastName: String?
    /// The day of birth.
    public let dateOfBirth: Day?
    /// The currency of the first wallet and of totals; the area's, else EUR.
    public let currency: Currency?
    /// The region of ISO 3166-1 or 3166-2.
    public let area: String?
    /// The language of BCP 47.
    public let language: String?
    /// The IANA time zone.
    public let timeZone: String?
    /// A phone, proved by `phoneToken`.
    public let phone: String?
    /// The proof that a code on that phone gave.
    public let phoneToken: String?
    /// What an identity provider's callback gave, in place of the password.
    public let registrationToken: String?
    /// Of a native client, beside `registrationToken` (RFC 7636).
    public let codeVerifier: String?

    /// All of it.
    public init(
        email: String,
        password: String? = nil,
        confirmPassword: String? = nil,
        username: String? = nil,
        firstName: String? = nil,
        lastName: String? = nil,
        dateOfBirth: Day? = nil,
        currency: Currency? = nil,
        area: String? = nil,
        language: String? = nil,
        timeZone: String? = nil,
        phone: String? = nil,
        phoneToken: String? = nil,
        registrationToken: String? = nil,
        codeVerifier: String? = nil
    ) {
        self.email = email
        self.password = password
        self.confirmPassword = confirmPassword
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
        self.dateOfBirth = dateOfBirth
        self.currency = currency
        self.area = area
        self.language = language
        self.timeZone = timeZone
        self.phone = phone
        self.phoneToken = phoneToken
        self.registrationToken = registrationToken
        self.codeVerifier = codeVerifier
    }

    /// The description.
    public static let json = Object(
        NewUser.init,
        Field("email", \.email, .email),
        Field("password", \.password, .secret(8...Passwords.charactersMax)),
        Field("confirmPassword", \.confirmPassword, .secret(0...Passwords.charactersMax)),
        Field("username", \.username, .line(0...256)),
        Field("firstName", \.firstName, .line(1...80)),
        Field("lastName", \.lastName, .line(1...80)),
        Field("dateOfBirth", \.dateOfBirth),
        Field("currency", \.currency),
        Field("area", \.area, .line(0...64)),
        Field("language", \.language, .line(0...64)),
        Field("timeZone", \.timeZone, .line(0...64)),
        Field("phone", \.phone, .line(0...64)),
        Field("phoneToken", \.phoneToken, .line(1...256)),
        Field("registrationToken", \.registrationToken, .line(1...128)),
        Field("codeVerifier", \.codeVerifier, .line(43...128))
    )
}

/// A user as they see themselves.
public struct UserView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<User>
    /// The address.
    public let email: String
    /// Whether a mail to it has been answered.
    public let emailVerified: Bool
    /// The public name.
    public let username: String
    /// The given name.
    public let firstName: String?
    /// The family name.
    public let lastName: String?
    /// The day of birth.
    public let dateOfBirth: Day?
    /// The verified phone, E.164.
    public let phone: String?
    /// The region.
    public let area: String?
    /// The language.
    public let language: String
    /// The time zone.
    public let timeZone: String
    /// The currency of totals.
    public let currency: Currency
    /// What the user may be.
    public let roles: [Role]
    /// When they registered.
    public let createdAt: Instant
    /// When the session that asks ends unless it is used.
    public let sessionExpiresAt: Instant?
    /// The address that is to be the user's once it is verified.
    public let pendingEmail: String?
    /// The phone that is to be the user's once that is confirmed or its time has come.
    public let pendingPhone: String?
    /// How clients look.
    public let theme: Theme
    /// How days are written; as the language does where there is none.
    public let dateFormat: DateFormat?
    /// The day on which a month of the user's begins.
    public let monthStart: Int
    /// Whether they may sign in; told to administrators alone.
    public var isEnabled: Bool?

    /// All of it.
    public init(
        id: ID<User>,
        email: String,
        emailVerified: Bool,
        username: String,
        firstName: String? = nil,
        lastName: String? = nil,
        dateOfBirth: Day? = nil,
        phone: String? = nil,
        area: String? = nil,
        language: String,
        timeZone: String,
        currency: Currency,
        roles: [Role],
        createdAt: Instant,
        sessionExpiresAt: Instant? = nil,
        pendingEmail: String? = nil,
        pendingPhone: String? = nil,
        theme: Theme = .system,
        dateFormat: DateFormat? = nil,
        monthStart: Int = 1,
        isEnabled: Bool? = nil
    ) {
        self.id = id
        self.email = email
        self.emailVerified = emailVerified
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
        self.dateOfBirth = dateOfBirth
        self.phone = phone
        self.area = area
        self.language = language
        self.timeZone = timeZone
        self.currency = currency
        self.roles = roles
        self.createdAt = createdAt
        self.sessionExpiresAt = sessionExpiresAt
        self.pendingEmail = pendingEmail
        self.pendingPhone = pendingPhone
        self.theme = theme
        self.dateFormat = dateFormat
        self.monthStart = monthStart
        self.isEnabled = isEnabled
    }

    /// The description.
    public static let json = Object(
        UserView.init,
        Field("id", \.id),
        Field("email", \.email),
        Field("emailVerified", \.emailVerified),
        Field("username", \.username),
        Field("firstName", \.firstName),
        Field("lastName", \.lastName),
        Field("dateOfBirth", \.dateOfBirth),
        Field("phone", \.phone),
        Field("area", \.area),
        Field("language", \.language),
        Field("timeZone", \.timeZone),
        Field("currency", \.currency),
        Field("roles", \.roles),
        Field("createdAt", \.createdAt),
        Field("sessionExpiresAt", \.sessionExpiresAt),
        Field("pendingEmail", \.pendingEmail),
        Field("pendingPhone", \.pendingPhone),
        Field("theme", \.theme),
        Field("dateFormat", \.dateFormat),
        Field("monthStart", \.monthStart),
        Field("enabled", \.isEnabled, about: "For administrators alone.")
    )
}

/// A new user, signed in.
public struct RegistrationView: JSONObject, Hashable {
    /// The user.
    public let user: UserView
    /// The session, as log-in gives it.
    public let session: SessionTokens

    /// All of it.
    public init(user: UserView, session: SessionTokens) {
        self.user = user
        self.session = session
    }

    /// The description.
    public static let json = Object(
        RegistrationView.init,
        Field("user", \.user),
        Field("session", \.session)
    )
}

/// Users and their own profile.
public enum Users {
    /// Registers a person and signs them in.
    public static let register = Endpoint<NoQuery, Unjudged<NewUser>, RegistrationView>(
        "registerUser",
        .post,
        "/v1/users",
        of: .auth,
        for: .anyone,
        statuses: [201],
        errors: [.emailTaken, .usernameTaken, .phoneTaken, .identityTaken, .tooManyRequests],
        answersSecrets: true,
        summary: "Register",
        description: """
            Makes the user and a session at once; log-in does not wait for the confirmation mail. \
            With our own `Origin` the tokens come as cookies and not in the body.
            """
    )

    /// The profile of who asks.
    public static let me = Endpoint<NoQuery, NoBody, UserView>(
        "getMe",
        .get,
        "/v1/users/me",
        of: .auth,
        for: .signedIn,
        summary: "Read one's own profile"
    )

    /// Takes the link of a confirmation mail.
    public static let verifyEmail = Endpoint<NoQuery, NoBody, NoView>(
        "verifyEmail",
        .post,
        "/v1/email-verifications/{token}",
        of: .auth,
        for: .anyone,
        errors: [.notFound, .linkExpired, .emailTaken],
        summary: "Confirm an e-mail address by the mailed link"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        register.erased, me.erased, verifyEmail.erased,
    ]
}
