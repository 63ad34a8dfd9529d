/// What a right can be on.
public enum AccessKind: String, StringEnum {
    /// A group.
    case group
}

/// Whose right on what.
public struct AccessQuery: QueryObject, Hashable {
    /// Who.
    public let userID: ID<User>
    /// What kind of thing.
    public let kind: AccessKind
    /// Which.
    public let id: ID<Group>

    /// All of it.
    public init(userID: ID<User>, kind: AccessKind, id: ID<Group>) {
        self.userID = userID
        self.kind = kind
        self.id = id
    }

    /// The description.
    public static let query = QueryFields(
        AccessQuery.init,
        QueryField("userId", \.userID),
        QueryField("kind", \.kind),
        QueryField("id", \.id)
    )
}

/// A right as its owner knows it now.
public struct AccessView: JSONObject, Hashable {
    /// Whether they are in it.
    public let isMember: Bool
    /// The place in it.
    public let memberID: ID<Member>?

    /// All of it.
    public init(isMember: Bool, memberID: ID<Member>? = nil) {
        self.isMember = isMember
        self.memberID = memberID
    }

    /// The description.
    public static let json = Object(
        AccessView.init,
        Field("member", \.isMember),
        Field("memberId", \.memberID)
    )
}

/// Two people.
public struct AcquaintanceQuery: QueryObject, Hashable {
    /// One.
    public let userID: ID<User>
    /// The other.
    public let otherID: ID<User>

    /// All of it.
    public init(userID: ID<User>, otherID: ID<User>) {
        self.userID = userID
        self.otherID = otherID
    }

    /// The description.
    public static let query = QueryFields(
        AcquaintanceQuery.init,
        QueryField("userId", \.userID),
        QueryField("otherId", \.otherID)
    )
}

/// Whether two people share something.
public struct AcquaintanceView: JSONObject, Hashable {
    /// Whether they are in a group together.
    public let isKnown: Bool

    /// All of it.
    public init(isKnown: Bool) {
        self.isKnown = isKnown
    }

    /// The description.
    public static let json = Object(
        AcquaintanceView.init,
        Field("known", \.isKnown)
    )
}

/// What groups answers to services alone.
public enum InternalGroups {
    /// The right of a user, live: copies are for reading, a write asks.
    public static let access = Endpoint<AccessQuery, NoBody, AccessView>(
        "getAccess",
        .get,
        "/internal/access",
        of: .groups,
        for: .internalService,
        summary: "A user's right on a thing, live"
    )

    /// Whether two people share something, so that one may see the other's picture.
    public static let acquaintance = Endpoint<AcquaintanceQuery, NoBody, AcquaintanceView>(
        "getAcquaintance",
        .get,
        "/internal/acquaintances",
        of: .groups,
        for: .internalService,
        summary: "Whether two users share something, live"
    )
}
