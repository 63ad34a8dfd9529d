/// Where one member stands.
public struct MemberBalance: JSONObject, Hashable {
    /// The member.
    public let memberID: ID<Member>
    /// One a currency, none that is zero; above zero: is owed.
    public let balances: [Money]

    /// All of it.
    public init(memberID: ID<Member>, balances: [Money]) {
        self.memberID = memberID
        self.balances = balances
    }

    /// The description.
    public static let json = Object(
        MemberBalance.init,
        Field("memberId", \.memberID),
        Field("balances", \.balances)
    )
}

/// What one member owes another.
public struct Debt: JSONObject, Hashable {
    /// Who owes.
    public let fromMemberID: ID<Member>
    /// Who is owed.
    public let toMemberID: ID<Member>
    /// How much.
    public let amount: Money
    /// The expenses that explain it.
    public let expenseIDs: [ID<Expense>]?

    /// All of it.
    public init(
        fromMemberID: ID<Member>,
        toMemberID: ID<Member>,
        amount: Money,
        expenseIDs: [ID<Expense>]? = nil
    ) {
        self.fromMemberID = fromMemberID
        self.toMemberID = toMemberID
        self.amount = amount
        self.expenseIDs = expenseIDs
    }

    /// The description.
    public static let json = Object(
        Debt.init,
        Field("fromMemberId", \.fromMemberID),
        Field("toMemberId", \.toMemberID),
        Field("amount", \.amount),
        Field("expenseIds", \.expenseIDs)
    )
}

/// Where everybody stands.
public struct BalancesView: JSONObject, Hashable {
    /// Each member.
    public let members: [MemberBalance]
    /// Who owes whom, with the expenses that explain it.
    public let debts: [Debt]
    /// The fewest transfers that settle everything.
    public let simplified: [Debt]

    /// All of it.
    public init(members: [MemberBalance], debts: [Debt], simplified: [Debt]) {
        self.members = members
        self.debts = debts
        self.simplified = simplified
    }

    /// The description.
    public static let json = Object(
        BalancesView.init,
        Field("members", \.members),
        Field("debts", \.debts),
        Field("simplified", \.simplified)
    )
}

/// A debt paid back.
public struct NewSettlement: JSONObject, Hashable {
    /// The other side.
    public let withMemberID: ID<Member>
    /// How much; everything open between the two where left out.
    public let amount: Money?

    /// All of it.
    public init(withMemberID: ID<Member>, amount: Money? = nil) {
        self.withMemberID = withMemberID
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        NewSettlement.init,
        Field("withMemberId", \.withMemberID),
        Field("amount", \.amount, .sent, .positive)
    )
}

/// One currency of a settlement.
public struct SettlementPart: JSONObject, Hashable {
    /// Who paid.
    public let fromMemberID: ID<Member>
    /// Who got it.
    public let toMemberID: ID<Member>
    /// How much.
    public let amount: Money

    /// All of it.
    public init(fromMemberID: ID<Member>, toMemberID: ID<Member>, amount: Money) {
        self.fromMemberID = fromMemberID
        self.toMemberID = toMemberID
        self.amount = amount
    }

    /// The description.
    public static let json = Object(
        SettlementPart.init,
        Field("fromMemberId", \.fromMemberID),
        Field("toMemberId", \.toMemberID),
        Field("amount", \.amount)
    )
}

/// A debt paid back.
public struct SettlementView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Settlement>
    /// The group.
    public let groupID: ID<Group>
    /// Who paid whom, one a currency.
    public let payments: [SettlementPart]
    /// Who wrote it down.
    public let recordedBy: ID<Member>
    /// When.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<Settlement>,
        groupID: ID<Group>,
        payments: [SettlementPart],
        recordedBy: ID<Member>,
        createdAt: Instant
    ) {
        self.id = id
        self.groupID = groupID
        self.payments = payments
        self.recordedBy = recordedBy
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        SettlementView.init,
        Field("id", \.id),
        Field("groupId", \.groupID),
        Field("payments", \.payments),
        Field("recordedBy", \.recordedBy),
        Field("createdAt", \.createdAt)
    )
}

/// Who owes whom.
public enum Settlements {
    /// Where everybody stands.
    public static let balances = Endpoint<NoQuery, NoBody, BalancesView>(
        "getBalances",
        .get,
        "/v1/groups/{id}/balances",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Balances of a group",
        description: "One vector by currency for each member; they sum to zero per currency."
    )

    /// Pays back.
    public static let settle = Endpoint<NoQuery, NewSettlement, SettlementView>(
        "settle",
        .post,
        "/v1/groups/{id}/settlements",
        of: .groups,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.notFound, .nothingToSettle, .settlementTooLarge],
        summary: "Record that a debt was paid back"
    )

    /// A group's, newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<SettlementView>>(
        "listSettlements",
        .get,
        "/v1/groups/{id}/settlements",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List a group's settlements, newest first"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        balances.erased, settle.erased, list.erased,
    ]
}
