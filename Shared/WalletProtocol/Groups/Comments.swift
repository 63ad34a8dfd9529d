/// Something said about a shared expense.
public struct NewComment: JSONObject, Hashable {
    public let text: String

    public init(text: String) { self.text = text }

    public static let json = Object(
        NewComment.init,
        Field("text", \.text, .text(1...2_000), about: "What is said.")
    )
}

/// Something that was said about a shared expense.
public struct CommentView: JSONObject, Hashable {
    public let id: ID<ExpenseComment>
    public let memberID: ID<Member>
    public let text: String
    public let createdAt: Instant

    public init(id: ID<ExpenseComment>, memberID: ID<Member>, text: String, createdAt: Instant) {
        self.id = id
        self.memberID = memberID
        self.text = text
        self.createdAt = createdAt
    }

    public static let json = Object(
        CommentView.init,
        Field("id", \.id, about: "The identifier."),
        Field("memberId", \.memberID, about: "Who said it."),
        Field("text", \.text, about: "What they said."),
        Field("createdAt", \.createdAt, about: "When.")
    )
}

/// What is said about shared expenses.
public enum Comments {
    /// How many an expense has at most.
    public static let countMax = 1_000

    /// Says something.
    public static let add = Endpoint<NoQuery, NewComment, CommentView>(
        "addComment",
        .post,
        "/v1/groups/{id}/expenses/{expenseId}/comments",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [.notFound, .forbidden, .groupArchived],
        isTagged: true,
        summary: "Comment on a shared expense",
        description: "Whoever paid for it or bears it is told."
    )

    /// What was said.
    public static let list = Endpoint<PageQuery, NoBody, Page<CommentView>>(
        "listComments",
        .get,
        "/v1/groups/{id}/expenses/{expenseId}/comments",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List what was said about a shared expense, newest first"
    )

    /// Takes back what one has said.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeComment",
        .delete,
        "/v1/groups/{id}/expenses/{expenseId}/comments/{commentId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .preconditionFailed],
        summary: "Delete a comment of one's own"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [add.erased, list.erased, remove.erased]
}
