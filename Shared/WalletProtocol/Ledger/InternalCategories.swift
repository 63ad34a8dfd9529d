/// Some of somebody's categories.
public struct CategoryLabelRequest: JSONObject, Hashable {
    public let userID: ID<User>
    public let categoryIDs: [CategoryID]

    public init(userID: ID<User>, categoryIDs: [CategoryID]) {
        self.userID = userID
        self.categoryIDs = categoryIDs
    }

    /// The most of one call.
    public static let countMax = 1_000

    public static let json = Object(
        CategoryLabelRequest.init,
        Field("userId", \.userID, about: "Whose."),
        Field("categoryIds", \.categoryIDs, .count(0...countMax), about: "Which.")
    )
}

/// What a category is known by.
public struct CategoryLabel: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let name: String
    public let color: Colour

    public init(categoryID: CategoryID, name: String, color: Colour) {
        self.categoryID = categoryID
        self.name = name
        self.color = color
    }

    public static let json = Object(
        CategoryLabel.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("name", \.name, about: "Its name."),
        Field("color", \.color, about: "Its colour.")
    )
}

/// What some categories are known by.
public struct CategoryLabels: JSONObject, Hashable {
    public let items: [CategoryLabel]

    public init(items: [CategoryLabel]) { self.items = items }

    public static let json = Object(
        CategoryLabels.init,
        Field("items", \.items, about: "Those that there are of them, in no order.")
    )
}

/// What services ask of categories.
public enum InternalCategories {
    /// Names and colours, for a document that is made and not kept.
    public static let labels = Endpoint<NoQuery, CategoryLabelRequest, CategoryLabels>(
        "getCategoryLabels",
        .post,
        "/internal/categories/labels",
        of: .ledger,
        for: .internalService,
        idempotency: .ignored,
        summary: "Names and colours of some of a user's categories"
    )
}
