/// A page of a list without filters.
public struct PageQuery: QueryObject, Hashable {
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(limit: Int = 50, cursor: Cursor? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        PageQuery.init,
        QueryField("limit", \.limit, .range(1...200), default: 50),
        QueryField("cursor", \.cursor)
    )
}

/// A page of a short list without filters: as long as pages may be, unless it is to be shorter.
public struct FullPageQuery: QueryObject, Hashable {
    /// How many.
    public let limit: Int
    /// Where the page begins.
    public let cursor: Cursor?

    /// All of it.
    public init(limit: Int = 200, cursor: Cursor? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    /// The description.
    public static let query = QueryFields(
        FullPageQuery.init,
        QueryField("limit", \.limit, .range(1...200), default: 200),
        QueryField("cursor", \.cursor)
    )
}
