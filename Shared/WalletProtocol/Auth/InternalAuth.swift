/// Where the caller has read to.
public struct RevocationQuery: QueryObject, Hashable {
    /// The `after` of the last answer; all that live where left out.
    public let after: Int?

    /// All of it.
    public init(after: Int? = nil) {
        self.after = after
    }

    /// The description.
    public static let query = QueryFields(
        RevocationQuery.init,
        QueryField("after", \.after, .range(0...Int.max))
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
    /// What is named.
    public let kind: RevocationKind
    /// The session, where it is one.
    public let sessionID: ID<Session>?
    /// The user, where it is a generation.
    public let userID: ID<User>?
    /// The lowest generation still good.
    public let generation: Int?
    /// The key, where it is one.
    public let keyID: String?
    /// When the last such token would have ended, and the row may be forgotten.
    public let expiresAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        Revocation.init,
        Field("kind", \.kind),
        Field("sessionId", \.sessionID),
        Field("userId", \.userID),
        Field("generation", \.generation),
        Field("keyId", \.keyID),
        Field("expiresAt", \.expiresAt)
    )
}

/// What has been revoked since.
public struct RevocationList: JSONObject, Hashable {
    /// Some may have been told before.
    public let items: [Revocation]
    /// What to ask with next.
    public let after: Int
    /// Whether there is more than one answer holds: to be asked for at once.
    public let hasMore: Bool

    /// All of it.
    public init(items: [Revocation], after: Int, hasMore: Bool = false) {
        self.items = items
        self.after = after
        self.hasMore = hasMore
    }

    /// The description.
    public static let json = Object(
        RevocationList.init,
        Field("items", \.items),
        Field("after", \.after),
        Field("more", \.hasMore, default: false)
    )
}

/// A service's own credentials.
public struct ServiceTokenRequest: JSONObject, Hashable {
    /// Who it is.
    public let service: ServiceName
    /// What proves it.
    public let secret: String

    /// All of it.
    public init(service: ServiceName, secret: String) {
        self.service = service
        self.secret = secret
    }

    /// The description.
    public static let json = Object(
        ServiceTokenRequest.init,
        Field("service", \.service),
        Field("secret", \.secret, .secret(16...256))
    )
}

/// What a service calls others with.
public struct ServiceToken: JSONObject, Hashable {
    /// The JWT (ES256).
    public let accessToken: String
    /// Seconds until it ends.
    public let expiresIn: Int

    /// All of it.
    public init(accessToken: String, expiresIn: Int) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
    }

    /// The description.
    public static let json = Object(
        ServiceToken.init,
        Field("accessToken", \.accessToken),
        Field("expiresIn", \.expiresIn)
    )
}

/// A user as services need them.
public struct InternalUser: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<User>
    /// The public name.
    public let username: String
    /// The address.
    public let email: String
    /// Whether it is proven.
    public let emailVerified: Bool
    /// The verified phone, E.164.
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
    /// What the user may be.
    public let roles: [Role]
    /// Whether they may sign in.
    public let enabled: Bool
    /// The day on which a month of theirs begins.
    public let monthStart: Int

    /// All of it.
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
        monthStart: Int = 1
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
    }

    /// The description.
    public static let json = Object(
        InternalUser.init,
        Field("id", \.id),
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
        Field("roles", \.roles),
        Field("enabled", \.enabled),
        Field("monthStart", \.monthStart, default: 1)
    )
}

/// Who is looked for: by one of these.
public struct InternalUserQuery: QueryObject, Hashable {
    /// The public name.
    public let username: String?
    /// The address.
    public let email: String?

    /// All of it.
    public init(username: String? = nil, email: String? = nil) {
        self.username = username
        self.email = email
    }

    /// The description.
    public static let query = QueryFields(
        InternalUserQuery.init,
        QueryField("username", \.username, .line(1...64)),
        QueryField("email", \.email, .line(3...254))
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
        summary: "What has been revoked since"
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
