/// A right on a folder as the ledger knows it now.
public struct FolderRight: JSONObject, Hashable {
    public let name: String
    public let access: FolderAccess
    public let otherAccess: FolderAccess?
    public let memberCount: Int

    public init(
        name: String,
        access: FolderAccess,
        otherAccess: FolderAccess?,
        memberCount: Int
    ) {
        self.name = name
        self.access = access
        self.otherAccess = otherAccess
        self.memberCount = memberCount
    }

    public static let json = Object(
        FolderRight.init,
        Field("name", \.name, about: "The folder's name."),
        Field("access", \.access, about: "What the one may do."),
        Field(
            "otherAccess",
            \.otherAccess,
            about: "What the other may do; absent where they are a stranger."
        ),
        Field("memberCount", \.memberCount, about: "How many are in it, the owner included.")
    )
}

/// An accepted invitation to a folder.
public struct FolderJoining: JSONObject, Hashable {
    public let invitationID: ID<Invitation>
    public let invitedBy: ID<User>
    public let access: MemberAccess

    public init(invitationID: ID<Invitation>, invitedBy: ID<User>, access: MemberAccess) {
        self.invitationID = invitationID
        self.invitedBy = invitedBy
        self.access = access
    }

    public static let json = Object(
        FolderJoining.init,
        Field(
            "invitationId",
            \.invitationID,
            about: "The invitation: each is accepted once, however often it is told."
        ),
        Field("invitedBy", \.invitedBy, about: "Who invited, and has to own the folder still."),
        Field("access", \.access, about: "What the new member may do.")
    )
}

/// What the ledger answers to groups about shared folders.
public enum InternalFolders {
    /// The right of a user, live.
    public static let access = Endpoint<SharedRightQuery, NoBody, FolderRight>(
        "getFolderAccess",
        .get,
        "/internal/folders/{id}/access",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "A user's right on a folder, live"
    )

    /// Makes somebody a member, once for each invitation.
    public static let join = Endpoint<NoQuery, FolderJoining, FolderView>(
        "joinFolder",
        .put,
        "/internal/folders/{id}/members/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound, .tooManyMembers],
        summary: "Make somebody a member of a folder, by their invitation"
    )

    /// The folder as a member sees it.
    public static let get = Endpoint<NoQuery, NoBody, FolderView>(
        "getSharedFolder",
        .get,
        "/internal/folders/{id}/members/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "A folder as a member sees it"
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [access.erased, join.erased, get.erased]
}
