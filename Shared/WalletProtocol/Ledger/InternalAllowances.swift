/// What an account for allowances is opened with.
public struct AllowanceOpening: JSONObject, Hashable {
    public let currency: Currency
    public let number: Int

    public init(currency: Currency, number: Int) {
        self.currency = currency
        self.number = number
    }

    public static let json = Object(
        AllowanceOpening.init,
        Field("currency", \.currency, about: "The family's currency."),
        Field("number", \.number, about: "Higher than of what was asked for the child before.")
    )
}

/// When an account for allowances is let go.
public struct AllowanceRelease: QueryObject, Hashable {
    public let number: Int

    public init(number: Int) { self.number = number }

    public static let query = QueryFields(
        AllowanceRelease.init,
        QueryField("number", \.number, about: "Higher than of what was asked for the child before.")
    )
}

/// An allowance that a parent pays.
public struct AllowancePayment: JSONObject, Hashable {
    public let familyID: ID<Family>
    public let childID: ID<User>
    public let parentID: ID<User>
    public let amount: Money
    public let fromAccountID: ID<Account>?
    public let name: String?
    public let isProved: Bool

    public init(
        familyID: ID<Family>,
        childID: ID<User>,
        parentID: ID<User>,
        amount: Money,
        fromAccountID: ID<Account>? = nil,
        name: String? = nil,
        isProved: Bool = false
    ) {
        self.familyID = familyID
        self.childID = childID
        self.parentID = parentID
        self.amount = amount
        self.fromAccountID = fromAccountID
        self.name = name
        self.isProved = isProved
    }

    public static let json = Object(
        AllowancePayment.init,
        Field("familyId", \.familyID, about: "The family."),
        Field("childId", \.childID, about: "Who gets it."),
        Field("parentId", \.parentID, about: "Who pays it."),
        Field("amount", \.amount, .sent, about: "How much."),
        Field(
            "fromAccountId",
            \.fromAccountID,
            about: "The parent's account that pays; recorded as income where there is none."
        ),
        Field(
            "name",
            \.name,
            .line(1...80, isPassedOn: true),
            about: "What it is called; «Allowance» where left out."
        ),
        Field(
            "proved",
            \.isProved,
            default: false,
            about: "Whether the parent had just proved who they are when they ordered it."
        )
    )
}

/// What paying an allowance made.
public struct AllowanceReceipt: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let transactionID: ID<MoneyTransaction>
    public let transferID: ID<Transfer>?

    public init(
        accountID: ID<Account>,
        transactionID: ID<MoneyTransaction>,
        transferID: ID<Transfer>? = nil
    ) {
        self.accountID = accountID
        self.transactionID = transactionID
        self.transferID = transferID
    }

    public static let json = Object(
        AllowanceReceipt.init,
        Field("accountId", \.accountID, about: "The child's account."),
        Field("transactionId", \.transactionID, about: "What the child sees."),
        Field("transferId", \.transferID, about: "The transfer, where a parent's account paid.")
    )
}

/// What became of an allowance that nobody is there to pay again.
public struct AllowanceOutcome: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>?
    public let transferID: ID<Transfer>?
    public let refusal: String?

    public init(
        transactionID: ID<MoneyTransaction>?,
        transferID: ID<Transfer>? = nil,
        refusal: String?
    ) {
        self.transactionID = transactionID
        self.transferID = transferID
        self.refusal = refusal
    }

    public static let json = Object(
        AllowanceOutcome.init,
        Field("transactionId", \.transactionID, about: "What the child sees, where it is paid."),
        Field("transferId", \.transferID, about: "The transfer, where a parent's account paid."),
        Field("refusal", \.refusal, about: "The code of why it is not, and never will be.")
    )
}

/// What a parent agrees to pay again and again.
public struct AllowanceAgreement: JSONObject, Hashable {
    public let fromAccountID: ID<Account>
    public let amount: Money

    public init(fromAccountID: ID<Account>, amount: Money) {
        self.fromAccountID = fromAccountID
        self.amount = amount
    }

    public static let json = Object(
        AllowanceAgreement.init,
        Field("fromAccountId", \.fromAccountID, about: "The parent's account that pays."),
        Field("amount", \.amount, .sent, .positive, about: "How much each time.")
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
    public static let release = Endpoint<AllowanceRelease, NoBody, AccountView>(
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
        errors: [
            .notFound, .accountKind, .accountClosed, .insufficientFunds, .currencyMismatch,
            .stepUpRequired,
        ],
        summary: "Pay an allowance"
    )

    /// Pays it or not, once and for all by its id: whoever asks again is told the same.
    public static let decide = Endpoint<NoQuery, AllowancePayment, AllowanceOutcome>(
        "decideAllowance",
        .put,
        "/internal/allowance-payments/{id}/outcome",
        of: .ledger,
        for: .internalService,
        errors: [],
        summary: "Pay an allowance that comes again, or say why not"
    )

    /// Whether a parent may order that this is paid while nobody is there.
    public static let agree = Endpoint<NoQuery, AllowanceAgreement, NoView>(
        "agreeToAllowance",
        .put,
        "/internal/allowance-agreements/{id}",
        of: .ledger,
        for: .internalUser,
        errors: [.forbidden, .accountKind, .accountClosed, .currencyMismatch, .stepUpRequired],
        summary: "Check what a parent orders to be paid again and again"
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [
        open.erased, release.erased, pay.erased, decide.erased, agree.erased, limits.erased,
        setLimits.erased, category.erased,
    ]
}
