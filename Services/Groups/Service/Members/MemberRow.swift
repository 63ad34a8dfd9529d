import WalletProtocol

/// Who is, or was, in a group.
struct MemberRow: Sendable, Hashable {
    let id: ID<Member>
    let user: ID<User>?
    let displayName: String
    let role: GroupRole
    let joinedAt: Instant
    let leftAt: Instant?

    /// Somebody without an account, for whom the others write down.
    var isGuest: Bool { user == nil && leftAt == nil }

    /// The member as another, or they themselves, see them.
    func view(in group: GroupRow, for user: ID<User>) -> MemberView {
        MemberView(
            id: id,
            userID: self.user,
            displayName: displayName,
            isMe: self.user == user,
            role: group.hasRoles && self.user != nil ? role : nil,
            joinedAt: joinedAt,
            leftAt: leftAt
        )
    }
}
