/// Who is invited to a folder: by one of two names.
public struct FolderInvitee: JSONObject, Hashable {
    public let username: String?
    public let email: String?
    public let access: MemberAccess

    /// By whom they are named.
    public var invitee: Invitee { Invitee(username: username, email: email) }

    public static let json = Object(
        FolderInvitee.init,
        Field("username", \.username, .line(1...64), about: "The public name."),
        Field("email", \.email, .line(3...254), about: "The address."),
        Field("access", \.access, default: .read, about: "What they may do.")
    )
}

/// What changes of a membership.
public struct FolderMemberChange: JSONObject, Hashable {
    public let access: MemberAccess

    public init(access: MemberAccess) { self.access = access }

    public static let json = Object(
        FolderMemberChange.init,
        Field("access", \.access, about: "What they may do from now on.")
    )
}

/// Folders with other people.
public enum FolderMembers {
    /// How many are in a folder at most, those who are asked and the owner included.
    public static let countMax = 50

    /// Invites somebody.
    public static let invite = Endpoint<NoQuery, FolderInvitee, InvitationView>(
        "inviteToFolder",
        .post,
        "/v1/folders/{id}/invitations",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [
            .notFound, .forbidden, .userNotFound, .alreadyMember, .alreadyInvited, .tooManyMembers,
            .tooManyRequests,
        ],
        isTagged: true,
        summary: "Invite somebody to a folder",
        description: "Only its owner does."
    )

    /// The open invitations.
    public static let invitations = Endpoint<PageQuery, NoBody, Page<InvitationView>>(
        "listFolderInvitations",
        .get,
        "/v1/folders/{id}/invitations",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "List the open invitations to one's folder"
    )

    /// Takes an invitation back.
    public static let withdraw = Endpoint<NoQuery, NoBody, NoView>(
        "withdrawFolderInvitation",
        .delete,
        "/v1/folders/{id}/invitations/{invitationId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .preconditionFailed],
        summary: "Take back an invitation to one's folder"
    )

    /// Who is in one, the owner first.
    public static let list = Endpoint<PageQuery, NoBody, Page<FolderMemberView>>(
        "listFolderMembers",
        .get,
        "/v1/folders/{id}/members",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "List who is in a folder, the owner first"
    )

    /// Gives a member another right.
    public static let change = Endpoint<NoQuery, FolderMemberChange, FolderMemberView>(
        "changeFolderMember",
        .patch,
        "/v1/folders/{id}/members/{userId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Let a member of one's folder do more or less"
    )

    /// Ends a membership.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeFolderMember",
        .delete,
        "/v1/folders/{id}/members/{userId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .forbidden],
        summary: "Leave a folder (`me`), or remove somebody from one's own",
        description: "What they had put in is in it no more."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        invite.erased, invitations.erased, withdraw.erased, list.erased, change.erased,
        remove.erased,
    ]
}
