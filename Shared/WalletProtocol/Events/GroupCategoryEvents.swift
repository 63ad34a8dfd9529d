/// A group's category is there, is of another division or below another, or is gone: so are the
/// expenses in it.
public struct GroupCategoryChanged: EventBody, Hashable {
    /// `group.category.changed`.
    public static let eventType = "group.category.changed"
    public let groupID: ID<Group>
    public let categoryID: ID<GroupCategory>
    public let parentID: ID<GroupCategory>?
    public let coicop: Coicop?
    public let isDeleted: Bool

    public init(
        groupID: ID<Group>,
        categoryID: ID<GroupCategory>,
        parentID: ID<GroupCategory>? = nil,
        coicop: Coicop? = nil,
        isDeleted: Bool = false
    ) {
        self.groupID = groupID
        self.categoryID = categoryID
        self.parentID = parentID
        self.coicop = coicop
        self.isDeleted = isDeleted
    }

    public static let json = Object(
        GroupCategoryChanged.init,
        Field("groupId", \.groupID, about: "The group."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("parentId", \.parentID, about: "The one above it."),
        Field("coicop", \.coicop, about: "The division of all that is in it."),
        Field(
            "isDeleted",
            \.isDeleted,
            default: false,
            about: "Whether it is gone, and what was in it is in «Others»."
        )
    )
}
