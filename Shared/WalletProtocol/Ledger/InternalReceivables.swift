/// A shared expense that its payer's account is charged with: what is theirs of it is spent, what
/// the others owe them for it stands on their receivable.
public struct ExpensePosting: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let paid: Money
    public let share: Money
    public let date: Day
    public let name: String
    public let categoryID: CategoryID?
    public let version: Int

    public init(
        accountID: ID<Account>,
        paid: Money,
        share: Money,
        date: Day,
        name: String,
        categoryID: CategoryID? = nil,
        version: Int
    ) {
        self.accountID = accountID
        self.paid = paid
        self.share = share
        self.date = date
        self.name = name
        self.categoryID = categoryID
        self.version = version
    }

    public static let json = Object(
        ExpensePosting.init,
        Field("accountId", \.accountID, about: "The payer's own account."),
        Field(
            "paid",
            \.paid,
            .sent,
            .notZero,
            about: "What leaves the account, in its currency; below zero: what comes back to it."
        ),
        Field(
            "share",
            \.share,
            .sent,
            about: "What the payer has spent of it: nothing up to all of it; of what comes back, "
                + "what is theirs."
        ),
        Field("date", \.date, about: "The day."),
        Field("name", \.name, .line(1...140, isPassedOn: true), about: "What it was."),
        Field(
            "categoryId",
            \.categoryID,
            about: "The payer's; where left out «Others», and of an edit the one that it has."
        ),
        Field(
            "version",
            \.version,
            .range(1...ExpensePosting.versionMax),
            about: "Higher than of what was asked for it before, where it is an edit."
        )
    )

    /// The highest version there can be.
    public static let versionMax = Int(Int32.max)
}

/// What posting an expense made.
public struct ExpensePosted: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>
    public let accountID: ID<Account>
    public let version: Int

    public init(transactionID: ID<MoneyTransaction>, accountID: ID<Account>, version: Int) {
        self.transactionID = transactionID
        self.accountID = accountID
        self.version = version
    }

    public static let json = Object(
        ExpensePosted.init,
        Field("transactionId", \.transactionID, about: "The transaction, whatever its version."),
        Field("accountId", \.accountID, about: "The account."),
        Field("version", \.version, about: "Which of what was asked it is.")
    )
}

/// How a shared expense stands in its payer's books.
public enum ExpensePostingState: String, StringEnum {
    /// It is in them.
    case posted
    /// Its payer has deleted the transaction; a higher version posts it again.
    case deleted
    /// It was taken back, for good.
    case withdrawn
}

/// How one stands.
public struct ExpensePostingView: JSONObject, Hashable {
    public let state: ExpensePostingState
    public let posted: ExpensePosted?

    public init(state: ExpensePostingState, posted: ExpensePosted?) {
        self.state = state
        self.posted = posted
    }

    public static let json = Object(
        ExpensePostingView.init,
        Field("state", \.state, about: "How it stands."),
        Field("posted", \.posted, about: "What was posted last, where anything was.")
    )
}

/// A debt that was paid back outside of the ledger, onto the creditor's account.
public struct ReceivableClearing: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let amount: Money
    public let date: Day
    public let name: String

    public init(accountID: ID<Account>, amount: Money, date: Day, name: String) {
        self.accountID = accountID
        self.amount = amount
        self.date = date
        self.name = name
    }

    public static let json = Object(
        ReceivableClearing.init,
        Field("accountId", \.accountID, about: "The creditor's own account that it came to."),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "How much, in the account's currency; more than is open is overpaid."
        ),
        Field("date", \.date, about: "The day."),
        Field("name", \.name, .line(1...140, isPassedOn: true), about: "What it is called.")
    )
}

/// What clearing a receivable made.
public struct ReceivableCleared: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>

    public init(transactionID: ID<MoneyTransaction>) { self.transactionID = transactionID }

    public static let json = Object(
        ReceivableCleared.init,
        Field("transactionId", \.transactionID, about: "The transaction, which counts for nothing.")
    )
}

/// What is known of an expense that is taken out of its payer's books.
public struct ExpenseWithdrawalQuery: QueryObject, Hashable {
    public let wasOwed: Bool

    public init(wasOwed: Bool = true) { self.wasOwed = wasOwed }

    public static let query = QueryFields(
        ExpenseWithdrawalQuery.init,
        QueryField(
            "owed",
            \.wasOwed,
            default: true,
            about: "Whether others have ever owed it. What nobody was told of goes even where they "
                + "have paid back by now: that is more than they owe, then."
        )
    )
}

/// How shared expenses and what is paid back for them get into people's books; each call may come
/// again, and late.
public enum InternalReceivables {
    /// Posts an expense, or posts it anew where the version is higher than before.
    public static let post = Endpoint<NoQuery, ExpensePosting, ExpensePosted>(
        "postExpense",
        .put,
        "/internal/users/{userId}/expense-postings/{id}",
        of: .ledger,
        for: .internalService,
        errors: [
            .notFound, .insufficientFunds, .limitExceeded, .approvalRequired, .accountClosed,
            .balanceOverflow, .alreadySettled, .postingOutdated, .postingWithdrawn,
        ],
        summary: "Post a shared expense to its payer's account",
        description: """
            In one entry: the payer's share to outside, the rest to their receivable. The same \
            version again is answered as before, a lower one with 409.
            """
    )

    /// How one stands.
    public static let find = Endpoint<NoQuery, NoBody, ExpensePostingView>(
        "getExpensePosting",
        .get,
        "/internal/users/{userId}/expense-postings/{id}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "How a shared expense stands in its payer's books",
        description: "404 where nobody has asked for it."
    )

    /// Takes one back for good.
    public static let withdraw = Endpoint<ExpenseWithdrawalQuery, NoBody, NoView>(
        "withdrawExpensePosting",
        .delete,
        "/internal/users/{userId}/expense-postings/{id}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound, .alreadySettled, .accountClosed, .balanceOverflow],
        summary: "Take a shared expense out of its payer's books",
        description: "Also before it was posted: it never will be."
    )

    /// Clears what is owed, once for each id.
    public static let clear = Endpoint<NoQuery, ReceivableClearing, ReceivableCleared>(
        "clearReceivable",
        .put,
        "/internal/users/{userId}/receivable-clearings/{id}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound, .accountClosed, .balanceOverflow, .postingWithdrawn],
        summary: "Clear what a user is owed"
    )

    /// Takes one back for good.
    public static let unclear = Endpoint<NoQuery, NoBody, NoView>(
        "withdrawReceivableClearing",
        .delete,
        "/internal/users/{userId}/receivable-clearings/{id}",
        of: .ledger,
        for: .internalService,
        errors: [
            .notFound, .insufficientFunds, .limitExceeded, .accountClosed, .balanceOverflow,
        ],
        summary: "Take back that what a user is owed was cleared",
        description: "Also before it was: it never will be."
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [
        post.erased, find.erased, withdraw.erased, clear.erased, unclear.erased,
    ]
}
