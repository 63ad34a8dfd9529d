/// A receipt or another file that belongs to a transaction.
public struct AttachmentView: JSONObject, Hashable {
    public let id: ID<Attachment>
    public let transactionID: ID<MoneyTransaction>
    public let name: String
    public let mediaType: AttachmentType
    public let size: Int
    public let sha256: String
    public let createdAt: Instant

    public init(
        id: ID<Attachment>,
        transactionID: ID<MoneyTransaction>,
        name: String,
        mediaType: AttachmentType,
        size: Int,
        sha256: String,
        createdAt: Instant
    ) {
        self.id = id
        self.transactionID = transactionID
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.sha256 = sha256
        self.createdAt = createdAt
    }

    public static let json = Object(
        AttachmentView.init,
        Field("id", \.id, about: "The identifier."),
        Field("transactionId", \.transactionID, about: "The transaction."),
        Field("name", \.name, about: "The file's name."),
        Field("mediaType", \.mediaType, about: "What it is, found by its content."),
        Field("size", \.size, about: "How many bytes."),
        Field("sha256", \.sha256, about: "SHA-256 of the content that is kept, in hexadecimal."),
        Field("createdAt", \.createdAt, about: "When it was added.")
    )
}

/// What is taken as an attachment.
public enum AttachmentType: String, StringEnum {
    /// JPEG.
    case jpeg = "image/jpeg"
    /// PNG.
    case png = "image/png"
    /// GIF.
    case gif = "image/gif"
    /// WebP.
    case webp = "image/webp"
    /// HEIF with HEVC or others inside, as telephones make it.
    case heic = "image/heic"
    /// AVIF.
    case avif = "image/avif"
    /// PDF.
    case pdf = "application/pdf"
}

/// How a new attachment is called.
public struct NewAttachmentQuery: QueryObject, Hashable {
    public let name: String?

    public init(name: String? = nil) { self.name = name }

    public static let query = QueryFields(
        NewAttachmentQuery.init,
        QueryField(
            "name",
            \.name,
            .text(1...512),
            about: "The file's name; else that of `Content-Disposition`."
        )
    )
}

/// Receipts of transactions.
public enum Attachments {
    /// The largest file.
    public static let bytesMax = 10 << 20
    /// How many one transaction or expense has.
    public static let countMax = 10

    /// What is kept of a file.
    static let metadataRules = """
        Of a picture the metadata goes, such as place, day, device and comments; colours and \
        orientation stay. A PDF is kept as it is.
        """

    /// How a file's content is given out.
    static let contentRules = """
        To be saved, never shown within our pages. The `ETag` is the content's SHA-256: \
        `If-None-Match` with it answers 304. `Range` of one range in bytes answers 206.
        """

    /// Adds a file.
    public static let add = Endpoint<NewAttachmentQuery, NoBody, AttachmentView>(
        "addAttachment",
        .post,
        "/v1/transactions/{id}/attachments",
        of: .ledger,
        for: .user,
        bodyLimit: bytesMax,
        request: .raw(AttachmentType.allCases.map(\.rawValue)),
        statuses: [201],
        errors: [
            .notFound, .unreadableAttachment, .tooManyAttachments, .attachmentSpaceExhausted,
        ],
        summary: "Add a receipt to a transaction",
        description: """
            A picture or a PDF of up to 10 MiB, told by its bytes; a transaction has 10 at most. \
            Its name is the query's, or that of `Content-Disposition`. \(metadataRules)
            """
    )

    /// Those of a transaction, oldest first.
    public static let list = Endpoint<NoQuery, NoBody, Page<AttachmentView>>(
        "listAttachments",
        .get,
        "/v1/transactions/{id}/attachments",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "List a transaction's receipts"
    )

    /// The content of one.
    public static let get = Endpoint<NoQuery, NoBody, NoView>(
        "getAttachment",
        .get,
        "/v1/transactions/{id}/attachments/{attachmentId}",
        of: .ledger,
        for: .user,
        response: .file(AttachmentType.allCases.map(\.rawValue)),
        statuses: [200, 206],
        errors: [.notFound],
        isTagged: true,
        summary: "A receipt's content",
        description: contentRules
    )

    /// Takes one away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "deleteAttachment",
        .delete,
        "/v1/transactions/{id}/attachments/{attachmentId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        summary: "Remove a receipt"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        add.erased, list.erased, get.erased, remove.erased,
    ]
}
