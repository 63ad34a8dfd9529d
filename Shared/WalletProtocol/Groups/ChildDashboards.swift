/// How a child stands.
public struct ChildDashboard: JSONObject, Hashable {
    public let child: FamilyMemberView
    public let overview: Overview
    public let limits: SpendingLimitsView

    public init(child: FamilyMemberView, overview: Overview, limits: SpendingLimitsView) {
        self.child = child
        self.overview = overview
        self.limits = limits
    }

    public static let json = Object(
        ChildDashboard.init,
        Field("child", \.child, about: "Who it is."),
        Field("overview", \.overview, about: "Balances, budgets, the last month and the newest."),
        Field(
            "limits",
            \.limits,
            about: "What has left the account for allowances in the running month, and its limits."
        )
    )
}

/// What parents see of their children.
public enum ChildDashboards {
    /// One child's.
    public static let get = Endpoint<NoQuery, NoBody, ChildDashboard>(
        "getChildDashboard",
        .get,
        "/v1/families/me/children/{userId}/dashboard",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .memberIsParent],
        summary: "How a child stands",
        description:
            "Balances, budgets, income and expenses of the last month, the newest transactions, "
            + "and what counts against the child's limits."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [get.erased]
}
