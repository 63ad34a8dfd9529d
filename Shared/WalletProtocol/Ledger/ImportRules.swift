/// Which text of a row a rule looks at.
public enum ImportRuleField: String, StringEnum {
    /// Who was paid or paid.
    case name
    /// What for.
    case description
    /// Either.
    case both
}

/// What a rule looks for in a row.
public struct ImportRuleMatch: JSONObject, Hashable {
    public let field: ImportRuleField
    public let contains: String?
    public let equals: String?
    public let startsWith: String?
    public let accountID: ID<Account>?
    public let direction: Direction?

    public init(
        field: ImportRuleField = .both,
        contains: String? = nil,
        equals: String? = nil,
        startsWith: String? = nil,
        accountID: ID<Account>? = nil,
        direction: Direction? = nil
    ) {
        self.field = field
        self.contains = contains
        self.equals = equals
        self.startsWith = startsWith
        self.accountID = accountID
        self.direction = direction
    }

    public static let json = Object(
        ImportRuleMatch.init,
        Field("field", \.field, default: .both, about: "Where; in both texts where left out."),
        Field(
            "contains",
            \.contains,
            .line(1...140),
            about: "Is somewhere in it; one of the three is given, and case does not count."
        ),
        Field("equals", \.equals, .line(1...140), about: "Is all of it."),
        Field("startsWith", \.startsWith, .line(1...140), about: "Begins it."),
        Field("accountId", \.accountID, about: "Only in statements of this account."),
        Field("direction", \.direction, about: "Only money in, or out.")
    )
}

/// A rule that is to be made.
public struct NewImportRule: JSONObject, Hashable {
    public let match: ImportRuleMatch
    public let categoryID: CategoryID
    public let priority: Int?

    public static let json = Object(
        NewImportRule.init,
        Field("match", \.match, about: "What it looks for."),
        Field("categoryId", \.categoryID, about: "The category that it names."),
        Field(
            "priority",
            \.priority,
            .range(0...1_000_000),
            about: "Lower ones are asked first; behind all others where left out."
        )
    )
}

/// What changes of a rule.
public struct ImportRuleChange: JSONObject, Hashable {
    public let match: Replace<ImportRuleMatch>
    public let categoryID: Replace<CategoryID>
    public let priority: Replace<Int>

    public static let json = Object(
        ImportRuleChange.init,
        Field("match", \.match, about: "What it looks for, as a whole."),
        Field("categoryId", \.categoryID, about: "The category that it names."),
        Field("priority", \.priority, .range(0...1_000_000), about: "Lower ones are asked first.")
    )
}

/// A rule.
public struct ImportRuleView: JSONObject, Hashable {
    public let id: ID<ImportRule>
    public let match: ImportRuleMatch
    public let categoryID: CategoryID
    public let priority: Int

    public init(
        id: ID<ImportRule>,
        match: ImportRuleMatch,
        categoryID: CategoryID,
        priority: Int
    ) {
        self.id = id
        self.match = match
        self.categoryID = categoryID
        self.priority = priority
    }

    public static let json = Object(
        ImportRuleView.init,
        Field("id", \.id, about: "The identifier."),
        Field("match", \.match, about: "What it looks for."),
        Field("categoryId", \.categoryID, about: "The category that it names."),
        Field("priority", \.priority, about: "Lower ones are asked first.")
    )
}

/// Rules that name the categories of imported rows.
public enum ImportRules {
    /// As many as a person can have.
    public static let most = 200

    /// Makes one.
    public static let make = Endpoint<NoQuery, NewImportRule, ImportRuleView>(
        "makeImportRule",
        .post,
        "/v1/import-rules",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [.tooManyImportRules],
        isTagged: true,
        summary: "Make an import rule",
        description: """
            The first rule that fits a row of a statement names its category in the preview, \
            where it can still be changed.
            """
    )

    /// All, in the order in which they are asked.
    public static let list = Endpoint<PageQuery, NoBody, Page<ImportRuleView>>(
        "listImportRules",
        .get,
        "/v1/import-rules",
        of: .ledger,
        for: .user,
        summary: "List import rules"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, ImportRuleView>(
        "getImportRule",
        .get,
        "/v1/import-rules/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read an import rule"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, ImportRuleChange, ImportRuleView>(
        "changeImportRule",
        .patch,
        "/v1/import-rules/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        isTagged: true,
        summary: "Change an import rule"
    )

    /// Removes one.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeImportRule",
        .delete,
        "/v1/import-rules/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        summary: "Remove an import rule"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, change.erased, remove.erased,
    ]
}
