/// Which transactions' positions: the filters of the list, in its own order.
public struct PositionQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let minAmount: ExactDecimal?
    public let maxAmount: ExactDecimal?
    public let categoryIDs: [CategoryID]
    public let accountIDs: [ID<Account>]
    public let folderID: ID<Folder>?
    public let direction: Direction?
    public let words: String?
    public let tags: [String]
    public let near: TransactionVicinity?
    public let limit: Int
    public let cursor: Cursor?

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

    public static let query = QueryFields(
        PositionQuery.init,
        QueryField("from", \.from, about: "The first day."),
        QueryField("to", \.to, about: "The last day."),
        QueryField("minAmount", \.minAmount, about: "The smallest magnitude; needs one currency."),
        QueryField("maxAmount", \.maxAmount, about: "The largest magnitude; needs one currency."),
        QueryField(
            "categoryId",
            \.categoryIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: "Any of these categories."
        ),
        QueryField(
            "accountId",
            \.accountIDs,
            .count(0...TransactionQuery.anyOfMax),
            about: "Any of these accounts."
        ),
        QueryField("folderId", \.folderID, about: "In this folder."),
        QueryField("direction", \.direction, about: "Which way."),
        QueryField(
            "query",
            \.words,
            .line(1...100),
            about: """
                Words in name, description, place or tags. Beginnings of words; case and accents \
                do not count.
                """
        ),
        QueryField("tag", \.tags, .tags, about: "With any of these tags."),
        QueryField(
            "near",
            \.near,
            about: "Latitude, longitude and kilometres around it: `45.46,9.19,1.5`."
        ),
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}
