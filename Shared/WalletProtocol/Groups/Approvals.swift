/// How far a purchase is that a child asks for.
public enum ApprovalState: String, StringEnum {
    /// No parent has decided.
    case pending
    /// A parent has said yes, and it is being posted.
    case approved
    /// It stands in the child's account.
    case posted
    /// A parent has said yes, but a limit, or what the account holds, has not.
    case refused
    /// A parent has said no.
    case declined
    /// The child does not want it any more.
    case withdrawn
    /// Nobody decided in time.
    case expired

    /// How many states it has come through: none is left for one before it.
    var version: Int {
        switch self {
        case .pending: 1
        case .approved, .declined, .withdrawn, .expired: 2
        case .posted, .refused: 3
        }
    }
}

/// What a child asks for.
public struct NewApproval: JSONObject, Hashable {
    public let accountID: ID<Account>?
    public let amount: Money
    public let name: String
    public let categoryID: CategoryID?
    public let description: String?
    public let date: Day?

    public init(
        accountID: ID<Account>? = nil,
        amount: Money,
        name: String,
        categoryID: CategoryID? = nil,
        description: String? = nil,
        date: Day? = nil
    ) {
        self.accountID = accountID
        self.amount = amount
        self.name = name
        self.categoryID = categoryID
        self.description = description
        self.date = date
    }

    public static let json = Object(
        NewApproval.init,
        Field("accountId", \.accountID, about: "The child's account for allowances; no other."),
        Field("amount", \.amount, .sent, .positive, about: "What it costs; above zero."),
        Field("name", \.name, .line(1...140), about: "What it is."),
        Field("categoryId", \.categoryID, about: "The child's; «Others» where left out."),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("date", \.date, about: "The day; that on which it is posted where left out.")
    )
}

/// A purchase that a child asks for.
public struct ApprovalView: JSONObject, Hashable {
    public let id: ID<Approval>
    public let childID: ID<User>
    public let amount: Money
    public let name: String
    public let categoryID: CategoryID?
    public let categoryName: String?
    public let description: String?
    public let date: Day?
    public let state: ApprovalState
    public let createdAt: Instant
    public let expiresAt: Instant
    public var decidedBy: ID<User>?
    public var decidedAt: Instant?
    public var reason: String?
    public var transactionID: ID<MoneyTransaction>?
    public var refusal: String?
    /// Counts what has become of it.
    public var version: Int { state.version }

    /// What is asked for; the rest is set once it is decided.
    public init(
        id: ID<Approval>,
        childID: ID<User>,
        asked: NewApproval,
        categoryName: String?,
        state: ApprovalState,
        createdAt: Instant,
        expiresAt: Instant
    ) {
        self.id = id
        self.childID = childID
        amount = asked.amount
        name = asked.name
        categoryID = asked.categoryID
        self.categoryName = categoryName
        description = asked.description
        date = asked.date
        self.state = state
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    public static let json = Object(
        {
            @Sendable (
                id: ID<Approval>,
                childID: ID<User>,
                amount: Money,
                name: String,
                categoryID: CategoryID?,
                categoryName: String?,
                description: String?,
                date: Day?,
                state: ApprovalState,
                createdAt: Instant,
                expiresAt: Instant,
                decidedBy: ID<User>?,
                decidedAt: Instant?,
                reason: String?,
                transactionID: ID<MoneyTransaction>?,
                refusal: String?,
                _: Int
            ) -> ApprovalView in
            var view = ApprovalView(
                id: id,
                childID: childID,
                asked: NewApproval(
                    amount: amount,
                    name: name,
                    categoryID: categoryID,
                    description: description,
                    date: date
                ),
                categoryName: categoryName,
                state: state,
                createdAt: createdAt,
                expiresAt: expiresAt
            )
            view.decidedBy = decidedBy
            view.decidedAt = decidedAt
            view.reason = reason
            view.transactionID = transactionID
            view.refusal = refusal
            return view
        },
        Field("id", \.id, about: "The identifier."),
        Field("childId", \.childID, about: "Who asks."),
        Field("amount", \.amount, about: "What it costs."),
        Field("name", \.name, about: "What it is."),
        Field("categoryId", \.categoryID, about: "The child's category, where one was named."),
        Field("categoryName", \.categoryName, about: "What the child called it."),
        Field("description", \.description, about: "More about it."),
        Field("date", \.date, about: "The day, where one was named."),
        Field("state", \.state, about: "How far it is."),
        Field("createdAt", \.createdAt, about: "When it was asked for."),
        Field("expiresAt", \.expiresAt, about: "Until when it can be decided."),
        Field("decidedBy", \.decidedBy, about: "Which parent decided, while in the family."),
        Field("decidedAt", \.decidedAt, about: "When."),
        Field("reason", \.reason, about: "What the parent said of it."),
        Field("transactionId", \.transactionID, about: "The child's transaction, once posted."),
        Field("refusal", \.refusal, about: "Why it could not be posted, as an error's code."),
        Field("version", \.version, about: "Counts what has become of it, from 1.")
    )
}

/// Yes or no.
public struct ApprovalDecision: JSONObject, Hashable {
    public let isApproved: Bool
    public let reason: String?

    public init(isApproved: Bool, reason: String? = nil) {
        self.isApproved = isApproved
        self.reason = reason
    }

    public static let json = Object(
        ApprovalDecision.init,
        Field("approved", \.isApproved, about: "Whether it may be bought."),
        Field("reason", \.reason, .text(1...500), about: "Why; the child reads it.")
    )
}

/// What children ask their parents for.
public enum Approvals {
    /// How many of a child's may be pending.
    public static let pendingMax = 20
    /// How many a child may ask for within a day.
    public static let dayMax = 100

    /// Asks.
    public static let ask = Endpoint<NoQuery, NewApproval, ApprovalView>(
        "askForApproval",
        .post,
        "/v1/families/me/approvals",
        of: .groups,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [.notFound, .memberIsParent, .tooManyApprovals, .tooManyRequests],
        isTagged: true,
        summary: "Ask one's parents for a purchase, as a child",
        description: """
            Every parent is told. It is posted on the account for allowances once one of them \
            approves, exactly as it was asked for, and expires after seven days.
            """
    )

    /// The family's, newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<ApprovalView>>(
        "listApprovals",
        .get,
        "/v1/families/me/approvals",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List what children ask for, newest first",
        description: "For a parent all of the family's, for a child its own; ended ones 90 days."
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, ApprovalView>(
        "getApproval",
        .get,
        "/v1/families/me/approvals/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read what a child asks for"
    )

    /// Takes it back.
    public static let withdraw = Endpoint<NoQuery, NoBody, NoView>(
        "withdrawApproval",
        .delete,
        "/v1/families/me/approvals/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound, .memberIsParent, .alreadyDecided, .preconditionFailed],
        summary: "Withdraw what one has asked for, as a child"
    )

    /// Decides.
    public static let decide = Endpoint<NoQuery, ApprovalDecision, ApprovalView>(
        "decideApproval",
        .post,
        "/v1/families/me/approvals/{id}/decision",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .alreadyDecided, .preconditionFailed],
        isTagged: true,
        summary: "Approve of a purchase of a child's, or decline it, as a parent",
        description: """
            Of two at once the first decides. What is approved is posted, once, though this call \
            be cut off or answered with 503; `refused` with `refusal` where a limit of the month \
            or the balance does not let it through.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        ask.erased, list.erased, get.erased, withdraw.erased, decide.erased,
    ]
}
