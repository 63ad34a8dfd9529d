/// Where the caller has read to.
public struct RevocationQuery: QueryObject, Hashable {
    public let after: Int?

    public init(after: Int? = nil) {
        self.after = after
    }

    public static let query = QueryFields(
        RevocationQuery.init,
        QueryField(
            "after",
            \.after,
            .range(0...Int.max),
            about: "The `after` of the last answer; all that live where left out."
        )
    )
}

/// What a revocation names.
public enum RevocationKind: String, StringEnum {
    /// One session.
    case session
    /// Every token of a user that is older than a generation.
    case generation
    /// A signing key.
    case key
}

/// Tokens that are no longer good.
public struct Revocation: JSONObject, Hashable {
    public let kind: RevocationKind
    public let sessionID: ID<Session>?
    public let userID: ID<User>?
    public let generation: Int?
    public let keyID: String?
    public let expiresAt: Instant

    public init(
        kind: RevocationKind,
        sessionID: ID<Session>? = nil,
        userID: ID<User>? = nil,
        generation: Int? = nil,
        keyID: String? = nil,
        expiresAt: Instant
    ) {
        self.kind = kind
        self.sessionID = sessionID
        self.userID = userID
        self.generation = generation
        self.keyID = keyID
        self.expiresAt = expiresAt
    }

    public static let json = Object(
        Revocation.init,
        Field("kind", \.kind, about: "What is named."),
        Field("sessionId", \.sessionID, about: "The session, where it is one."),
        Field("userId", \.userID, about: "The user, where it is a generation."),
        Field("generation", \.generation, about: "The lowest generation still good."),
        Field("keyId", \.keyID, about: "The key, where it is one."),
        Field(
            "expiresAt",
            \.expiresAt,
            about: "When the last such token would have ended, and the row may be forgotten."
        )
    )
}

/// A person whose profile has changed: what is remembered of an earlier version is out of date.
public struct PersonVersion: JSONObject, Hashable {
    public let userID: ID<User>
    public let version: Int

    public init(userID: ID<User>, version: Int) {
        self.userID = userID
        self.version = version
    }

    public static let json = Object(
        PersonVersion.init,
        Field("userId", \.userID, about: "The person."),
        Field("version", \.version, about: "The profile's version after the change.")
    )
}

/// What has been revoked since, and who has changed.
public struct RevocationList: JSONObject, Hashable {
    public let items: [Revocation]
    public let people: [PersonVersion]
    public let after: Int
    public let hasMore: Bool

    public init(
        items: [Revocation],
        people: [PersonVersion] = [],
        after: Int,
        hasMore: Bool = false
    ) {
        self.items = items
        self.people = people
        self.after = after
        self.hasMore = hasMore
    }

    public static let json = Object(
        RevocationList.init,
        Field("items", \.items, about: "Revocations; some may be in the answer before, too."),
        Field(
            "people",
            \.people,
            default: [],
            about: "People whose profiles have changed; some may be in the answer before, too."
        ),
        Field("after", \.after, about: "What to ask with next."),
        Field(
            "more",
            \.hasMore,
            default: false,
            about: "Whether there is more than one answer holds: to be asked for at once."
        )
    )
}

/// A service's own credentials.
public struct ServiceTokenRequest: JSONObject, Hashable {
    public let service: ServiceName
    public let secret: String

    public init(service: ServiceName, secret: String) {
        self.service = service
        self.secret = secret
    }

    public static let json = Object(
        ServiceTokenRequest.init,
        Field("service", \.service, about: "Who it is."),
        Field("secret", \.secret, .secret(16...256), about: "What proves it.")
    )
}

/// What a service calls others with.
public struct ServiceToken: JSONObject, Hashable {
    public let accessToken: String
    public let expiresIn: Int

    public init(accessToken: String, expiresIn: Int) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
    }

    public static let json = Object(
        ServiceToken.init,
        Field("accessToken", \.accessToken, about: "The JWT (ES256)."),
        Field("expiresIn", \.expiresIn, about: "Seconds until it ends.")
    )
}

