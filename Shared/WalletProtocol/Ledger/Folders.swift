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
    /// The name.
    public let name: String

    /// All of it.
    public init(name: String) { self.name = name }

    /// The description.
    public static let json = Object(NewFolder.init, Field("name", \.name, .line(1...80)))
}

/// What changes of a folder.
public struct FolderChange: JSONObject, Hashable {
    /// Another name.
    public let name: Replace<String>

    /// All of it.
    public init(name: Replace<String> = .unchanged) { self.name = name }

    /// The description.
    public static let json = Object(
        FolderChange.init,
        Field("name", \.name, .line(1...80))
    )
}

/// Somebody in a folder.
public struct FolderMemberView: JSONObject, Hashable {
    /// Who.
    public let userID: ID<User>
    /// How the others see them.
    public let displayName: String
    /// What they may do.
    public let access: FolderAccess
    /// Whether it is who asks.
    public let isMe: Bool
    /// Since when.
    public let joinedAt: Instant

    /// All of it.
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

    /// The description.
    public static let json = Object(
        FolderMemberView.init,
        Field("userId", \.userID),
        Field("displayName", \.displayName),
        Field("access", \.access),
        Field("me", \.isMe),
        Field("joinedAt", \.joinedAt)
    )
}

/// A category whose transactions are in a folder.
public struct FolderCategory: JSONObject, Hashable {
    /// The category.
    public let categoryID: CategoryID
    /// Its name.
    public let name: String
    /// Whose it is.
    public let userID: ID<User>

    /// All of it.
    public init(categoryID: CategoryID, name: String, userID: ID<User>) {
        self.categoryID = categoryID
        self.name = name
        self.userID = userID
    }

    /// The description.
    public static let json = Object(
        FolderCategory.init,
        Field("categoryId", \.categoryID),
        Field("name", \.name),
        Field("userId", \.userID)
    )
}

/// What is in a folder in one currency.
public struct FolderTotal: JSONObject, Hashable {
    /// How many transactions.
    public let count: Int
    /// What came in, without transfers between accounts of one person.
    public let incoming: Total
    /// What went out, zero or below, without those.
    public let outgoing: Total

    /// All of it.
    public init(count: Int, incoming: Total, outgoing: Total) {
        self.count = count
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// The description.
    public static let json = Object(
        FolderTotal.init,
        Field("count", \.count),
        Field("in", \.incoming),
        Field("out", \.outgoing)
    )
}

/// A folder.
public struct FolderView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Folder>
    /// The name.
    public let name: String
    /// What one may do with it.
    public let access: FolderAccess
    /// Whose it is.
    public let ownerID: ID<User>
    /// How many are in it, its owner included.
    public let memberCount: Int
    /// How many categories bring their transactions.
    public let categoryCount: Int
    /// When it was made.
    public let createdAt: Instant
    /// Who is in it, its owner first; where one is read.
    public var members: [FolderMemberView]?
    /// The categories that bring their transactions; where one is read.
    public var categories: [FolderCategory]?
    /// What is in it, a currency each; where one is read.
    public var totals: [FolderTotal]?

    /// All of it.
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

    /// The description.
    public static let json = Object(
        FolderView.init,
        Field("id", \.id),
        Field("name", \.name),
        Field("access", \.access),
        Field("ownerId", \.ownerID),
        Field("memberCount", \.memberCount),
        Field("categoryCount", \.categoryCount),
        Field("createdAt", \.createdAt),
        Field("members", \.members),
        Field("categories", \.categories),
        Field("totals", \.totals)
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
