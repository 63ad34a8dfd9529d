/// What a right can be on.
public enum AccessKind: String, StringEnum {
    /// A group: to be in it.
    case group
    /// A child: to be a parent in its family.
    case child
}

/// Whatever a right can be on.
public enum AccessTarget {}

/// Whose right on what.
public struct AccessQuery: QueryObject, Hashable {
    public let userID: ID<User>
    public let kind: AccessKind
    public let id: ID<AccessTarget>

    private init(userID: ID<User>, kind: AccessKind, id: ID<AccessTarget>) {
        self.userID = userID
        self.kind = kind
        self.id = id
    }

    /// Whether somebody is in a group.
    public static func group(_ group: ID<Group>, of user: ID<User>) -> AccessQuery {
        AccessQuery(userID: user, kind: .group, id: group.retagged(AccessTarget.self))
    }

    /// Whether somebody is a parent of a child.
    public static func child(_ child: ID<User>, of user: ID<User>) -> AccessQuery {
        AccessQuery(userID: user, kind: .child, id: child.retagged(AccessTarget.self))
    }

    public static let query = QueryFields(
        AccessQuery.init(userID:kind:id:),
        QueryField("userId", \.userID, about: "Who."),
        QueryField("kind", \.kind, about: "What kind of thing."),
        QueryField("id", \.id, about: "Which.")
    )
}

/// A right as its owner knows it now.
public struct AccessView: JSONObject, Hashable {
    public let isMember: Bool
    public let memberID: ID<Member>?
    public let currency: Currency?

    public init(isMember: Bool, memberID: ID<Member>? = nil, currency: Currency? = nil) {
        self.isMember = isMember
        self.memberID = memberID
        self.currency = currency
    }

    public static let json = Object(
        AccessView.init,
        Field("member", \.isMember, about: "Whether they have it."),
        Field("memberId", \.memberID, about: "The place in it, of a group."),
        Field("currency", \.currency, about: "Its currency, of a group.")
    )
}

/// Two people.
public struct AcquaintanceQuery: QueryObject, Hashable {
    public let userID: ID<User>
    public let otherID: ID<User>

    public init(userID: ID<User>, otherID: ID<User>) {
        self.userID = userID
        self.otherID = otherID
    }

    public static let query = QueryFields(
        AcquaintanceQuery.init,
        QueryField("userId", \.userID, about: "One."),
        QueryField("otherId", \.otherID, about: "The other.")
    )
}

/// Whether two people share something.
public struct AcquaintanceView: JSONObject, Hashable {
    public let isKnown: Bool

    public init(isKnown: Bool) {
        self.isKnown = isKnown
    }

    public static let json = Object(
        AcquaintanceView.init,
        Field("known", \.isKnown, about: "Whether they are in a group or a family together.")
    )
}

/// Which family somebody is in, and as what.
public struct FamilyPlace: JSONObject, Hashable {
    public let familyID: ID<Family>
    public let currency: Currency
    public let role: FamilyRole
    public let joinedAt: Instant

    public init(familyID: ID<Family>, currency: Currency, role: FamilyRole, joinedAt: Instant) {
        self.familyID = familyID
        self.currency = currency
        self.role = role
        self.joinedAt = joinedAt
    }

    public static let json = Object(
        FamilyPlace.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("currency", \.currency, about: "Its currency, which stays."),
        Field("role", \.role, about: "What they are in it."),
        Field("joinedAt", \.joinedAt, about: "Since when: no two memberships of somebody's.")
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

    /// Whether two people share a group or a family, so that one may see the other's picture.
    public static let acquaintance = Endpoint<AcquaintanceQuery, NoBody, AcquaintanceView>(
        "getAcquaintance",
        .get,
        "/internal/acquaintances",
        of: .groups,
        for: .internalService,
        summary: "Whether two users share a group or a family, live"
    )

    /// The family of somebody, live.
    public static let familyPlace = Endpoint<NoQuery, NoBody, FamilyPlace>(
        "getFamilyPlace",
        .get,
        "/internal/families/{userId}",
        of: .groups,
        for: .internalService,
        errors: [.notFound],
        summary: "Which family a user is in and as what, live"
    )
}
