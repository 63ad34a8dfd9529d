/// What somebody is in a family.
public enum FamilyRole: String, StringEnum {
    /// Looks after it, and pays allowances.
    case parent
    /// Has an account for allowances.
    case child
}

/// What a family is made with.
public struct NewFamily: JSONObject, Hashable {
    public let name: String?
    public let currency: Currency?

    public init(name: String? = nil, currency: Currency? = nil) {
        self.name = name
        self.currency = currency
    }

    public static let json = Object(
        NewFamily.init,
        Field("name", \.name, .line(1...80), about: "The name; «Family» where left out."),
        Field("currency", \.currency, about: "Of allowances; the user's where left out.")
    )
}

/// What is changed of a family.
public struct FamilyChange: JSONObject, Hashable {
    public let name: String

    public init(name: String) { self.name = name }

    public static let json = Object(
        FamilyChange.init,
        Field("name", \.name, .line(1...80), about: "The new name.")
    )
}

/// The role that a parent wants a member of the family to have.
public struct FamilyRoleChange: JSONObject, Hashable {
    public let role: FamilyRole

    public init(role: FamilyRole) { self.role = role }

    public static let json = Object(
        FamilyRoleChange.init,
        Field(
            "role",
            \.role,
            about: "The new role; the present role withdraws what parents have agreed to."
        )
    )
}

/// Somebody in a family.
public struct FamilyMemberView: JSONObject, Hashable {
    public let userID: ID<User>
    public let displayName: String
    public let role: FamilyRole
    public let isMe: Bool
    public let joinedAt: Instant
    public let agreedBy: [ID<User>]

    public init(
        userID: ID<User>,
        displayName: String,
        role: FamilyRole,
        isMe: Bool,
        joinedAt: Instant,
        agreedBy: [ID<User>] = []
    ) {
        self.userID = userID
        self.displayName = displayName
        self.role = role
        self.isMe = isMe
        self.joinedAt = joinedAt
        self.agreedBy = agreedBy
    }

    public static let json = Object(
        FamilyMemberView.init,
        Field("userId", \.userID, about: "Who."),
        Field("displayName", \.displayName, about: "How the others see them."),
        Field("role", \.role, about: "What they are in it."),
        Field("me", \.isMe, about: "Whether it is who asks."),
        Field("joinedAt", \.joinedAt, about: "Since when they have this role."),
        Field(
            "agreedBy",
            \.agreedBy,
            about: "The parents who want the member to have the other role."
        )
    )
}

/// A family.
public struct FamilyView: JSONObject, Hashable {
    public let id: ID<Family>
    public let name: String
    public let currency: Currency
    public let role: FamilyRole
    public let members: [FamilyMemberView]
    public let createdAt: Instant

    public init(
        id: ID<Family>,
        name: String,
        currency: Currency,
        role: FamilyRole,
        members: [FamilyMemberView],
        createdAt: Instant
    ) {
        self.id = id
        self.name = name
        self.currency = currency
        self.role = role
        self.members = members
        self.createdAt = createdAt
    }

