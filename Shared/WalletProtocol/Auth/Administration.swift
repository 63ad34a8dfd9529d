/// Which people.
public struct UserQuery: QueryObject, Hashable {
    public let words: String?
    public let roles: [Role]
    public let isEnabled: Bool?
    public let cursor: Cursor?
    public let limit: Int

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

    public static let query = QueryFields(
        UserQuery.init,
        QueryField("query", \.words, .line(1...254), about: "How a username or e-mail begins."),
        QueryField("role", \.roles, .count(0...3), about: "Who is any of these."),
        QueryField("enabled", \.isEnabled, about: "Who may sign in, or may not."),
        QueryField("cursor", \.cursor, about: "Where the page begins."),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many.")
    )
}

/// Somebody whom an administrator makes: a registration's fields, but never a password.
public struct InvitedUser: JSONObject, Hashable {
    public let email: String
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
    public let roles: [Role]

    public static let json = Object(
        InvitedUser.init,
        Field(
            "email",
            \.email,
            .line(0...512),
            about: "The address; a code to set a password goes there."
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
        Field("roles", \.roles, .count(1...3), default: [.user], about: "What they may be.")
    )
}

/// What somebody may do.
public struct UserAccess: JSONObject, Hashable {
    public let roles: [Role]
    public let isEnabled: Bool

    public init(roles: [Role], isEnabled: Bool) {
        self.roles = roles
        self.isEnabled = isEnabled
    }

    public static let json = Object(
        UserAccess.init,
        Field(
            "roles",
            \.roles,
            .count(1...3),
            about: "What they may be; `admin` brings `user` with it."
        ),
        Field("enabled", \.isEnabled, about: "Whether they may sign in.")
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
        isTagged: true,
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
        isTagged: true,
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
        isTagged: true,
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
        isTagged: true,
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
