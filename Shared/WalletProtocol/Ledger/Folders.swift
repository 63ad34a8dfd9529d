/// What somebody may do with a folder.
public enum FolderAccess: String, StringEnum {
    /// Everything: its name, who is in it, and whether it is.
    case owner
    /// Sees it, puts what is their own in and takes anything out.
    case write
    /// Sees it.
    case read
}

/// What an owner lets others do with a folder.
public enum MemberAccess: String, StringEnum {
    /// Sees it, puts what is their own in and takes anything out.
    case write
    /// Sees it.
    case read
}

/// What a folder is made with.
public struct NewFolder: JSONObject, Hashable {
    public let name: String

    public init(name: String) { self.name = name }

    public static let json = Object(
        NewFolder.init,
        Field("name", \.name, .line(1...80), about: "The name.")
    )
}

/// What changes of a folder.
public struct FolderChange: JSONObject, Hashable {
    public let name: Replace<String>

    public init(name: Replace<String> = .unchanged) { self.name = name }

    public static let json = Object(
        FolderChange.init,
        Field("name", \.name, .line(1...80), about: "Another name.")
    )
}

/// Somebody in a folder.
public struct FolderMemberView: JSONObject, Hashable {
    public let userID: ID<User>
    public let displayName: String
    public let access: FolderAccess
    public let isMe: Bool
    public let joinedAt: Instant

    public init(
        userID: ID<User>,
        displayName: String,
        access: FolderAccess,
        isMe: Bool,
        joinedAt: Instant
    ) {
        self.userID = userID
        self.displayName = displayName
        self.access = access
        self.isMe = isMe
        self.joinedAt = joinedAt
    }

    public static let json = Object(
        FolderMemberView.init,
        Field("userId", \.userID, about: "Who."),
        Field("displayName", \.displayName, about: "How the others see them."),
        Field("access", \.access, about: "What they may do."),
        Field("me", \.isMe, about: "Whether it is who asks."),
        Field("joinedAt", \.joinedAt, about: "Since when.")
    )
}

/// A category whose transactions are in a folder.
public struct FolderCategory: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let name: String
    public let userID: ID<User>

    public init(categoryID: CategoryID, name: String, userID: ID<User>) {
        self.categoryID = categoryID
        self.name = name
        self.userID = userID
    }

    public static let json = Object(
        FolderCategory.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("name", \.name, about: "Its name."),
        Field("userId", \.userID, about: "Whose it is.")
    )
}

/// What is in a folder in one currency.
public struct FolderTotal: JSONObject, Hashable {
    public let count: Int
    public let incoming: Total
    public let outgoing: Total

    public init(count: Int, incoming: Total, outgoing: Total) {
        self.count = count
        self.incoming = incoming
        self.outgoing = outgoing
    }

    public static let json = Object(
        FolderTotal.init,
        Field("count", \.count, about: "How many transactions."),
        Field(
            "in",
            \.incoming,
            about: "What came in, without transfers between accounts of one person."
        ),
        Field("out", \.outgoing, about: "What went out, zero or more, without those.")
    )
}

/// A folder.
public struct FolderView: JSONObject, Hashable {
    public let id: ID<Folder>
    public let name: String
    public let access: FolderAccess
    public let ownerID: ID<User>
    public let memberCount: Int
    public let categoryCount: Int
    public let createdAt: Instant
    public var members: [FolderMemberView]?
    public var categories: [FolderCategory]?
    public var totals: [FolderTotal]?

    public init(
        id: ID<Folder>,
        name: String,
        access: FolderAccess,
        ownerID: ID<User>,
        memberCount: Int,
        categoryCount: Int,
        createdAt: Instant,
        members: [FolderMemberView]? = nil,
        categories: [FolderCategory]? = nil,
        totals: [FolderTotal]? = nil
    ) {
        self.id = id
        self.name = name
        self.access = access
        self.ownerID = ownerID
        self.memberCount = memberCount
        self.categoryCount = categoryCount
        self.createdAt = createdAt
        self.members = members
        self.categories = categories
        self.totals = totals
    }

    public static let json = Object(
        FolderView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("access", \.access, about: "What one may do with it."),
        Field("ownerId", \.ownerID, about: "Whose it is."),
        Field("memberCount", \.memberCount, about: "How many are in it, its owner included."),
        Field(
            "categoryCount",
            \.categoryCount,
            about: "How many categories bring their transactions."
        ),
        Field("createdAt", \.createdAt, about: "When it was made."),
        Field("members", \.members, about: "Who is in it, its owner first; where one is read."),
        Field(
            "categories",
            \.categories,
            about: "The categories that bring their transactions; where one is read."
        ),
        Field("totals", \.totals, about: "What is in it, a currency each; where one is read.")
    )
}

/// Places where transactions are put together, alone or with others.
public enum Folders {
    /// How many folders of one's own there are at most.
    public static let ownMax = 500

    /// Makes one.
    public static let make = Endpoint<NoQuery, NewFolder, FolderView>(
        "makeFolder",
        .post,
        "/v1/folders",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [.tooManyFolders],
        isTagged: true,
        summary: "Make a folder"
    )

    /// One's own and those that others share, newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<FolderView>>(
        "listFolders",
        .get,
        "/v1/folders",
        of: .ledger,
        for: .user,
        summary: "List one's folders and those that are shared, newest first"
    )

    /// One, with who and what is in it.
    public static let get = Endpoint<NoQuery, NoBody, FolderView>(
        "getFolder",
        .get,
        "/v1/folders/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read a folder: its members, its categories and what is in it",
        description: """
            Its transactions are `GET /v1/transactions?folderId=`: everyone's, to each member. The \
            totals leave out transfers between accounts of one person, as reports do.
            """
    )

    /// Gives it another name.
    public static let change = Endpoint<NoQuery, FolderChange, FolderView>(
        "changeFolder",
        .patch,
        "/v1/folders/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden, .preconditionFailed],
        isTagged: true,
        summary: "Rename one's folder"
    )

    /// Takes it away; what was in it stays.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeFolder",
        .delete,
        "/v1/folders/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden, .preconditionFailed],
        summary: "Delete one's folder",
        description: "What was in it stays where it was, in no folder."
    )

    /// Puts a transaction of one's own in.
    public static let put = Endpoint<NoQuery, NoBody, NoView>(
        "putIntoFolder",
        .put,
        "/v1/folders/{id}/transactions/{transactionId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Put a transaction of one's own into a folder",
        description: "A transaction is in one folder at most; out of another it is taken."
    )

    /// Takes a transaction out.
    public static let take = Endpoint<NoQuery, NoBody, NoView>(
        "takeOutOfFolder",
        .delete,
        "/v1/folders/{id}/transactions/{transactionId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Take a transaction out of a folder, whosever it is",
        description: """
            404 where it is not in it, or is there by its category alone: then the category is \
            taken out.
            """
    )

    /// Puts a category of one's own in.
    public static let putCategory = Endpoint<NoQuery, NoBody, NoView>(
        "putCategoryIntoFolder",
        .put,
        "/v1/folders/{id}/categories/{categoryId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Put a category of one's own into a folder: it brings its transactions"
    )

    /// Takes a category out.
    public static let takeCategory = Endpoint<NoQuery, NoBody, NoView>(
        "takeCategoryOutOfFolder",
        .delete,
        "/v1/folders/{id}/categories/{categoryId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Take a category out of a folder, whosever it is"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, get.erased, change.erased, remove.erased, put.erased,
        take.erased, putCategory.erased, takeCategory.erased,
    ]
}
