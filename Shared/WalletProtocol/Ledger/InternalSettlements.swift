/// What a debtor of a group pays a creditor with.
public struct SettlementOrder: JSONObject, Hashable {
    public let fromAccountID: ID<Account>
    public let payeeID: ID<User>
    public let toAccountID: ID<Account>
    public let amount: Money
    public let reference: String?
    public let clears: Bool?

    public init(
        fromAccountID: ID<Account>,
        payeeID: ID<User>,
        toAccountID: ID<Account>,
        amount: Money,
        reference: String? = nil,
        clears: Bool? = nil
    ) {
        self.fromAccountID = fromAccountID
        self.payeeID = payeeID
        self.toAccountID = toAccountID
        self.amount = amount
        self.reference = reference
        self.clears = clears
    }

    public static let json = Object(
        SettlementOrder.init,
        Field("fromAccountId", \.fromAccountID, about: "The debtor's account."),
        Field("payeeId", \.payeeID, about: "The creditor."),
        Field("toAccountId", \.toAccountID, about: "The account that the creditor has named."),
        Field("amount", \.amount, .sent, .positive, about: "How much, in the currency of both."),
        Field(
            "reference",
            \.reference,
            .line(1...140, isPassedOn: true),
            about: "What the payee reads."
        ),
        Field(
            "clears",
            \.clears,
            about: "Whether it clears what is owed to the payee in its currency: where left out it "
                + "does. Not of a debt in another currency."
        )
    )
}

/// What became of an order.
public struct SettlementOutcome: JSONObject, Hashable {
    public let transferID: ID<Transfer>?

    public init(transferID: ID<Transfer>?) { self.transferID = transferID }

    public static let json = Object(
        SettlementOutcome.init,
        Field(
            "transferId",
            \.transferID,
            about: "The transfer; none where no money has moved, and none will."
        )
    )
}

/// How debts of groups are paid; each call may come again, and late.
public enum InternalSettlements {
    /// Pays, once for each id, under the debtor's own right.
    public static let pay = Endpoint<NoQuery, SettlementOrder, SettlementOutcome>(
        "paySettlement",
        .put,
        "/internal/settlements/{id}",
        of: .ledger,
        for: .internalUser,
        errors: [
            .notFound, .forbidden, .stepUpRequired, .noReceivingAccount, .accountKind,
            .accountClosed, .insufficientFunds, .currencyMismatch, .balanceOverflow,
            .settlementGivenUp, .limitExceeded, .approvalRequired,
        ],
        summary: "Pay a debt of a group"
    )

    /// Tells what became of one, which is decided by that at the latest: what has not been paid
    /// will not be.
    public static let decide = Endpoint<NoQuery, NoBody, SettlementOutcome>(
        "decideSettlement",
        .put,
        "/internal/settlements/{id}/decision",
        of: .ledger,
        for: .internalService,
        errors: [],
        summary: "Decide what became of a payment"
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [pay.erased, decide.erased]
}
