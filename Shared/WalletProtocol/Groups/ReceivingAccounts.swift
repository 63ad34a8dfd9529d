/// Where somebody wants to be paid: an account of their own, or an IBAN with a name.
public struct ReceivingAccountChoice: JSONObject, Hashable {
    public let accountID: ID<Account>?
    public let iban: String?
    public let name: String?

    public init(accountID: ID<Account>? = nil, iban: String? = nil, name: String? = nil) {
        self.accountID = accountID
        self.iban = iban
        self.name = name
    }

    public static let json = Object(
        ReceivingAccountChoice.init,
        Field(
            "accountId",
            \.accountID,
            about: "An open current or deposit account of one's own, of this currency."
        ),
        Field(
            "iban",
            \.iban,
            .line(15...42),
            about: "The IBAN of an account at another bank; spaces and case do not matter."
        ),
        Field(
            "name",
            \.name,
            .line(1...ReceivingAccounts.nameLengthMax),
            about: "Whose account that is, as its bank knows them."
        )
    )
}

/// Where somebody is paid what is owed to them in a currency.
public struct ReceivingAccountView: JSONObject, Hashable {
    public let currency: Currency
    public let accountID: ID<Account>?
    public let iban: String?
    public let name: String?
    public let namedAt: Instant

    public init(
        currency: Currency,
        accountID: ID<Account>? = nil,
        iban: String? = nil,
        name: String? = nil,
        namedAt: Instant
    ) {
        self.currency = currency
        self.accountID = accountID
        self.iban = iban
        self.name = name
        self.namedAt = namedAt
    }

    public static let json = Object(
        ReceivingAccountView.init,
        Field("currency", \.currency, about: "What is paid there."),
        Field("accountId", \.accountID, about: "The account, where it is one of one's own."),
        Field("iban", \.iban, about: "The IBAN, where it is at another bank."),
        Field("name", \.name, about: "Whose account that is."),
        Field("namedAt", \.namedAt, about: "Since when, which is also its ETag.")
    )
}

/// Where others pay what they owe, one account a currency.
public enum ReceivingAccounts {
    /// The longest name of a payee that banks take (EPC069-12, AT-21).
    public static let nameLengthMax = 70

    /// All that the caller has named.
    public static let list = Endpoint<NoQuery, NoBody, Page<ReceivingAccountView>>(
        "listReceivingAccounts",
        .get,
        "/v1/receiving-accounts",
        of: .groups,
        for: .user,
        summary: "List the accounts that others pay to, by currency"
    )

    /// Names one, in place of the one before.
    public static let name = Endpoint<NoQuery, ReceivingAccountChoice, ReceivingAccountView>(
        "nameReceivingAccount",
        .put,
        "/v1/receiving-accounts/{currency}",
        of: .groups,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        isTagged: true,
        summary: "Name the account that others pay to in a currency",
        description: """
            Exactly one of `accountId`, or `iban` with `name`. An account that is absent or not \
            one's own is `unknown-reference`; one of another currency `currency-mismatch`; a \
            wallet, an allowance or a closed one `conflict`.
            """
    )

    /// Takes it back.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeReceivingAccount",
        .delete,
        "/v1/receiving-accounts/{currency}",
        of: .groups,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        summary: "Take the account back that others pay to in a currency"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [list.erased, name.erased, remove.erased]
}
