/// What a group's category is made with.
public struct NewGroupCategory: JSONObject, Hashable {
    public let name: String
    public let color: Colour?
    public let symbol: String?
    public let coicop: Coicop?

    public init(
        name: String,
        color: Colour? = nil,
        symbol: String? = nil,
        coicop: Coicop? = nil
    ) {
        self.name = name
        self.color = color
        self.symbol = symbol
        self.coicop = coicop
    }

    public static let json = Object(
        NewGroupCategory.init,
        Field("name", \.name, .line(1...60), about: "The name, once per group whatever its case."),
        Field("color", \.color, about: "The colour; the next free of the palette where left out."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name in the palette."),
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
    public let coicop: Patch<Coicop>

    public init(
        name: Replace<String> = .unchanged,
        color: Replace<Colour> = .unchanged,
        symbol: Patch<String> = .unchanged,
        coicop: Patch<Coicop> = .unchanged
    ) {
        self.name = name
        self.color = color
        self.symbol = symbol
        self.coicop = coicop
    }

    public static let json = Object(
        GroupCategoryChange.init,
        Field("name", \.name, .line(1...60), about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name."),
        Field("coicop", \.coicop, about: "The division.")
    )
}

/// A category of a group's expenses.
public struct GroupCategoryView: JSONObject, Hashable {
    public let id: ID<GroupCategory>
    public let name: String
    public let color: Colour
    public let symbol: String?
    public let coicop: Coicop?
    public let isDefault: Bool

    public init(
        id: ID<GroupCategory>,
        name: String,
        color: Colour,
        symbol: String? = nil,
        coicop: Coicop? = nil,
        isDefault: Bool
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.symbol = symbol
        self.coicop = coicop
        self.isDefault = isDefault
    }

    public static let json = Object(
        GroupCategoryView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, about: "The symbol's name."),
        Field("coicop", \.coicop, about: "The division."),
        Field("default", \.isDefault, about: "Whether it is «Others».")
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
        errors: [.notFound, .forbidden, .groupArchived, .categoryNameTaken],
        summary: "Make a category of a group"
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
            .notFound, .forbidden, .groupArchived, .categoryNameTaken, .defaultCategory,
            .preconditionFailed,
        ],
        summary: "Change a category of a group"
    )

    /// Takes one away; its expenses go to «Others».
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeGroupCategory",
        .delete,
        "/v1/groups/{id}/categories/{categoryId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .defaultCategory, .preconditionFailed],
        summary: "Delete a category of a group",
        description: "Its expenses go to «Others»."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, change.erased, remove.erased,
    ]
}
