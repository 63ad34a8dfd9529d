/// How what is shared stands in one's own ledger.
public enum LedgerLinkState: String, StringEnum {
    /// It is being posted.
    case pending
    /// It is posted as it is shared.
    case current
    /// Another amount or day is posted: somebody else has changed or deleted the expense, or the
    /// ledger has refused to follow.
    case outdated
    /// It is being taken back.
    case ending
    /// Nothing is posted any more: it went with the expense's deletion.
    case ended
}

/// What of a group is in one's own ledger, as its owner alone sees it.
public struct LedgerLinkView: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let ownCategoryID: CategoryID?
    public let transactionID: ID<MoneyTransaction>?
    public let state: LedgerLinkState
    public let reason: String?

    public init(
        accountID: ID<Account>,
        ownCategoryID: CategoryID? = nil,
        transactionID: ID<MoneyTransaction>? = nil,
        state: LedgerLinkState,
        reason: String? = nil
    ) {
        self.accountID = accountID
        self.ownCategoryID = ownCategoryID
        self.transactionID = transactionID
        self.state = state
        self.reason = reason
    }

    public static let json = Object(
        LedgerLinkView.init,
        Field("accountId", \.accountID, about: "The account that paid, or was paid."),
        Field("ownCategoryId", \.ownCategoryID, about: "The category in one's own ledger."),
        Field("transactionId", \.transactionID, about: "The transaction there."),
        Field("state", \.state, about: "Whether it is what is shared."),
        Field("reason", \.reason, about: "The code of why the ledger would not follow.")
    )
}

/// Where what one paid of an expense is posted.
public struct NewLedgerLink: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let ownCategoryID: CategoryID?

    public init(accountID: ID<Account>, ownCategoryID: CategoryID? = nil) {
        self.accountID = accountID
        self.ownCategoryID = ownCategoryID
    }

    public static let json = Object(
        NewLedgerLink.init,
        Field("accountId", \.accountID, about: "One's own account that paid, in its currency."),
        Field(
            "ownCategoryId",
            \.ownCategoryID,
            about: "The category in one's own ledger; where left out it stays, or is «Others»."
        )
    )
}

/// Shared expenses in their payers' ledgers.
public enum LedgerLinks {
    /// Posts what one paid of an expense that stands, or posts it anew.
    public static let set = Endpoint<NoQuery, NewLedgerLink, LedgerLinkView>(
        "linkExpense",
        .put,
        "/v1/groups/{id}/expenses/{expenseId}/link",
        of: .groups,
        for: .user,
        errors: [
            .notFound, .insufficientFunds, .limitExceeded, .approvalRequired, .accountClosed,
            .balanceOverflow, .alreadySettled,
        ],
        summary: "Post what you paid of a shared expense to your ledger, or renew it",
        description: """
            Your share is spent, the rest of what you paid is owed to you: one transaction with \
            `receivable`. The link is seen by you alone. Your own edits of the expense take it \
            along; anybody else's never move your money: it is `outdated` then, you are told, and \
            this renews it. Where the ledger will not follow an edit or a deletion of yours, as \
            that part of it is paid back already, the expense is changed all the same, and the \
            link is `outdated` with the `reason`.
            """
    )

    /// Takes it back.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "unlinkExpense",
        .delete,
        "/v1/groups/{id}/expenses/{expenseId}/link",
        of: .groups,
        for: .user,
        errors: [.notFound, .alreadySettled, .accountClosed, .balanceOverflow],
        summary: "Take a shared expense out of your ledger again",
        description: """
            Also one that is deleted. Where less is open than it has others owe you, for they have \
            paid back, it is `already-settled` and stays.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [set.erased, remove.erased]
}
