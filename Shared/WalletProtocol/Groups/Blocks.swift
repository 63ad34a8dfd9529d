/// A person whom one has blocked.
public struct BlockView: JSONObject, Hashable {
    public let userID: ID<User>
    public let displayName: String
    public let createdAt: Instant

    public init(userID: ID<User>, displayName: String, createdAt: Instant) {
        self.userID = userID
        self.displayName = displayName
        self.createdAt = createdAt
    }

    public static let json = Object(
        BlockView.init,
        Field("userId", \.userID, about: "The blocked person."),
        Field("displayName", \.displayName, about: "How others see them."),
        Field("createdAt", \.createdAt, about: "Since when they are blocked.")
    )
}

/// People from whom one takes no invitation, and no new debt in a group of two.
public enum Blocks {
    /// The most people whom one person blocks.
    public static let countMax = 1_000

    /// Blocks a person; again it comes to the same.
    public static let add = Endpoint<NoQuery, NoBody, NoView>(
        "blockUser",
        .put,
        "/v1/blocks/{userId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Block a person",
        description: """
            Invitations of a blocked person, open ones included, reach the caller no more: to no \
            group, family, wallet or folder. In a group that only the two of them are in, guests \
            aside, no expense makes the caller owe more. The blocked person is not told: their \
            calls are answered as for anybody. At most 1,000 people are blocked.
            """
    )

    /// Ends a block.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "unblockUser",
        .delete,
        "/v1/blocks/{userId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "End a block"
    )

    /// All of them.
    public static let list = Endpoint<PageQuery, NoBody, Page<BlockView>>(
        "listBlocks",
        .get,
        "/v1/blocks",
        of: .groups,
        for: .user,
        summary: "List whom one has blocked"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [add.erased, remove.erased, list.erased]
}
