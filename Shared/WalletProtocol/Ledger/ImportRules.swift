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
    /// Where; in both texts where left out.
    public let field: ImportRuleField
    /// Is somewhere in it; one of the three is given, and case does not count.
    public let contains: String?
    /// Is all of it.
    public let equals: String?
    /// Begins it.
    public let startsWith: String?
    /// Only in statements of this account.
    public let accountID: ID<Account>?
    /// Only money in, or out.
    public let direction: Direction?

    /// All of it.
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

    /// The description.
    public static let json = Object(
        ImportRuleMatch.init,
        Field("field", \.field, default: .both),
        Field("contains", \.contains, .line(1...140)),
        Field("equals", \.equals, .line(1...140)),
        Field("startsWith", \.startsWith, .line(1...140)),
        Field("accountId", \.accountID),
        Field("direction", \.direction)
    )
}

/// A rule that is to be made.
public struct NewImportRule: JSONObject, Hashable {
    /// What it looks for.
    public let match: ImportRuleMatch
    /// The category that it names.
    public let categoryID: CategoryID
    /// Lower ones are asked first; behind all others where left out.
    public let priority: Int?

    /// All of it.
    public init(match: ImportRuleMatch, categoryID: CategoryID, priority: Int? = nil) {
        self.match = match
        self.categoryID = categoryID
        self.priority = priority
    }

    /// The description.
    public static let json = Object(
        NewImportRule.init,
        Field("match", \.match),
        Field("categoryId", \.categoryID),
        Field("priority", \.priority, .range(0...1_000_000))
    )
}

/// What changes of a rule.
public struct ImportRuleChange: JSONObject, Hashable {
    /// What it looks for, as a whole.
    public let match: Replace<ImportRuleMatch>
    /// The category that it names.
    public let categoryID: Replace<CategoryID>
    /// Lower ones are asked first.
    public let priority: Replace<Int>

    /// All of it.
    public init(
        match: Replace<ImportRuleMatch> = .unchanged,
        categoryID: Replace<CategoryID> = .unchanged,
        priority: Replace<Int> = .unchanged
    ) {
        self.match = match
        self.categoryID = categoryID
        self.priority = priority
    }

    /// The description.
    public static let json = Object(
        ImportRuleChange.init,
        Field("match", \.match),
        Field("categoryId", \.categoryID),
        Field("priority", \.priority, .range(0...1_000_000))
    )
}

/// A rule.
public struct ImportRuleView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<ImportRule>
    /// What it looks for.
    public let match: ImportRuleMatch
    /// The category that it names.
    public let categoryID: CategoryID
    /// Lower ones are asked first.
    public let priority: Int

    /// All of it.
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

    /// The description.
    public static let json = Object(
        ImportRuleView.init,
        Field("id", \.id),
        Field("match", \.match),
        Field("categoryId", \.categoryID),
        Field("priority", \.priority)
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
