/// What somebody registers with.
public struct NewUser: JSONObject, Hashable {
    public let email: String
    public let password: String?
    public let confirmPassword: String?
    public let username: String?
    public let firstName: String?
    public let lastName: String?
    public let dateOfBirth: Day?
    public let currency: Currency?
    public let area: String?
    public let language: String?
    public let timeZone: String?
    public let phone: String?
    public let phoneToken: String?
    public let registrationToken: String?
    public let codeVerifier: String?

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

    public static let json = Object(
        NewUser.init,
        Field(
            "email",
            \.email,
            .email,
            about: "The address that mails go to; verified by one of them."
        ),
        Field(
            "password",
            \.password,
            .secret(8...Passwords.charactersMax),
            about: "The password; or `registrationToken`."
        ),
        Field(
            "confirmPassword",
            \.confirmPassword,
            .secret(0...Passwords.charactersMax),
            about: "The password again, where the form asks twice."
        ),
        Field(
            "username",
            \.username,
            .line(0...256),
            about: "The public name; made from the e-mail where left out."
        ),
        Field("firstName", \.firstName, .line(1...80), about: "The given name."),
        Field("lastName", \.lastName, .line(1...80), about: "The family name."),
        Field("dateOfBirth", \.dateOfBirth, about: "The day of birth."),
        Field(
            "currency",
            \.currency,
            about: "The currency of the first wallet and of totals; the area's, else EUR."
        ),
        Field("area", \.area, .line(0...64), about: "The region of ISO 3166-1 or 3166-2."),
        Field("language", \.language, .line(0...64), about: "The language of BCP 47."),
        Field("timeZone", \.timeZone, .line(0...64), about: "The IANA time zone."),
        Field("phone", \.phone, .line(0...64), about: "A phone, proved by `phoneToken`."),
        Field(
            "phoneToken",
            \.phoneToken,
            .line(1...256),
            about: "The proof that a code on that phone gave."
        ),
        Field(
            "registrationToken",
            \.registrationToken,
            .line(1...128),
            about: "What an identity provider's callback gave, in place of the password."
        ),
        Field(
            "codeVerifier",
            \.codeVerifier,
            .line(43...128),
            about: "Of a native client, beside `registrationToken` (RFC 7636)."
        )
    )
}

/// A user as they see themselves.
public struct UserView: JSONObject, Hashable {
    public let id: ID<User>
    public let email: String
    public let emailVerified: Bool
    public let username: String
    public let firstName: String?
    public let lastName: String?
    public let dateOfBirth: Day?
    public let phone: String?
    public let area: String?
    public let language: String
    public let timeZone: String
    public let currency: Currency
    public let roles: [Role]
    public let createdAt: Instant
    public let sessionExpiresAt: Instant?
    public let pendingEmail: String?
    public let pendingPhone: String?
    public let theme: Theme
    public let dateFormat: DateFormat?
    public let monthStart: Int
    public var isEnabled: Bool?

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

    public static let json = Object(
        UserView.init,
        Field("id", \.id, about: "The identifier."),
        Field("email", \.email, about: "The address."),
        Field("emailVerified", \.emailVerified, about: "Whether a mail to it has been answered."),
        Field("username", \.username, about: "The public name."),
        Field("firstName", \.firstName, about: "The given name."),
        Field("lastName", \.lastName, about: "The family name."),
        Field("dateOfBirth", \.dateOfBirth, about: "The day of birth."),
        Field("phone", \.phone, about: "The verified phone, E.164."),
        Field("area", \.area, about: "The region."),
        Field("language", \.language, about: "The language."),
        Field("timeZone", \.timeZone, about: "The time zone."),
        Field("currency", \.currency, about: "The currency of totals."),
        Field("roles", \.roles, about: "What the user may be."),
        Field("createdAt", \.createdAt, about: "When they registered."),
        Field(
            "sessionExpiresAt",
            \.sessionExpiresAt,
            about: "When the session that asks ends unless it is used."
        ),
        Field(
            "pendingEmail",
            \.pendingEmail,
            about: "The address that is to be the user's once it is verified."
        ),
        Field(
            "pendingPhone",
            \.pendingPhone,
            about: "The phone that is to be the user's once that is confirmed or its time has come."
        ),
        Field("theme", \.theme, about: "How clients look."),
        Field(
            "dateFormat",
            \.dateFormat,
            about: "How days are written; as the language does where there is none."
        ),
        Field("monthStart", \.monthStart, about: "The day on which a month of the user's begins."),
        Field(
            "enabled",
            \.isEnabled,
            about: """
                Whether they may sign in; told to administrators alone. For administrators alone.
                """
        )
    )
}

/// A new user, signed in.
public struct RegistrationView: JSONObject, Hashable {
    public let user: UserView
    public let session: SessionTokens

    public init(user: UserView, session: SessionTokens) {
        self.user = user
        self.session = session
    }

    public static let json = Object(
        RegistrationView.init,
        Field("user", \.user, about: "The user."),
        Field("session", \.session, about: "The session, as log-in gives it.")
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
        isTagged: true,
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