/// A user as services need them.
public struct InternalUser: JSONObject, Hashable {
    public let id: ID<User>
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
    public let roles: [Role]
    public let enabled: Bool
    public let monthStart: Int
    public let dateFormat: DateFormat?
    public let version: Int

    public init(
        id: ID<User>,
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
        roles: [Role],
        enabled: Bool,
        monthStart: Int = 1,
        dateFormat: DateFormat? = nil,
        version: Int = 0
    ) {
        self.id = id
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
        self.roles = roles
        self.enabled = enabled
        self.monthStart = monthStart
        self.dateFormat = dateFormat
        self.version = version
    }

    public static let json = Object(
        InternalUser.init,
        Field("id", \.id, about: "The identifier."),
        Field("username", \.username, about: "The public name."),
        Field("email", \.email, about: "The address."),
        Field("emailVerified", \.emailVerified, about: "Whether it is proven."),
        Field("phone", \.phone, about: "The verified phone, E.164."),
        Field("firstName", \.firstName, about: "The given name."),
        Field("lastName", \.lastName, about: "The family name."),
        Field("dateOfBirth", \.dateOfBirth, about: "The day of birth."),
        Field("area", \.area, about: "The region."),
        Field("language", \.language, about: "The language."),
        Field("timeZone", \.timeZone, about: "The time zone."),
        Field("currency", \.currency, about: "The currency of totals."),
        Field("roles", \.roles, about: "What the user may be."),
        Field("enabled", \.enabled, about: "Whether they may sign in."),
        Field(
            "monthStart",
            \.monthStart,
            default: 1,
            about: "The day on which a month of theirs begins."
        ),
        Field("dateFormat", \.dateFormat, about: "How they write days."),
        Field("version", \.version, default: 0, about: "The profile's version.")
    )
}

/// Who is looked for: by one of these.
public struct InternalUserQuery: QueryObject, Hashable {
    public let username: String?
    public let email: String?

    public init(username: String? = nil, email: String? = nil) {
        self.username = username
        self.email = email
    }

    public static let query = QueryFields(
        InternalUserQuery.init,
        QueryField("username", \.username, .line(1...64), about: "The public name."),
        QueryField("email", \.email, .line(3...254), about: "The address.")
    )
}

/// What auth answers to services alone.
public enum InternalAuth {
    /// Gives a service its token, for the credentials in the body.
    public static let serviceToken = Endpoint<NoQuery, ServiceTokenRequest, ServiceToken>(
        "makeServiceToken",
        .post,
        "/internal/service-tokens",
        of: .auth,
        for: .internalAnyone,
        errors: [.wrongCredentials],
        answersSecrets: true,
        summary: "A service's token for its credentials"
    )

    /// What has been revoked; asked for each second by every replica.
    public static let revocations = Endpoint<RevocationQuery, NoBody, RevocationList>(
        "listRevocations",
        .get,
        "/internal/revocations",
        of: .auth,
        for: .internalService,
        summary: "What has been revoked since, and whose profile has changed"
    )

    /// One user.
    public static let user = Endpoint<NoQuery, NoBody, InternalUser>(
        "getInternalUser",
        .get,
        "/internal/users/{id}",
        of: .auth,
        for: .internalService,
        errors: [.notFound],
        summary: "A user by id"
    )

    /// The user of a name or address: one or none.
    public static let users = Endpoint<InternalUserQuery, NoBody, Page<InternalUser>>(
        "findInternalUsers",
        .get,
        "/internal/users",
        of: .auth,
        for: .internalService,
        summary: "A user by name or address"
    )

    /// Has the audit log tell of a query for everybody's figures, before it is answered.
    public static let insightsRead = Endpoint<NoQuery, InsightsReading, NoView>(
        "noteInsightsReading",
        .post,
        "/internal/audit/insights",
        of: .auth,
        for: .internalService,
        idempotency: .ignored,
        summary: "Write into the audit log that somebody asks for insights"
    )

    /// Every user with the sequence of its events, for read models that begin anew.
    public static let snapshot = Endpoint<SnapshotQuery, NoBody, Page<Snapshot<UserRegistered>>>(
        "snapshotUsers",
        .get,
        "/internal/snapshots/users",
        of: .auth,
        for: .internalService,
        summary: "Every user, with sequences"
    )
}
