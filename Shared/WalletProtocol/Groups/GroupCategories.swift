/// What a group's category is made with.
public struct NewGroupCategory: JSONObject, Hashable {
    public let name: String
    public let color: Colour?
    public let symbol: String?
    public let parentID: ID<GroupCategory>?
    public let type: CategoryType
    public let coicop: Coicop?

    public init(
        name: String,
        color: Colour? = nil,
        symbol: String? = nil,
        parentID: ID<GroupCategory>? = nil,
        type: CategoryType = .both,
        coicop: Coicop? = nil
    ) {
        self.name = name
        self.color = color
        self.symbol = symbol
        self.parentID = parentID
        self.type = type
        self.coicop = coicop
    }

    public static let json = Object(
        NewGroupCategory.init,
        Field("name", \.name, .line(1...60), about: "The name, once per group whatever its case."),
        Field("color", \.color, about: "The colour; the next free of the palette where left out."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name in the palette."),
        Field("parentId", \.parentID, about: "The one above it; two levels in all."),
        Field("type", \.type, default: .both, about: "What it is offered for."),
        Field(
            "coicop",
            \.coicop,
            about: "The division; the built-in category's of this name where left out."
        )
    )
}

/// What changes of a group's category.
public struct GroupCategoryChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let color: Replace<Colour>
    public let symbol: Patch<String>
    public let parentID: Patch<ID<GroupCategory>>
    public let type: Replace<CategoryType>
    public let coicop: Patch<Coicop>

    public init(
        name: Replace<String> = .unchanged,
        color: Replace<Colour> = .unchanged,
        symbol: Patch<String> = .unchanged,
        parentID: Patch<ID<GroupCategory>> = .unchanged,
        type: Replace<CategoryType> = .unchanged,
        coicop: Patch<Coicop> = .unchanged
    ) {
        self.name = name
        self.color = color
        self.symbol = symbol
        self.parentID = parentID
        self.type = type
        self.coicop = coicop
    }

    public static let json = Object(
        GroupCategoryChange.init,
        Field("name", \.name, .line(1...60), about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name."),
        Field("parentId", \.parentID, about: "The one above it."),
        Field("type", \.type, about: "What it is offered for."),
        Field("coicop", \.coicop, about: "The division.")
    )
}

/// A category of a group's expenses.
public struct GroupCategoryView: JSONObject, Hashable {
    public let id: ID<GroupCategory>
    public let name: String
    public let color: Colour
    public let symbol: String?
    public let parentID: ID<GroupCategory>?
    public let type: CategoryType
    public let coicop: Coicop?
    public let isDefault: Bool
    public let isImportant: Bool

    public init(
        id: ID<GroupCategory>,
        name: String,
        color: Colour,
        symbol: String? = nil,
        parentID: ID<GroupCategory>? = nil,
        type: CategoryType,
        coicop: Coicop? = nil,
        isDefault: Bool,
        isImportant: Bool = false
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.symbol = symbol
        self.parentID = parentID
        self.type = type
        self.coicop = coicop
        self.isDefault = isDefault
        self.isImportant = isImportant
    }

    public static let json = Object(
        GroupCategoryView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, about: "The symbol's name."),
        Field("parentId", \.parentID, about: "The one above it."),
        Field("type", \.type, about: "What it is offered for."),
        Field("coicop", \.coicop, about: "The division."),
        Field("default", \.isDefault, about: "Whether it is «Others»."),
        Field("important", \.isImportant, about: "Whether members have labelled it.")
    )
}

/// What a group's expenses are told apart by.
public enum GroupCategories {
    /// How many a group has at most.
    public static let countMax = 200

    /// Makes one.
    public static let make = Endpoint<NoQuery, NewGroupCategory, GroupCategoryView>(
        "makeGroupCategory",
        .post,
        "/v1/groups/{id}/categories",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [
            .notFound, .forbidden, .groupArchived, .categoryNameTaken, .categoryDepth,
        ],
        isTagged: true,
        summary: "Make a category of a group",
        description: """
            A group begins with «Others», as everybody's own do; the built-in set to choose from \
            is that of `/v1/palette`.
            """
    )

    /// All of a group's.
    public static let list = Endpoint<NoQuery, NoBody, Page<GroupCategoryView>>(
        "listGroupCategories",
        .get,
        "/v1/groups/{id}/categories",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's categories, by name"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, GroupCategoryChange, GroupCategoryView>(
        "changeGroupCategory",
        .patch,
        "/v1/groups/{id}/categories/{categoryId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .groupArchived, .categoryNameTaken, .categoryDepth,
            .defaultCategory, .preconditionFailed,
        ],
        isTagged: true,
        summary: "Change a category of a group"
    )

    /// Takes one away; its expenses go to «Others», or with it.
    public static let remove = Endpoint<CategoryRemoval, NoBody, NoView>(
        "removeGroupCategory",
        .delete,
        "/v1/groups/{id}/categories/{categoryId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .groupArchived, .defaultCategory, .memberHasLeft, .notAgreed,
            .preconditionFailed,
        ],
        summary: "Delete a category of a group",
        description: """
            Its expenses go to «Others», or are deleted with it: each can be undone, and is in \
            «Others» then. Those below it come up.
            """
    )

    /// Labels one; «Others», too.
    public static let label = Endpoint<NoQuery, NoBody, GroupCategoryView>(
        "labelGroupCategory",
        .put,
        "/v1/groups/{id}/categories/{categoryId}/important",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .groupArchived, .alreadyImportant, .preconditionFailed,
        ],
        isTagged: true,
        summary: "Label a category of a group as important"
    )

    /// Takes the label off.
    public static let unlabel = Endpoint<NoQuery, NoBody, NoView>(
        "unlabelGroupCategory",
        .delete,
        "/v1/groups/{id}/categories/{categoryId}/important",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .notImportant, .preconditionFailed],
        isTagged: true,
        summary: "Take the label off a category of a group"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, change.erased, remove.erased, label.erased, unlabel.erased,
    ]
}
