/// What a deposit is opened with.
public struct NewDeposit: JSONObject, Hashable {
    /// A quote for a deposit (`toCurrency`).
    public let quoteID: ID<Quote>?
    /// The account that pays, without a quote.
    public let fromAccountID: ID<Account>?
    /// The deposit's currency, without a quote: the account's own.
    public let currency: Currency?
    /// How much, where the quote does not say.
    public let amount: Money?
    /// The new account's name; made from its currency where left out.
    public let name: String?

    /// All of it.
    public init(
        quoteID: ID<Quote>? = nil,
        fromAccountID: ID<Account>? = nil,
        currency: Currency? = nil,
        amount: Money? = nil,
        name: String? = nil
    ) {
        self.quoteID = quoteID
        self.fromAccountID = fromAccountID
        self.currency = currency
        self.amount = amount
        self.name = name
    }

    /// The description.
    public static let json = Object(
        NewDeposit.init,
        Field("quoteId", \.quoteID),
        Field("fromAccountId", \.fromAccountID),
        Field("currency", \.currency),
        Field("amount", \.amount, .sent, .positive),
        Field("name", \.name, .line(1...80))
    )
}

/// A deposit, and the transfer that opened it.
public struct DepositView: JSONObject, Hashable {
    /// The account that was opened.
    public let account: AccountView
    /// The transfer that moved the money in.
    public let transfer: TransferView

    /// Both.
    public init(account: AccountView, transfer: TransferView) {
        self.account = account
        self.transfer = transfer
    }

    /// The description.
    public static let json = Object(
        DepositView.init,
        Field("account", \.account),
        Field("transfer", \.transfer)
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
            .insufficientFunds, .quoteExpired, .quoteUsed, .accountClosed, .amountTooSmall,
            .currencyMismatch, .balanceOverflow, .accountNameTaken, .tooManyAccounts,
        ],
        summary: "Open a deposit with money in it"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [open.erased]
}
