/// A page of a list without filters.
public struct PageQuery: QueryObject, Hashable {
    public let limit: Int
    public let cursor: Cursor?

    public init(limit: Int = 50, cursor: Cursor? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        PageQuery.init,
        QueryField("limit", \.limit, .range(1...200), default: 50, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}

/// A page of a short list without filters: as long as pages may be, unless it is to be shorter.
public struct FullPageQuery: QueryObject, Hashable {
    public let limit: Int
    public let cursor: Cursor?

    public init(limit: Int = 200, cursor: Cursor? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    public static let query = QueryFields(
        FullPageQuery.init,
        QueryField("limit", \.limit, .range(1...200), default: 200, about: "How many."),
        QueryField("cursor", \.cursor, about: "Where the page begins.")
    )
}
