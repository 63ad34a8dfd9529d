/// Where one member stands.
public struct MemberBalance: JSONObject, Hashable {
    public let memberID: ID<Member>
    public let balances: [Money]
    public let converted: Total

    public init(memberID: ID<Member>, balances: [Money], converted: Total) {
        self.memberID = memberID
        self.balances = balances
        self.converted = converted
    }

    public static let json = Object(
        MemberBalance.init,
        Field("memberId", \.memberID, about: "The member."),
        Field(
            "balances",
            \.balances,
            about: "One a currency, none that is zero; above zero: is owed."
        ),
        Field(
            "converted",
            \.converted,
            about: "The sum of `balances` in the group's currency, at the newest rates and for "
                + "show alone; without those that have no rate."
        )
    )
}

/// By what a currency is shown in the group's.
public struct BalanceRate: JSONObject, Hashable {
    public let currency: Currency
    public let rate: RateView

    public init(currency: Currency, rate: RateView) {
        self.currency = currency
        self.rate = rate
    }

    public static let json = Object(
        BalanceRate.init,
        Field("currency", \.currency, about: "The other currency."),
        Field("rate", \.rate, about: "Units of the group's for one of it, whose and of which day.")
    )
}

/// Where everybody stands.
public struct BalancesView: JSONObject, Hashable {
    public let currency: Currency
    public let members: [MemberBalance]
    public let debts: [Debt]
    public let simplified: [Debt]
    public let rates: [BalanceRate]
    public let unconverted: Int
    public let nextCursor: Cursor?
    public let nextCurrencies: Cursor?

    public init(
        currency: Currency,
        members: [MemberBalance],
        debts: [Debt],
        simplified: [Debt],
        rates: [BalanceRate],
        unconverted: Int,
        nextCursor: Cursor? = nil,
        nextCurrencies: Cursor? = nil
    ) {
        self.currency = currency
        self.members = members
        self.debts = debts
        self.simplified = simplified
        self.rates = rates
        self.unconverted = unconverted
        self.nextCursor = nextCursor
        self.nextCurrencies = nextCurrencies
    }

    public static let json = Object(
        BalancesView.init,
        Field("currency", \.currency, about: "The group's."),
        Field("members", \.members, about: "Each member."),
        Field(
            "debts",
            \.debts,
            about: "Who owes whom, with the expenses that explain it; empty with a `cursor`."
        ),
        Field(
            "simplified",
            \.simplified,
            about:
                "Payments that settle everything, in each currency: the fewest there can be among "
                + "up to twelve people with open balances. Among more, who owes is paired with who "
                + "is owed just as much, then the largest debtor pays the largest creditor until "
                + "nothing is open: at most one payment less than people. Where debts are not "
                + "simplified, each of `debts`."
        ),
        Field("rates", \.rates, about: "By which other currencies are shown in the group's."),
        Field(
            "unconverted",
            \.unconverted,
            about: "How many balances have no rate, or none right now."
        ),
        Field(
            "nextCursor",
            \.nextCursor,
            about: "More debts are open than are here: `listDebts` goes on with it."
        ),
        Field(
            "nextCurrencies",
            \.nextCurrencies,
            about: "Balances are open in more currencies than are here: the same call goes on with "
                + "it as `cursor`. Absent where all are here."
        )
    )
}

/// A debt paid back.
public struct NewSettlement: JSONObject, Hashable {
    public let memberID: ID<Member>?
    public let withMemberID: ID<Member>
    public let amount: Money?
    public let settles: Money?
    public let date: Day?
    public let fromAccountID: ID<Account>?
    public let accountID: ID<Account>?

    public init(
        memberID: ID<Member>? = nil,
        withMemberID: ID<Member>,
        amount: Money? = nil,
        settles: Money? = nil,
        date: Day? = nil,
        fromAccountID: ID<Account>? = nil,
        accountID: ID<Account>? = nil
    ) {
        self.memberID = memberID
        self.withMemberID = withMemberID
        self.amount = amount
        self.settles = settles
        self.date = date
        self.fromAccountID = fromAccountID
        self.accountID = accountID
    }

