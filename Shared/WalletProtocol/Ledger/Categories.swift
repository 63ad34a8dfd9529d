/// What a category is offered for; it refuses nothing.
public enum CategoryType: String, StringEnum {
    /// Incomes.
    case income
    /// Expenses.
    case expense
    /// Both.
    case both
}

/// The divisions of COICOP 2018, the common key of categories across users.
public enum Coicop: String, StringEnum {
    /// Food and non-alcoholic beverages.
    case food = "01"
    /// Alcoholic beverages, tobacco and narcotics.
    case alcoholAndTobacco = "02"
    /// Clothing and footwear.
    case clothing = "03"
    /// Housing, water, electricity, gas and other fuels.
    case housing = "04"
    /// Furnishings, household equipment and routine maintenance.
    case furnishings = "05"
    /// Health.
    case health = "06"
    /// Transport.
    case transport = "07"
    /// Information and communication.
    case communication = "08"
    /// Recreation, sport and culture.
    case recreation = "09"
    /// Education services.
    case education = "10"
    /// Restaurants and accommodation services.
    case restaurants = "11"
    /// Insurance and financial services.
    case finance = "12"
    /// Personal care, social protection and miscellaneous goods and services.
    case personalCare = "13"
    /// Individual consumption of non-profit institutions serving households.
    case nonProfit = "14"
    /// Individual consumption of general government.
    case government = "15"
}

/// What a category is made with.
public struct NewCategory: JSONObject, Hashable {
    public let name: String
    public let color: Colour?
    public let symbol: String?
    public let parentID: CategoryID?
    public let type: CategoryType
    public let coicop: Coicop?

    public static let json = Object(
        NewCategory.init,
        Field("name", \.name, .line(1...60), about: "The name, once per user whatever its case."),
        Field("color", \.color, about: "The colour; the next free of the palette where left out."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name in the palette."),
        Field("parentId", \.parentID, about: "The one above it; two levels in all."),
        Field("type", \.type, default: .both, about: "What it is offered for."),
        Field("coicop", \.coicop, about: "The division.")
    )
}

/// What changes of a category.
public struct CategoryChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let color: Replace<Colour>
    public let symbol: Patch<String>
    public let parentID: Patch<CategoryID>
    public let type: Replace<CategoryType>
    public let coicop: Patch<Coicop>

    public static let json = Object(
        CategoryChange.init,
        Field("name", \.name, .line(1...60), about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name."),
        Field("parentId", \.parentID, about: "The one above it."),
        Field("type", \.type, about: "What it is offered for."),
        Field("coicop", \.coicop, about: "The division.")
    )
}

/// A category.
public struct CategoryView: JSONObject, Hashable {
    public let id: CategoryID
    public let name: String
    public let color: Colour
    public let symbol: String?
    public let parentID: CategoryID?
    public let type: CategoryType
    public let coicop: Coicop?
    public let isDefault: Bool
    public let isImportant: Bool

    public init(
        id: CategoryID,
        name: String,
        color: Colour,
        symbol: String? = nil,
        parentID: CategoryID? = nil,
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
        CategoryView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, about: "The symbol's name."),
        Field("parentId", \.parentID, about: "The one above it."),
        Field("type", \.type, about: "What it is offered for."),
        Field("coicop", \.coicop, about: "The division."),
        Field("default", \.isDefault, about: "Whether it is «Others»."),
        Field("important", \.isImportant, about: "Whether its owner has labelled it.")
    )
}

/// What becomes of a category's transactions.
public enum CategoryDisposal: String, StringEnum {
    /// They go to «Others».
    case reassign
    /// They are deleted with it.
    case delete
}

/// How a category is taken away.
public struct CategoryRemoval: QueryObject, Hashable {
    public let transactions: CategoryDisposal

    public static let query = QueryFields(
        CategoryRemoval.init,
        QueryField(
            "transactions",
            \.transactions,
            default: .reassign,
            about: "What becomes of its transactions."
        )
    )
}

/// Categories of one's own.
public enum Categories {
    /// How many a person has at most.
    public static let countMax = 500

