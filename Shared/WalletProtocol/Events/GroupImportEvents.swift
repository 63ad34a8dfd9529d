/// Expenses of another app are in a group; each is told of by itself, too.
public struct GroupImported: EventBody, Hashable {
    /// `group.imported`.
    public static let eventType = "group.imported"
    public let importID: ID<GroupImport>
    public let groupID: ID<Group>
    public let format: GroupImportFormat?
    public let expenseCount: Int
    public let settlementCount: Int
    public let importedBy: ID<User>
    public let userIDs: [ID<User>]

    public init(
        importID: ID<GroupImport>,
        groupID: ID<Group>,
        format: GroupImportFormat? = nil,
        expenseCount: Int,
        settlementCount: Int,
        importedBy: ID<User>,
        userIDs: [ID<User>]
    ) {
        self.importID = importID
        self.groupID = groupID
        self.format = format
        self.expenseCount = expenseCount
        self.settlementCount = settlementCount
        self.importedBy = importedBy
        self.userIDs = userIDs
    }

    public static let json = Object(
        GroupImported.init,
        Field("importId", \.importID, about: "The import."),
        Field("groupId", \.groupID, about: "The group."),
        Field("format", \.format, about: "The other app's format."),
        Field("expenseCount", \.expenseCount, about: "How many expenses it added."),
        Field("settlementCount", \.settlementCount, about: "How many settlements it added."),
        Field("importedBy", \.importedBy, about: "Who took it in."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}
