/// A child asks its parents for a purchase.
public struct FamilyApprovalAsked: EventBody, Hashable {
    /// `family.approval.asked`.
    public static let eventType = "family.approval.asked"
    public let familyID: ID<Family>
    public let approvalID: ID<Approval>
    public let childID: ID<User>
    public let amount: Money
    public let userIDs: [ID<User>]

    public init(
        familyID: ID<Family>,
        approvalID: ID<Approval>,
        childID: ID<User>,
        amount: Money,
        userIDs: [ID<User>]
    ) {
        self.familyID = familyID
        self.approvalID = approvalID
        self.childID = childID
        self.amount = amount
        self.userIDs = userIDs
    }

    public static let json = Object(
        FamilyApprovalAsked.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("approvalId", \.approvalID, about: "The request."),
        Field("childId", \.childID, about: "Who asks."),
        Field("amount", \.amount, about: "What it costs."),
        Field("userIds", \.userIDs, about: "Whom to tell: the parents.")
    )
}

/// What became of what a child asked for.
public struct FamilyApprovalEnded: EventBody, Hashable {
    /// `family.approval.ended`.
    public static let eventType = "family.approval.ended"
    public let familyID: ID<Family>
    public let approvalID: ID<Approval>
    public let childID: ID<User>
    public let amount: Money
    public let state: ApprovalState
    public let refusal: String?
    public let userIDs: [ID<User>]

    public init(
        familyID: ID<Family>,
        approvalID: ID<Approval>,
        childID: ID<User>,
        amount: Money,
        state: ApprovalState,
        refusal: String? = nil,
        userIDs: [ID<User>]
    ) {
        self.familyID = familyID
        self.approvalID = approvalID
        self.childID = childID
        self.amount = amount
        self.state = state
        self.refusal = refusal
        self.userIDs = userIDs
    }

    public static let json = Object(
        FamilyApprovalEnded.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("approvalId", \.approvalID, about: "The request."),
        Field("childId", \.childID, about: "Who asked."),
        Field("amount", \.amount, about: "What it costs."),
        Field("state", \.state, about: "How it ended."),
        Field("refusal", \.refusal, about: "The code of why it could not be posted."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}

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

/// What parents hear of a child's account for allowances.
public enum AllowanceNotice: String, StringEnum {
    /// A limit refused what would have left the account.
    case refused
    /// Something that had left the account was deleted, lowered, moved or paid back.
    case deleted
    /// The child has deleted its user account, and its limits have ended with it.
    case lost
}

/// A limit refused something of a child's account, or something of it came back.
public struct AllowanceNoticed: EventBody, Hashable {
    /// `wallet.allowance.noticed.v1`.
    public static let eventType = "wallet.allowance.noticed.v1"
    public let accountID: ID<Account>
    public let familyID: ID<Family>
    public let userID: ID<User>
    public let notice: AllowanceNotice
    public let amount: Total

    public init(
        accountID: ID<Account>,
        familyID: ID<Family>,
        userID: ID<User>,
        notice: AllowanceNotice,
        amount: Total
    ) {
        self.accountID = accountID
        self.familyID = familyID
        self.userID = userID
        self.notice = notice
        self.amount = amount
    }

    public static let json = Object(
        AllowanceNoticed.init,
        Field("accountId", \.accountID, about: "The child's account for allowances."),
        Field("familyId", \.familyID, about: "The family."),
        Field("userId", \.userID, about: "The child."),
        Field("notice", \.notice, about: "What happened."),
        Field(
            "amount",
            \.amount,
            about: "The largest amount that was refused, or the sum of what came back."
        )
    )
}

/// Parents hear of a child's account: what a limit refused, what was deleted, or that limits ended.
public struct FamilyChildNoticed: EventBody, Hashable {
    /// `family.child.noticed`.
    public static let eventType = "family.child.noticed"
    public let familyID: ID<Family>
    public let childID: ID<User>?
    public let notice: AllowanceNotice
    public let amount: Total?
    public let userIDs: [ID<User>]

    public init(
        familyID: ID<Family>,
        childID: ID<User>? = nil,
        notice: AllowanceNotice,
        amount: Total? = nil,
        userIDs: [ID<User>]
    ) {
        self.familyID = familyID
        self.childID = childID
        self.notice = notice
        self.amount = amount
        self.userIDs = userIDs
    }

    public static let json = Object(
        FamilyChildNoticed.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("childId", \.childID, about: "The child; absent once its account is erased."),
        Field("notice", \.notice, about: "What happened."),
        Field(
            "amount",
            \.amount,
            about: "The largest amount that was refused, or the sum of what came back."
        ),
        Field("userIds", \.userIDs, about: "Whom to tell: the parents.")
    )
}

/// A parent agrees that a member of the family has another role, or the member has it now.
public struct FamilyRoleAgreed: EventBody, Hashable {
    /// `family.role.agreed`.
    public static let eventType = "family.role.agreed"
    public let familyID: ID<Family>
    public let memberID: ID<User>
    public let role: FamilyRole
    public let isChanged: Bool
    public let userIDs: [ID<User>]

    public init(
        familyID: ID<Family>,
        memberID: ID<User>,
        role: FamilyRole,
        isChanged: Bool,
        userIDs: [ID<User>]
    ) {
        self.familyID = familyID
        self.memberID = memberID
        self.role = role
        self.isChanged = isChanged
        self.userIDs = userIDs
    }

    public static let json = Object(
        FamilyRoleAgreed.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("memberId", \.memberID, about: "The member."),
        Field("role", \.role, about: "The new role."),
        Field("changed", \.isChanged, about: "Whether all parents agree, and the role changed."),
        Field("userIds", \.userIDs, about: "Whom to tell.")
    )
}

/// Of an envelope of the family's more has been spent than was in it; told once a crossing.
public struct FamilyBudgetExceeded: EventBody, Hashable {
    /// `family.budget.exceeded`.
    public static let eventType = "family.budget.exceeded"
    public let familyID: ID<Family>
    public let envelopeID: ID<HouseholdEnvelope>
    public let budget: Total
    public let spent: Total
    public let userIDs: [ID<User>]

    public init(
        familyID: ID<Family>,
        envelopeID: ID<HouseholdEnvelope>,
        budget: Total,
        spent: Total,
        userIDs: [ID<User>]
    ) {
        self.familyID = familyID
        self.envelopeID = envelopeID
        self.budget = budget
        self.spent = spent
        self.userIDs = userIDs
    }

    public static let json = Object(
        FamilyBudgetExceeded.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("envelopeId", \.envelopeID, about: "The envelope."),
        Field("budget", \.budget, about: "What was in it."),
        Field("spent", \.spent, about: "What was spent, by all parents."),
        Field("userIds", \.userIDs, about: "Whom to tell: the parents.")
    )
}
