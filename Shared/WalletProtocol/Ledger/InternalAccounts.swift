/// What services are told of somebody's own account.
public struct OwnAccount: JSONObject, Hashable {
    public let kind: AccountKind
    public let currency: Currency
    public let iban: String?
    public let isClosed: Bool

    public init(kind: AccountKind, currency: Currency, iban: String? = nil, isClosed: Bool = false)
    {
        self.kind = kind
        self.currency = currency
        self.iban = iban
        self.isClosed = isClosed
    }

    public static let json = Object(
        OwnAccount.init,
        Field("kind", \.kind, about: "The kind."),
        Field("currency", \.currency, about: "The currency."),
        Field("iban", \.iban, about: "The IBAN, where it has one."),
        Field("closed", \.isClosed, about: "Whether it is closed.")
    )
}

/// What the ledger answers to services about accounts.
public enum InternalAccounts {
    /// An account as its owner has it now.
    public static let own = Endpoint<NoQuery, NoBody, OwnAccount>(
        "getOwnAccount",
        .get,
        "/internal/accounts/{id}/owners/{userId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "An account of a user's own, live",
        description: "404 where it is absent, or another's who shares it."
    )

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [own.erased]
}