    public static let json = Object(
        NewSettlement.init,
        Field(
            "memberId",
            \.memberID,
            about: "The one side; oneself where left out. Of guests and of who is erased, who "
                + "write down nothing themselves, any member may: both sides are such then."
        ),
        Field("withMemberId", \.withMemberID, about: "The other side."),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "How much was paid; everything open between the two where left out."
        ),
        Field(
            "settles",
            \.settles,
            .sent,
            .positive,
            about:
                "How much of the debt an amount in another currency settles. Where left out, and "
                + "nothing is open in the amount's currency, it is the amount at the day's rate."
        ),
        Field(
            "date",
            \.date,
            about: "The day on which it was paid; today where left out, and for a transfer."
        ),
        Field(
            "fromAccountId",
            \.fromAccountID,
            about: "Of who owes: the account that pays, in one currency, to the account that the "
                + "other has named for it. Without it is only written down that a debt was paid."
        ),
        Field(
            "accountId",
            \.accountID,
            about: "Of who is owed: one's own account that the money came to, in the currency of "
                + "the debt. It is posted there, and clears what is owed in one's ledger."
        )
    )
}

/// How far a settlement is.
public enum SettlementState: String, StringEnum {
    /// Somebody wrote down that it was paid.
    case recorded
    /// The money is on its way: it counts, and goes again where none has moved.
    case pending
    /// A transfer has paid it.
    case paid
    /// It was between a member and a guest who turned out to be that member: it counts no more.
    case void
}

/// One currency of a settlement.
public struct SettlementPart: JSONObject, Hashable {
    public let fromMemberID: ID<Member>
    public let toMemberID: ID<Member>
    public let amount: Money
    public let settles: Money?

    public init(
        fromMemberID: ID<Member>,
        toMemberID: ID<Member>,
        amount: Money,
        settles: Money? = nil
    ) {
        self.fromMemberID = fromMemberID
        self.toMemberID = toMemberID
        self.amount = amount
        self.settles = settles
    }

    public static let json = Object(
        SettlementPart.init,
        Field("fromMemberId", \.fromMemberID, about: "Who paid."),
        Field("toMemberId", \.toMemberID, about: "Who got it."),
        Field("amount", \.amount, about: "How much was paid."),
        Field(
            "settles",
            \.settles,
            about: "How much of the debt it settles, where it was paid in another currency."
        )
    )
}

/// A debt paid back.
public struct SettlementView: JSONObject, Hashable {
    public let id: ID<Settlement>
    public let groupID: ID<Group>
    public let payments: [SettlementPart]
    public let date: Day
    public let recordedBy: ID<Member>
    public let state: SettlementState
    public let transferID: ID<Transfer>?
    public let createdAt: Instant
    public var link: LedgerLinkView?

    public init(
        id: ID<Settlement>,
        groupID: ID<Group>,
        payments: [SettlementPart],
        date: Day,
        recordedBy: ID<Member>,
        state: SettlementState,
        transferID: ID<Transfer>?,
        createdAt: Instant,
        link: LedgerLinkView? = nil
    ) {
        self.id = id
        self.groupID = groupID
        self.payments = payments
        self.date = date
        self.recordedBy = recordedBy
        self.state = state
        self.transferID = transferID
        self.createdAt = createdAt
        self.link = link
    }

