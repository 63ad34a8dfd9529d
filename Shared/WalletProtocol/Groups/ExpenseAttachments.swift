/// A receipt or another file that belongs to a shared expense.
public struct ExpenseAttachmentView: JSONObject, Hashable {
    public let id: ID<Attachment>
    public let expenseID: ID<Expense>
    public let memberID: ID<Member>
    public let name: String
    public let mediaType: AttachmentType
    public let size: Int
    public let sha256: String
    public let createdAt: Instant

    public init(
        id: ID<Attachment>,
        expenseID: ID<Expense>,
        memberID: ID<Member>,
        name: String,
        mediaType: AttachmentType,
        size: Int,
        sha256: String,
        createdAt: Instant
    ) {
        self.id = id
        self.expenseID = expenseID
        self.memberID = memberID
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.sha256 = sha256
        self.createdAt = createdAt
    }

    public static let json = Object(
        ExpenseAttachmentView.init,
        Field("id", \.id, about: "The identifier."),
        Field("expenseId", \.expenseID, about: "The expense."),
        Field("memberId", \.memberID, about: "Who added it."),
        Field("name", \.name, about: "The file's name."),
        Field("mediaType", \.mediaType, about: "What it is, found by its content."),
        Field("size", \.size, about: "How many bytes."),
        Field("sha256", \.sha256, about: "SHA-256 of the content that is kept, in hexadecimal."),
        Field("createdAt", \.createdAt, about: "When it was added.")
    )
}

/// Receipts of shared expenses: the files are as those of transactions.
public enum ExpenseAttachments {
    /// Adds a file.
    public static let add = Endpoint<NewAttachmentQuery, NoBody, ExpenseAttachmentView>(
        "addExpenseAttachment",
        .post,
        "/v1/groups/{id}/expenses/{expenseId}/attachments",
        of: .groups,
        for: .user,
        bodyLimit: Attachments.bytesMax,
        request: .raw(AttachmentType.allCases.map(\.rawValue)),
        statuses: [201],
        errors: [
            .notFound, .forbidden, .groupArchived, .unreadableAttachment, .tooManyAttachments,
            .attachmentSpaceExhausted,
        ],
        summary: "Add a receipt to a shared expense",
        description: """
            A picture or a PDF of up to 10 MiB, told by its bytes; an expense has 10 at most. It \
            takes of the space of whoever adds it, and of the group's. Every member reads it, \
            whoever may write expenses adds one and takes any away; it is erased with whoever \
            added it. \(Attachments.metadataRules)
            """
    )

    /// Those of an expense, oldest first.
    public static let list = Endpoint<NoQuery, NoBody, Page<ExpenseAttachmentView>>(
        "listExpenseAttachments",
        .get,
        "/v1/groups/{id}/expenses/{expenseId}/attachments",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a shared expense's receipts"
    )

    /// The content of one.
    public static let get = Endpoint<NoQuery, NoBody, NoView>(
        "getExpenseAttachment",
        .get,
        "/v1/groups/{id}/expenses/{expenseId}/attachments/{attachmentId}",
        of: .groups,
        for: .user,
        response: .file(AttachmentType.allCases.map(\.rawValue)),
        statuses: [200, 206],
        errors: [.notFound],
        isTagged: true,
        summary: "The content of a shared expense's receipt",
        description: Attachments.contentRules
    )

    /// Takes one away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "deleteExpenseAttachment",
        .delete,
        "/v1/groups/{id}/expenses/{expenseId}/attachments/{attachmentId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .preconditionFailed],
        summary: "Remove a receipt of a shared expense"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        add.erased, list.erased, get.erased, remove.erased,
    ]
}