    public static let json = Object(
        FamilyView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("currency", \.currency, about: "Of allowances."),
        Field("role", \.role, about: "What the caller is in it."),
        Field("members", \.members, about: "Who is in it, in the order of joining."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// Who is invited to a family.
public struct FamilyInvitee: JSONObject, Hashable {
    public let email: String
    public let role: FamilyRole

    public init(email: String, role: FamilyRole) {
        self.email = email
        self.role = role
    }

    public static let json = Object(
        FamilyInvitee.init,
        Field("email", \.email, .line(3...254), about: "The address."),
        Field("role", \.role, about: "What they will be in it.")
    )
}

/// An allowance to be paid.
public struct NewAllowance: JSONObject, Hashable {
    public let amount: Money
    public let fromAccountID: ID<Account>?
    public let name: String?
    public let rule: RecurrenceRule?

    public init(
        amount: Money,
        fromAccountID: ID<Account>? = nil,
        name: String? = nil,
        rule: RecurrenceRule? = nil
    ) {
        self.amount = amount
        self.fromAccountID = fromAccountID
        self.name = name
        self.rule = rule
    }

    public static let json = Object(
        NewAllowance.init,
        Field("amount", \.amount, .sent, .positive, about: "How much, in the family's currency."),
        Field(
            "fromAccountId",
            \.fromAccountID,
            about: "The parent's account that pays; income of the child's where left out."
        ),
        Field("name", \.name, .line(1...80), about: "What it is called."),
        Field(
            "recurrence",
            \.rule,
            about: "How often it comes again, counted from today; never where left out."
        )
    )
}

/// An allowance that was paid.
public struct AllowanceView: JSONObject, Hashable {
    public let id: ID<AllowanceOrder>
    public let childID: ID<User>
    public let amount: Money
    public let accountID: ID<Account>
    public let transactionID: ID<MoneyTransaction>
    public let transferID: ID<Transfer>?
    public let recurrenceID: ID<Recurrence>?

    public init(
        id: ID<AllowanceOrder>,
        childID: ID<User>,
        amount: Money,
        accountID: ID<Account>,
        transactionID: ID<MoneyTransaction>,
        transferID: ID<Transfer>? = nil,
        recurrenceID: ID<Recurrence>? = nil
    ) {
        self.id = id
        self.childID = childID
        self.amount = amount
        self.accountID = accountID
        self.transactionID = transactionID
        self.transferID = transferID
        self.recurrenceID = recurrenceID
    }

    /// The same, of an allowance that comes again.
    public func again(_ recurrence: ID<Recurrence>) -> AllowanceView {
        AllowanceView(
            id: id,
            childID: childID,
            amount: amount,
            accountID: accountID,
            transactionID: transactionID,
            transferID: transferID,
            recurrenceID: recurrence
        )
    }

    public static let json = Object(
        AllowanceView.init,
        Field("id", \.id, about: "The payment."),
        Field("childId", \.childID, about: "Who got it."),
        Field("amount", \.amount, about: "How much."),
        Field("accountId", \.accountID, about: "The child's account."),
        Field("transactionId", \.transactionID, about: "What the child sees."),
        Field("transferId", \.transferID, about: "The transfer, where a parent's account paid."),
        Field("recurrenceId", \.recurrenceID, about: "What comes again, where it does.")
    )
}

/// Parents and children; everybody is in one family at most.
public enum Families {
    /// How many are in a family at most, those who are asked included.
    public static let membersMax = 20

    /// Makes one.
    public static let make = Endpoint<NoQuery, NewFamily, FamilyView>(
        "makeFamily",
        .post,
        "/v1/families",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [.alreadyInFamily],
        isTagged: true,
        summary: "Make a family, as its first parent"
    )

    /// One's own.
    public static let get = Endpoint<NoQuery, NoBody, FamilyView>(
        "getFamily",
        .get,
        "/v1/families/me",
        of: .groups,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read one's family"
    )

    /// Renames it.
    public static let change = Endpoint<NoQuery, FamilyChange, FamilyView>(
        "changeFamily",
        .patch,
        "/v1/families/me",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .preconditionFailed],
        summary: "Rename one's family"
    )

    /// Agrees to a role.
    public static let setRole = Endpoint<NoQuery, FamilyRoleChange, FamilyView>(
        "setFamilyRole",
        .put,
        "/v1/families/me/members/{userId}/role",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .lastParent, .preconditionFailed],
        summary: "Agree that a member of one's family becomes a parent or a child",
        description: """
            The role changes once every parent has sent the same role. Until then `agreedBy` names \
            the parents who have, and any parent withdraws it by sending the present role. A child \
            who becomes a parent keeps the account for allowances as a wallet without limits. A \
            parent who becomes a child gets an account for allowances.
            """
    )

    /// Takes it away.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeFamily",
        .delete,
        "/v1/families/me",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .preconditionFailed],
        summary: "Delete one's family",
        description: "Children's accounts become wallets of theirs, with all that is in them."
    )

    /// Invites somebody.
    public static let invite = Endpoint<NoQuery, FamilyInvitee, InvitationView>(
        "inviteToFamily",
        .post,
        "/v1/families/me/invitations",
        of: .groups,
        for: .user,
        statuses: [201],
        errors: [
            .notFound, .parentsOnly, .alreadyMember, .alreadyInvited, .tooManyMembers,
            .tooManyRequests,
        ],
        isTagged: true,
        summary: "Invite somebody to one's family, as parent or child"
    )

    /// The open invitations.
    public static let invitations = Endpoint<PageQuery, NoBody, Page<InvitationView>>(
        "listFamilyInvitations",
        .get,
        "/v1/families/me/invitations",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly],
        summary: "List the open invitations to one's family"
    )

    /// Takes an invitation back.
    public static let withdraw = Endpoint<NoQuery, NoBody, NoView>(
        "withdrawFamilyInvitation",
        .delete,
        "/v1/families/me/invitations/{invitationId}",
        of: .groups,
        for: .user,
        errors: [.notFound, .parentsOnly, .preconditionFailed],
        summary: "Take back an invitation to one's family"
    )

    /// Ends a membership.
    public static let removeMember = Endpoint<NoQuery, NoBody, NoView>(
        "removeFamilyMember",
        .delete,
        "/v1/families/me/members/{userId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .parentsOnly, .memberIsParent, .childCannotLeave, .preconditionFailed,
        ],
        summary: "Leave one's family as a parent (`me`), or remove a child from it",
        description:
            "The last parent who leaves takes the family along. `If-Match` takes the family's "
            + "`ETag`, which counts who is in it, too."
    )

    /// Pays an allowance.
    public static let pay = Endpoint<NoQuery, NewAllowance, AllowanceView>(
        "payFamilyAllowance",
        .post,
        "/v1/families/me/children/{userId}/allowances",
        of: .groups,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [
            .notFound, .parentsOnly, .memberIsParent, .accountKind, .accountClosed,
            .insufficientFunds, .currencyMismatch, .stepUpRequired, .tooManyRecurrences,
        ],
        summary: "Pay a child an allowance, now and, by its recurrence, again",
        description: """
            From an account it is a transfer to somebody else: above a configured sum it needs a \
            fresh proof. With `recurrence` it is paid again as each of its days begins where the \
            parent who pays is, by itself, once; where the account does not hold enough that day \
            is left out, and who pays is told.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, get.erased, change.erased, setRole.erased, remove.erased, invite.erased,
        invitations.erased,
        withdraw.erased, removeMember.erased, pay.erased, limits.erased, setLimits.erased,
    ]
}
