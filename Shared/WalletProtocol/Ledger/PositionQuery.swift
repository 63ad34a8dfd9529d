/// Which transactions' positions: the filters of the list, in its own order.
public struct PositionQuery: QueryObject, Hashable {
    /// The first day.
    public let from: Day?
    /// The last day.
    public let to: Day?
    /// The smallest magnitude; needs one currency.
    public let minAmount: ExactDecimal?
    /// The largest magnitude; needs one currency.
    public let maxAmount: ExactDecimal?
    /// Any of these categories.
    public let categoryIDs: [CategoryID]
    /// Any of these accounts.
    public let accountIDs: [ID<Account>]
    /// In this folder.
    public let folderID: ID<Folder>?
    /// Which way.
    public let direction: Direction?
    /// Words in name, description, place or tags.
    public let words: String?
    /// With any of these tags.
    public let tags: [String]
    /// Around a place.
    public let near: TransactionVicinity?
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(
        from: Day? = nil,
        to: Day? = nil,
        minAmount: ExactDecimal? = nil,
        maxAmount: ExactDecimal? = nil,
        categoryIDs: [CategoryID] = [],
        accountIDs: [ID<Account>] = [],
        folderID: ID<Folder>? = nil,
        direction: Direction? = nil,
        words: String? = nil,
        tags: [String] = [],
        near: TransactionVicinity? = nil,
        limit: Int = 50,
        cursor: Cursor? = nil
    ) {
        self.from = from
        self.to = to
        self.minAmount = minAmount
        self.maxAmount = maxAmount
        self.categoryIDs = categoryIDs
        self.accountIDs = accountIDs
        self.folderID = folderID
        self.direction = direction
        self.words = words
        self.tags = tags
        self.near = near
        self.limit = limit
        self.cursor = cursor
    }

    /// The same as a query of the list.
    public var transactions: TransactionQuery {
        TransactionQuery(
            from: from,
            to: to,
            minAmount: minAmount,
            maxAmount: maxAmount,
            categoryIDs: categoryIDs,
            accountIDs: accountIDs,
            folderID: folderID,
            direction: direction,
            words: words,
            tags: tags,
            near: near,
            limit: limit,
            cursor: cursor
        )
    }

    /// The description.
    public static let query = QueryFields(
        PositionQuery.init,
        QueryField("from", \.from),
        QueryField("to", \.to),
        QueryField("minAmount", \.minAmount),
        QueryField("maxAmount", \.maxAmount),
        QueryField("categoryId", \.categoryIDs, .count(0...TransactionQuery.anyOfMax)),
        QueryField("accountId", \.accountIDs, .count(0...TransactionQuery.anyOfMax)),
        QueryField("folderId", \.folderID),
        QueryField("direction", \.direction),
        QueryField(
            "query",
            \.words,
            .line(1...100),
            about: "Beginnings of words; case and accents do not count."
        ),
        QueryField("tag", \.tags, .tags),
        QueryField("near", \.near),
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}