    public static let json = Object(
        SettlementView.init,
        Field("id", \.id, about: "The identifier."),
        Field("groupId", \.groupID, about: "The group."),
        Field("payments", \.payments, about: "Who paid whom, one a currency."),
        Field("date", \.date, about: "The day on which it was paid."),
        Field("recordedBy", \.recordedBy, about: "Who wrote it down, or paid."),
        Field("state", \.state, about: "How far it is."),
        Field(
            "transferId",
            \.transferID,
            about: "The transfer that paid it, for the two whom it is between."
        ),
        Field("createdAt", \.createdAt, about: "When."),
        Field(
            "link",
            \.link,
            about: "What of it is in one's own ledger: for the creditor's eyes alone."
        )
    )
}

/// Which balances.
public struct BalanceQuery: QueryObject, Hashable {
    public let cursor: Cursor?

    public init(cursor: Cursor? = nil) { self.cursor = cursor }

    public static let query = QueryFields(
        BalanceQuery.init,
        QueryField(
            "cursor",
            \.cursor,
            about: "`nextCurrencies` of the page before; the first currencies where left out."
        )
    )
}

/// Who owes whom.
public enum Settlements {
    /// Where everybody stands.
    public static let balances = Endpoint<BalanceQuery, NoBody, BalancesView>(
        "getBalances",
        .get,
        "/v1/groups/{id}/balances",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "Balances of a group",
        description: "One vector by currency for each member; they sum to zero per currency. A "
            + "currency is never divided between two pages."
    )

    /// Who owes whom, by page.
    public static let debts = Endpoint<PageQuery, NoBody, Page<Debt>>(
        "listDebts",
        .get,
        "/v1/groups/{id}/balances/debts",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List who owes whom in a group",
        description: "By currency. Each is as it stands when its page is read; what comes to be "
            + "owed meanwhile neither repeats nor hides any of the others."
    )

    /// Why somebody owes somebody.
    public static let debtExpenses = Endpoint<DebtExpenseQuery, NoBody, Page<DebtExpense>>(
        "listDebtExpenses",
        .get,
        "/v1/groups/{id}/balances/expenses",
        of: .groups,
        for: .user,
        errors: [.notFound],
        summary: "List the expenses that explain a debt, newest first",
        description: "Back to the one with which the debt that is open now began. Empty where the "
            + "one owes the other nothing in the currency."
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
        errors: [
            .notFound, .forbidden, .groupArchived, .nothingToSettle, .settlementTooLarge,
            .noReceivingAccount, .settlementGivenUp, .stepUpRequired, .accountKind,
            .accountClosed, .insufficientFunds, .currencyMismatch, .balanceOverflow,
            .limitExceeded, .approvalRequired, .rateUnavailable, .amountTooSmall,
        ],
        isTagged: true,
        summary: "Pay a debt back, or record that it was",
        description: """
            A debt may be paid in another currency: `amount` is what was paid, `settles` how much \
            of the debt that settles, no more than is open. Without `settles` the amount counts at \
            the day's rate towards the one currency that is open between the two; of several name \
            one. A transfer pays the amount, to the account that the other has named for its \
            currency. What is pending counts as paid.
            """
    )

    /// One, which may be under way.
    public static let get = Endpoint<NoQuery, NoBody, SettlementView>(
        "getSettlement",
        .get,
        "/v1/groups/{id}/settlements/{settlementId}",
        of: .groups,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read a settlement",
        description: "One whose money did not move is gone."
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

    /// Takes one back.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeSettlement",
        .delete,
        "/v1/groups/{id}/settlements/{settlementId}",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .forbidden, .groupArchived, .memberHasLeft, .notAgreed,
            .settlementState, .insufficientFunds, .limitExceeded, .accountClosed,
            .preconditionFailed,
        ],
        summary: "Take a recorded settlement back",
        description: """
            What it settled is open again as it was, whatever has come to it since; any member \
            may, as with expenses. One that a transfer pays, or has paid, stays: money has moved. \
            What its creditor has cleared in their own ledger goes with it where they remove it \
            themselves, and first: where the ledger will not, the settlement stays.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        balances.erased, debts.erased, debtExpenses.erased, settle.erased, get.erased, list.erased,
        remove.erased,
    ]
}
