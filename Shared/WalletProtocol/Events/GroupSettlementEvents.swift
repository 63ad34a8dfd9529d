/// A debt was not paid back after all: it is open again.
public struct GroupSettlementRemoved: EventBody, Hashable {
    /// `group.settlement.removed`.
    public static let eventType = "group.settlement.removed"
    public let settlementID: ID<Settlement>
    public let groupID: ID<Group>
    public let payments: [SettlementPart]
    public let removedBy: ID<User>
    public let userIDs: [ID<User>]

    public init(
        settlementID: ID<Settlement>,
        groupID: ID<Group>,
        payments: [SettlementPart],
        removedBy: ID<User>,
        userIDs: [ID<User>]
    ) {
        self.settlementID = settlementID
        self.groupID = groupID
        self.payments = payments
        self.removedBy = removedBy
        self.userIDs = userIDs
    }

    public static let json = Object(
        GroupSettlementRemoved.init,
        Field("settlementId", \.settlementID, about: "The settlement."),
        Field("groupId", \.groupID, about: "The group."),
        Field("payments", \.payments, about: "Who was said to have paid whom, one a currency."),
        Field("removedBy", \.removedBy, about: "Who took it back."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}

/// A debt has been paid back.
public struct GroupSettlementRecorded: EventBody, Hashable {
    /// `group.settlement.recorded`.
    public static let eventType = "group.settlement.recorded"
    public let settlementID: ID<Settlement>
    public let groupID: ID<Group>
    public let payments: [SettlementPart]
    public let recordedBy: ID<User>
    public let userIDs: [ID<User>]

    public init(
        settlementID: ID<Settlement>,
        groupID: ID<Group>,
        payments: [SettlementPart],
        recordedBy: ID<User>,
        userIDs: [ID<User>]
    ) {
        self.settlementID = settlementID
        self.groupID = groupID
        self.payments = payments
        self.recordedBy = recordedBy
        self.userIDs = userIDs
    }

    public static let json = Object(
        GroupSettlementRecorded.init,
        Field("settlementId", \.settlementID, about: "The settlement."),
        Field("groupId", \.groupID, about: "The group."),
        Field("payments", \.payments, about: "Who paid whom, one a currency."),
        Field("recordedBy", \.recordedBy, about: "Who wrote it down."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}
