/// Which people.
public struct UserQuery: QueryObject, Hashable {
    /// How the username or the e-mail begins.
    public let words: String?
    /// Who is any of these.
    public let roles: [Role]
    /// Who may sign in, or may not.
    public let isEnabled: Bool?
    /// Where the page begins.
    public let cursor: Cursor?
    /// How many.
    public let limit: Int

    /// All of it.
    public init(
        query: String? = nil,
        roles: [Role] = [],
        isEnabled: Bool? = nil,
        cursor: Cursor? = nil,
        limit: Int = 50
    ) {
        words = query
        self.roles = roles
        self.isEnabled = isEnabled
        self.cursor = cursor
        self.limit = limit
    }

    /// The description.
    public static let query = QueryFields(
        UserQuery.init,
        QueryField("query", \.words, .line(1...254), about: "How a username or e-mail begins."),
        QueryField("role", \.roles, .count(0...3)),
        QueryField("enabled", \.isEnabled),
        QueryField("cursor", \.cursor),
        QueryField("limit", \.limit, .range(1...200), default: 50)
    )
}

/// Somebody whom an administrator makes: a registration's fields, but never a password.
public struct InvitedUser: JSONObject, Hashable {
    /// The address; a code to set a password goes there.
    public let email: String
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
    /// What they may be.
    public let roles: [Role]

    /// All of it.
    public init(
        email: String,
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
        roles: [Role] = [.user]
    ) {
        self.email = email
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
        self.roles = roles
    }

    /// The description.
    public static let json = Object(
        InvitedUser.init,
        Field("email", \.email, .line(0...512)),
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
        Field("roles", \.roles, .count(1...3), default: [.user])
    )
}

/// What somebody may do.
public struct UserAccess: JSONObject, Hashable {
    /// What they may be; `admin` brings `user` with it.
    public let roles: [Role]
    /// Whether they may sign in.
    public let isEnabled: Bool

    /// All of it.
    public init(roles: [Role], isEnabled: Bool) {
        self.roles = roles
        self.isEnabled = isEnabled
    }

    /// The description.
    public static let json = Object(
        UserAccess.init,
        Field("roles", \.roles, .count(1...3)),
        Field("enabled", \.isEnabled)
    )
}

/// What administrators do with people; each reading and each change is in the audit log.
public enum Administration {
    /// Looks through the people.
    public static let list = Endpoint<UserQuery, NoBody, Page<UserView>>(
        "listUsers",
        .get,
        "/v1/users",
        of: .auth,
        for: .role(.admin),
        summary: "Everybody, newest first",
        description: "Each person shown is an entry of the audit log."
    )

    /// Makes somebody.
    public static let create = Endpoint<NoQuery, InvitedUser, UserView>(
        "createUser",
        .post,
        "/v1/admin/users",
        of: .auth,
        for: .role(.admin),
        statuses: [201],
        errors: [.notFound, .emailTaken, .usernameTaken, .phoneTaken, .stepUpRequired],
        summary: "Make a user",
        description: """
            The person is mailed a code to set a password, which nobody else sees. Roles \
            other than \
            `user` need a fresh proof.
            """
    )

    /// Sees somebody.
    public static let get = Endpoint<NoQuery, NoBody, UserView>(
        "getUser",
        .get,
        "/v1/users/{id}",
        of: .auth,
        for: .role(.admin),
        errors: [.notFound],
        summary: "Read somebody's profile"
    )

    /// Changes somebody's profile.
    public static let change = Endpoint<NoQuery, ProfileChanges, UserView>(
        "changeUser",
        .patch,
        "/v1/users/{id}",
        of: .auth,
        for: .role(.admin),
        errors: [
            .notFound, .emailTaken, .usernameTaken, .phoneTaken, .preconditionFailed,
            .stepUpRequired,
        ],
        summary: "Change somebody's profile",
        description: """
            E-mail and phone wait as `pendingEmail` and `pendingPhone`: the old and the new one \
            are told, and the change is in force when the old one confirms, else after 7 days. \
            They need a fresh proof.
            """
    )

    /// Deletes somebody.
    public static let delete = Endpoint<NoQuery, NoBody, DeletionReceipt>(
        "deleteUser",
        .delete,
        "/v1/users/{id}",
        of: .auth,
        for: .role(.admin),
        statuses: [202],
        errors: [
            .notFound, .accountsNotEmpty, .lastAdmin, .preconditionFailed, .stepUpRequired,
        ],
        answersSecrets: true,
        summary: "Delete somebody, and everything personal with them",
        description: "Who deletes themselves must have proved who they are within 10 minutes."
    )

    /// Has a person mailed a way back in.
    public static let recover = Endpoint<NoQuery, NoBody, NoView>(
        "recoverUser",
        .post,
        "/v1/users/{id}/password-recoveries",
        of: .auth,
        for: .role(.admin),
        errors: [.notFound],
        summary: "Mail somebody a code to set a new password",
        description: "It goes to the person alone: nothing of it is answered here."
    )

    /// Gives or withdraws rights.
    public static let setAccess = Endpoint<NoQuery, UserAccess, UserView>(
        "setUserAccess",
        .put,
        "/v1/users/{id}/access",
        of: .auth,
        for: .role(.admin),
        errors: [.notFound, .lastAdmin, .preconditionFailed, .stepUpRequired],
        summary: "Give or withdraw rights",
        description: """
            What is withdrawn is in force everywhere within 2 s. Who is disabled is signed out \
            everywhere. The last administrator stays one. To give `admin` or `coo`, or to \
            enable who \
            has one, needs a fresh proof.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, create.erased, get.erased, change.erased, delete.erased, recover.erased,
        setAccess.erased,
    ]
}
