/// A child has spent more of a category than was set aside for it; told once a crossing.
public struct FamilyChildOverspent: EventBody, Hashable {
    /// `family.child.overspent`.
    public static let eventType = "family.child.overspent"
    public let familyID: ID<Family>
    public let childID: ID<User>
    public let budget: Total
    public let spent: Total
    public let userIDs: [ID<User>]

    public init(
        familyID: ID<Family>,
        childID: ID<User>,
        budget: Total,
        spent: Total,
        userIDs: [ID<User>]
    ) {
        self.familyID = familyID
        self.childID = childID
        self.budget = budget
        self.spent = spent
        self.userIDs = userIDs
    }

    public static let json = Object(
        FamilyChildOverspent.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("childId", \.childID, about: "Who has spent it."),
        Field("budget", \.budget, about: "What was set aside."),
        Field("spent", \.spent, about: "What was spent."),
        Field("userIds", \.userIDs, about: "Whom to tell: the parents.")
    )
}
