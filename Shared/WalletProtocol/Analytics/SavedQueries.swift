/// A query that is to be kept.
public struct NewSavedQuery: JSONObject, Hashable {
    public let name: String
    public let query: InsightQuery

    public init(name: String, query: InsightQuery) {
        self.name = name
        self.query = query
    }

    public static let json = Object(
        NewSavedQuery.init,
        Field("name", \.name, .line(1...80), about: "The name, of one's own each another."),
        Field(
            "query",
            \.query,
            about: "What is asked. Without days it is of the last month, whenever it is asked."
        )
    )
}

/// What changes of a saved query.
public struct SavedQueryChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let query: Replace<InsightQuery>

    public init(name: Replace<String> = .unchanged, query: Replace<InsightQuery> = .unchanged) {
        self.name = name
        self.query = query
    }

    public static let json = Object(
        SavedQueryChange.init,
        Field("name", \.name, .line(1...80), about: "Another name."),
        Field("query", \.query, about: "Another query, as a whole.")
    )
}

/// A saved query.
public struct SavedQueryView: JSONObject, Hashable {
    public let id: ID<SavedQuery>
    public let name: String
    public let query: InsightQuery?
    public let unreadable: String?
    public let createdAt: Instant
    public let changedAt: Instant

    public init(
        id: ID<SavedQuery>,
        name: String,
        query: InsightQuery?,
        unreadable: String? = nil,
        createdAt: Instant,
        changedAt: Instant
    ) {
        self.id = id
        self.name = name
        self.query = query
        self.unreadable = unreadable
        self.createdAt = createdAt
        self.changedAt = changedAt
    }

    public static let json = Object(
        SavedQueryView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("query", \.query, about: "What is asked, where it can be asked."),
        Field(
            "unreadable",
            \.unreadable,
            about: """
                In place of `query` its text as it was saved, where it cannot be asked any more: \
                it says what is not known by now, or asks for too many months.
                """
        ),
        Field("createdAt", \.createdAt, about: "When it was made."),
        Field("changedAt", \.changedAt, about: "When it was last changed.")
    )
}

/// Queries for everybody's figures that are kept to be asked again, each its owner's alone.
public enum SavedQueries {
    /// As many as a person can have.
    public static let countMax = 100

    /// Keeps one.
    public static let make = Endpoint<NoQuery, Unjudged<NewSavedQuery>, SavedQueryView>(
        "makeSavedQuery",
        .post,
        "/v1/insights/saved-queries",
        of: .analytics,
        for: .role(.coo),
        statuses: [201],
        errors: [.unknownMeasure, .savedQueryNameTaken, .tooManySavedQueries],
        isTagged: true,
        summary: "Keep a query for everybody's figures"
    )

    /// All of one's own, newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<SavedQueryView>>(
        "listSavedQueries",
        .get,
        "/v1/insights/saved-queries",
        of: .analytics,
        for: .role(.coo),
        summary: "List saved queries, newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, SavedQueryView>(
        "getSavedQuery",
        .get,
        "/v1/insights/saved-queries/{id}",
        of: .analytics,
        for: .role(.coo),
        errors: [.notFound],
        isTagged: true,
        summary: "Read a saved query"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, Unjudged<SavedQueryChange>, SavedQueryView>(
        "changeSavedQuery",
        .patch,
        "/v1/insights/saved-queries/{id}",
        of: .analytics,
        for: .role(.coo),
        errors: [.notFound, .preconditionFailed, .unknownMeasure, .savedQueryNameTaken],
        isTagged: true,
        summary: "Change a saved query"
    )

    /// Removes one.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeSavedQuery",
        .delete,
        "/v1/insights/saved-queries/{id}",
        of: .analytics,
        for: .role(.coo),
        errors: [.notFound, .preconditionFailed],
        summary: "Remove a saved query"
    )

    /// Asks one.
    public static let answer = Endpoint<NoQuery, NoBody, InsightAnswer>(
        "answerSavedQuery",
        .get,
        "/v1/insights/saved-queries/{id}/answer",
        of: .analytics,
        for: .role(.coo),
        errors: [.notFound, .invalidBody, .unknownMeasure],
        summary: "Ask a saved query",
        description: """
            Answers as `queryInsights` does to what was saved, and is written into the audit log \
            as that. 422 where it is no query any more, as of a currency that is no longer \
            released in, or with what is not known any more: see `unreadable`.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, change.erased, remove.erased, answer.erased,
    ]
}
