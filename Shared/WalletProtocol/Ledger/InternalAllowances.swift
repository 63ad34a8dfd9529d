/// What an account for allowances is opened with.
public struct AllowanceOpening: JSONObject, Hashable {
    /// The family's currency.
    public let currency: Currency

    /// All of it.
    public init(currency: Currency) { self.currency = currency }

    /// The description.
    public static let json = Object(AllowanceOpening.init, Field("currency", \.currency))
}

/// An allowance that a parent pays.
public struct AllowancePayment: JSONObject, Hashable {
    /// The family.
    public let familyID: ID<Family>
    /// Who gets it.
    public let childID: ID<User>
    /// Who pays it.
    public let parentID: ID<User>
    /// How much.
    public let amount: Money
    /// The parent's account that pays; recorded as income where there is none.
    public let fromAccountID: ID<Account>?
    /// What it is called; «Allowance» where left out.
    public let name: String?

    /// All of it.
    public init(
        familyID: ID<Family>,
        childID: ID<User>,
        parentID: ID<User>,
        amount: Money,
        fromAccountID: ID<Account>? = nil,
        name: String? = nil
    ) {
        self.familyID = familyID
        self.childID = childID
        self.parentID = parentID
        self.amount = amount
        self.fromAccountID = fromAccountID
        self.name = name
    }

    /// The description.
    public static let json = Object(
        AllowancePayment.init,
        Field("familyId", \.familyID),
        Field("childId", \.childID),
        Field("parentId", \.parentID),
        Field("amount", \.amount, .sent),
        Field("fromAccountId", \.fromAccountID),
        Field("name", \.name, .line(1...80))
    )
}

/// What paying an allowance made.
public struct AllowanceReceipt: JSONObject, Hashable {
    /// The child's account.
    public let accountID: ID<Account>
    /// What the child sees.
    public let transactionID: ID<MoneyTransaction>
    /// The transfer, where a parent's account paid.
    public let transferID: ID<Transfer>?

    /// All of it.
    public init(
        accountID: ID<Account>,
        transactionID: ID<MoneyTransaction>,
        transferID: ID<Transfer>? = nil
    ) {
        self.accountID = accountID
        self.transactionID = transactionID
        self.transferID = transferID
    }

    /// The description.
    public static let json = Object(
        AllowanceReceipt.init,
        Field("accountId", \.accountID),
        Field("transactionId", \.transactionID),
        Field("transferId", \.transferID)
    )
}

/// What the ledger does for families; each call may come again.
public enum InternalAllowances {
    /// Makes a child's account, once for each family and child.
    public static let open = Endpoint<NoQuery, AllowanceOpening, AccountView>(
        "openAllowance",
        .put,
        "/internal/allowances/{familyId}/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "Make the account for a child's allowance"
    )

    /// Turns it into a wallet of the child's own.
    public static let release = Endpoint<NoQuery, NoBody, AccountView>(
        "releaseAllowance",
        .delete,
        "/internal/allowances/{familyId}/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "Turn a child's account into a wallet"
    )

    /// Pays an allowance, once for each id.
    public static let pay = Endpoint<NoQuery, AllowancePayment, AllowanceReceipt>(
        "payAllowance",
        .put,
        "/internal/allowance-payments/{id}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound, .accountKind, .accountClosed, .insufficientFunds, .currencyMismatch],
        summary: "Pay an allowance"
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [open.erased, release.erased, pay.erased]
}
