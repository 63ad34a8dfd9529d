/// What a deposit is opened with.
public struct NewDeposit: JSONObject, Hashable {
    public let quoteID: ID<Quote>?
    public let fromAccountID: ID<Account>?
    public let currency: Currency?
    public let amount: Money?
    public let name: String?

    public static let json = Object(
        NewDeposit.init,
        Field("quoteId", \.quoteID, about: "A quote for a deposit (`toCurrency`)."),
        Field("fromAccountId", \.fromAccountID, about: "The account that pays, without a quote."),
        Field(
            "currency",
            \.currency,
            about: "The deposit's currency, without a quote: the account's own."
        ),
        Field(
            "amount",
            \.amount,
            .sent,
            .positive,
            about: "How much, where the quote does not say."
        ),
        Field(
            "name",
            \.name,
            .line(1...80),
            about: "The new account's name; made from its currency where left out."
        )
    )
}

/// A deposit, and the transfer that opened it.
public struct DepositView: JSONObject, Hashable {
    public let account: AccountView
    public let transfer: TransferView

    public init(account: AccountView, transfer: TransferView) {
        self.account = account
        self.transfer = transfer
    }

    public static let json = Object(
        DepositView.init,
        Field("account", \.account, about: "The account that was opened."),
        Field("transfer", \.transfer, about: "The transfer that moved the money in.")
    )
}

/// Money put aside.
public enum Deposits {
    /// Opens a deposit with money in it, or does neither.
    public static let open = Endpoint<NoQuery, NewDeposit, DepositView>(
        "openDeposit",
        .post,
        "/v1/deposits",
        of: .ledger,
        for: .user,
        idempotency: .required,
        statuses: [201],
        errors: [
            .insufficientFunds, .limitExceeded, .approvalRequired, .quoteExpired, .quoteUsed,
            .accountClosed,
            .amountTooSmall, .currencyMismatch, .balanceOverflow, .accountNameTaken,
            .tooManyAccounts,
        ],
        summary: "Open a deposit with money in it"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [open.erased]
}
