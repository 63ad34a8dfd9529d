/// What is open with a friend in one group, in one currency.
public struct FriendBalance: JSONObject, Hashable {
    public let groupID: ID<Group>
    public let amount: Money

    public init(groupID: ID<Group>, amount: Money) {
        self.groupID = groupID
        self.amount = amount
    }

    public static let json = Object(
        FriendBalance.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("amount", \.amount, about: "Positive: they owe the caller.")
    )
}

/// Somebody with whom one shares groups, and what is open with them.
public struct FriendView: JSONObject, Hashable {
    public let userID: ID<User>
    public let displayName: String
    public let totals: [Total]
    public let balances: [FriendBalance]
    public let nextCursor: Cursor?

    public init(
        userID: ID<User>,
        displayName: String,
        totals: [Total],
        balances: [FriendBalance],
        nextCursor: Cursor? = nil
    ) {
        self.userID = userID
        self.displayName = displayName
        self.totals = totals
        self.balances = balances
        self.nextCursor = nextCursor
    }

    public static let json = Object(
        FriendView.init,
        Field("userId", \.userID, about: "Who."),
        Field("displayName", \.displayName, about: "How others see them."),
        Field(
            "totals",
            \.totals,
            about: "Over all groups, by currency; positive: they owe the caller. Empty: all even. "
                + "What is open with somebody who has left a group, or whom the caller left in "
                + "one, is in it."
        ),
        Field("balances", \.balances, about: "What of it is of which group."),
        Field(
            "nextCursor",
            \.nextCursor,
            about: "More is open than is here: `listFriendBalances` goes on with it."
        )
    )
}

/// People with whom one shares groups.
public enum Friends {
    /// All of them.
    public static let list = Endpoint<PageQuery, NoBody, Page<FriendView>>(
        "listFriends",
        .get,
        "/v1/friends",
        of: .groups,
        for: .user,
        summary: "List with whom one shares groups, and what is open with each over all of them"
    )

    /// What is open with one, by page.
    public static let balances = Endpoint<PageQuery, NoBody, Page<FriendBalance>>(
        "listFriendBalances",
        .get,
        "/v1/friends/{userId}/balances",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List what is open with a friend, by group and currency"
    )

    /// What two share without a group of others.
    public static let pair = Endpoint<NoQuery, NoBody, GroupView>(
        "pairWithFriend",
        .put,
        "/v1/friends/{userId}/group",
        of: .groups,
        for: .user,
        statuses: [200, 201],
        errors: [.notFound, .userBlocked, .groupArchived, .tooManyRequests],
        isTagged: true,
        summary: "The group that one has with a friend alone, made where there is none",
        description: """
            For expenses between two people without a group: each sees it by the other's name. \
            The friend is somebody with whom the caller shares a group or a family. The friend is \
            invited, and is in the group once they accept or make this call themselves: no expense \
            can be added before (409 `not-agreed`). The call also ends the caller's own refusal of \
            `refuseFriendsDebts`. Once one of the two names the group or leaves, it is a group as \
            any other.
            """
    )

    /// No new debts with a friend where only the two are.
    public static let refuse = Endpoint<NoQuery, NoBody, NoView>(
        "refuseFriendsDebts",
        .delete,
        "/v1/friends/{userId}/group",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Refuse new debts with a friend in a group of two",
        description: """
            In groups that only the two are in, guests aside, no expense makes either owe more \
            (409 `not-agreed`), until the caller calls `pairWithFriend`. What is open stays, and \
            is settled as before.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, balances.erased, pair.erased, refuse.erased,
    ]
}
