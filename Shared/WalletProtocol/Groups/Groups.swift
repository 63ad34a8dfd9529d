/// What a group is made with.
public struct NewGroup: JSONObject, Hashable {
    public let name: String
    public let currency: Currency?
    public let simplifiesDebts: Bool
    public let hasRoles: Bool
    public let invitations: [Invitee]

    public init(
        name: String,
        currency: Currency? = nil,
        simplifiesDebts: Bool = true,
        hasRoles: Bool = false,
        invitations: [Invitee] = []
    ) {
        self.name = name
        self.currency = currency
        self.simplifiesDebts = simplifiesDebts
        self.hasRoles = hasRoles
        self.invitations = invitations
    }

    public static let json = Object(
        NewGroup.init,
        Field("name", \.name, .line(1...80), about: "The name."),
        Field(
            "currency",
            \.currency,
            about: "The currency of its totals; the user's where left out."
        ),
        Field(
            "simplifyDebts",
            \.simplifiesDebts,
            default: true,
            about: "Whether a debt may be paid to somebody else than whom it is owed to."
        ),
        Field(
            "roles",
            \.hasRoles,
            default: false,
            about: "Whether what a member may do is decided by their role."
        ),
        Field(
            "invitations",
            \.invitations,
            .count(0...50),
            default: [],
            about: "Who is invited at once: all or nobody."
        )
    )
}

/// What changes of a group; what is left out stays.
public struct GroupChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let currency: Replace<Currency>
    public let simplifiesDebts: Replace<Bool>
    public let hasRoles: Replace<Bool>

    public init(
        name: Replace<String> = .unchanged,
        currency: Replace<Currency> = .unchanged,
        simplifiesDebts: Replace<Bool> = .unchanged,
        hasRoles: Replace<Bool> = .unchanged
    ) {
        self.name = name
        self.currency = currency
        self.simplifiesDebts = simplifiesDebts
        self.hasRoles = hasRoles
    }

    public static let json = Object(
        GroupChange.init,
        Field("name", \.name, .line(1...80), about: "The name."),
        Field(
            "currency",
            \.currency,
            about: "The currency of its totals; not while limits are set in another."
        ),
        Field(
            "simplifyDebts",
            \.simplifiesDebts,
            about: "Whether a debt may be paid to somebody else than whom it is owed to."
        ),
        Field(
            "roles",
            \.hasRoles,
            about:
                "Whether what a member may do is decided by their role; who switches it on is an "
                + "admin."
        )
    )
}

/// A group.
public struct GroupView: JSONObject, Hashable {
    public let id: ID<Group>
    public let name: String
    public let currency: Currency
    public let isPersonal: Bool
    public let memberCount: Int
    public let simplifiesDebts: Bool
    public let hasRoles: Bool
    public let isPair: Bool
    public let archivedAt: Instant?
    public let createdAt: Instant

    public init(
        id: ID<Group>,
        name: String,
        currency: Currency,
        isPersonal: Bool,
        memberCount: Int,
        simplifiesDebts: Bool = true,
        hasRoles: Bool = false,
        isPair: Bool = false,
        archivedAt: Instant? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.name = name
        self.currency = currency
        self.isPersonal = isPersonal
        self.memberCount = memberCount
        self.simplifiesDebts = simplifiesDebts
        self.hasRoles = hasRoles
        self.isPair = isPair
        self.archivedAt = archivedAt
        self.createdAt = createdAt
    }

    public static let json = Object(
        GroupView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("currency", \.currency, about: "The currency of its totals."),
        Field("personal", \.isPersonal, about: "Whether it is the user's group of one."),
        Field("memberCount", \.memberCount, about: "How many are in it, guests included."),
        Field(
            "simplifyDebts",
            \.simplifiesDebts,
            about: "Whether a debt may be paid to somebody else than whom it is owed to."
        ),
        Field(
            "roles",
            \.hasRoles,
            about: "Whether what a member may do is decided by their role."
        ),
        Field(
            "pair",
            \.isPair,
            about: "Whether two people have it to themselves: each sees it by the other's name, "
                + "until one of them names it."
        ),
        Field(
            "archivedAt",
            \.archivedAt,
            about: "Since when it is put away: it is read, and nothing is written in it."
        ),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// Which groups.
public struct GroupQuery: QueryObject, Hashable {
    public let words: String?
    public let isArchived: Bool
    public let limit: Int
    public let cursor: Cursor?

    public init(
        words: String? = nil,
        isArchived: Bool = false,
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.words = words
        self.isArchived = isArchived
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        GroupQuery.init,
        QueryField("query", \.words, .line(1...80), about: "Words in the name."),
        QueryField(
            "archived",
            \.isArchived,
            default: false,
            about: "Those that are put away, instead of the others."
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// Groups of people who share expenses.
public enum Groups {
    /// Makes one.
    public static let make = Endpoint<NoQuery, NewGroup, GroupView>(
        "makeGroup",
        .post,
        "/v1/groups",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [.userNotFound, .tooManyRequests],
        isTagged: true,
        summary: "Make a group"
    )

    /// One's own, newest first.
    public static let list = Endpoint<GroupQuery, NoBody, Page<GroupView>>(
        "listGroups",
        .get,
        "/v1/groups",
        of: .groups,
        for: .user,
        summary: "List groups, newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, GroupView>(
        "getGroup",
        .get,
        "/v1/groups/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read a group"
    )

    /// Other settings.
    public static let change = Endpoint<NoQuery, GroupChange, GroupView>(
        "changeGroup",
        .patch,
        "/v1/groups/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .defaultGroup, .groupArchived, .preconditionFailed],
        isTagged: true,
        summary: "Rename a group, or change its settings"
    )

    /// Takes it away with everything in it.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeGroup",
        .delete,
        "/v1/groups/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .defaultGroup, .groupNotEmpty, .preconditionFailed],
        summary: "Delete a group that nobody else is in",
        description: "With others in it, leave instead. Guests go with it."
    )

    /// Puts it away.
    public static let archive = Endpoint<NoQuery, NoBody, GroupView>(
        "archiveGroup",
        .put,
        "/v1/groups/{id}/archive",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .defaultGroup, .preconditionFailed],
        isTagged: true,
        summary: "Put a group away",
        description:
            "It is read as before, and nothing is written in it until it is taken out again; "
            + "whoever is invited may come, and members may leave."
    )

    /// Takes it out again.
    public static let restore = Endpoint<NoQuery, NoBody, GroupView>(
        "restoreGroup",
        .delete,
        "/v1/groups/{id}/archive",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .defaultGroup, .preconditionFailed],
        isTagged: true,
        summary: "Take a group out of the archive"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, change.erased, remove.erased, archive.erased,
        restore.erased,
    ]
}