    /// Makes one.
    public static let make = Endpoint<NoQuery, NewCategory, CategoryView>(
        "makeCategory",
        .post,
        "/v1/categories",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [.categoryNameTaken, .categoryDepth],
        isTagged: true,
        summary: "Make a category"
    )

    /// All of them, by name.
    public static let list = Endpoint<FullPageQuery, NoBody, Page<CategoryView>>(
        "listCategories",
        .get,
        "/v1/categories",
        of: .ledger,
        for: .user,
        summary: "List categories, by name"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, CategoryChange, CategoryView>(
        "changeCategory",
        .patch,
        "/v1/categories/{id}",
        of: .ledger,
        for: .user,
        errors: [
            .notFound, .categoryNameTaken, .categoryDepth, .defaultCategory, .categoryLimited,
            .preconditionFailed,
        ],
        isTagged: true,
        summary: "Change a category",
        description: """
            A child's category stays below one that a parent limits: moving it away is refused \
            with `category-limited`.
            """
    )

    /// Takes one away.
    public static let remove = Endpoint<CategoryRemoval, NoBody, NoView>(
        "removeCategory",
        .delete,
        "/v1/categories/{id}",
        of: .ledger,
        for: .user,
        errors: [
            .notFound, .defaultCategory, .categoryLimited, .insufficientFunds, .limitExceeded,
            .approvalRequired, .preconditionFailed,
        ],
        summary: "Delete a category",
        description: """
            A child's category that a parent limits, or one below it, is not deleted: the call is \
            refused with `category-limited`.
            """
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, CategoryView>(
        "getCategory",
        .get,
        "/v1/categories/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "A category"
    )

    /// Labels one; «Others», too.
    public static let label = Endpoint<NoQuery, NoBody, CategoryView>(
        "labelCategory",
        .put,
        "/v1/categories/{id}/important",
        of: .ledger,
        for: .user,
        errors: [.notFound, .alreadyImportant, .preconditionFailed],
        isTagged: true,
        summary: "Label a category as important"
    )

    /// Takes the label off.
    public static let unlabel = Endpoint<NoQuery, NoBody, NoView>(
        "unlabelCategory",
        .delete,
        "/v1/categories/{id}/important",
        of: .ledger,
        for: .user,
        errors: [.notFound, .notImportant, .preconditionFailed],
        isTagged: true,
        summary: "Take the label off a category"
    )

    /// What categories can be made of.
    public static let palette = Endpoint<NoQuery, NoBody, PaletteView>(
        "getPalette",
        .get,
        "/v1/palette",
        of: .ledger,
        for: .user,
        summary: "Colours, symbols and a set of categories to choose from"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, change.erased, remove.erased, label.erased,
        unlabel.erased, palette.erased,
    ]
}

/// A category that is offered: made as it is, or as its taker likes it better.
public struct OfferedCategory: JSONObject, Hashable {
    public let name: String
    public let color: Colour
    public let symbol: String
    public let type: CategoryType
    public let coicop: Coicop?

    public init(
        name: String,
        color: Colour,
        symbol: String,
        type: CategoryType,
        coicop: Coicop? = nil
    ) {
        self.name = name
        self.color = color
        self.symbol = symbol
        self.type = type
        self.coicop = coicop
    }

    public static let json = Object(
        OfferedCategory.init,
        Field("name", \.name, about: "The name, in English."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, about: "The symbol's name."),
        Field("type", \.type, about: "What it is offered for."),
        Field("coicop", \.coicop, about: "The division.")
    )
}

/// What categories can be made of.
public struct PaletteView: JSONObject, Hashable {
    public let colors: [Colour]
    public let symbols: [String]
    public let categories: [OfferedCategory]

    public init(colors: [Colour], symbols: [String], categories: [OfferedCategory]) {
        self.colors = colors
        self.symbols = symbols
        self.categories = categories
    }

    public static let json = Object(
        PaletteView.init,
        Field("colors", \.colors, about: "The colours, in the order in which they are given."),
        Field("symbols", \.symbols, about: "The symbols' names."),
        Field("categories", \.categories, about: "The built-in set.")
    )
}
