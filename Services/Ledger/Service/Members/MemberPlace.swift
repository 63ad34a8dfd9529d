import WalletProtocol

/// Where a page of members ends; it stands also where who was there has left.
struct MemberPlace: JSONObject, Hashable {
    let isOwner: Bool
    let joinedAt: Instant
    let user: ID<User>

    init(isOwner: Bool, joinedAt: Instant, user: ID<User>) {
        self.isOwner = isOwner
        self.joinedAt = joinedAt
        self.user = user
    }

    init(_ view: WalletMemberView) {
        self.init(isOwner: view.role == .owner, joinedAt: view.joinedAt, user: view.userID)
    }

    init(_ view: FolderMemberView) {
        self.init(isOwner: view.access == .owner, joinedAt: view.joinedAt, user: view.userID)
    }

    /// Whether it comes before a member: the owner is the first, the others follow as they came.
    func isBefore(_ other: MemberPlace) -> Bool {
        if isOwner || other.isOwner { return !other.isOwner }
        return (joinedAt, user) < (other.joinedAt, other.user)
    }

    static let json = Object(
        MemberPlace.init(isOwner:joinedAt:user:),
        Field("o", \.isOwner),
        Field("j", \.joinedAt),
        Field("u", \.user)
    )
}
