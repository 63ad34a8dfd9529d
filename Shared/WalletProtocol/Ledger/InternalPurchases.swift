/// A purchase of a child's that a parent has approved of.
public struct ApprovedPurchase: JSONObject, Hashable {
    public let familyID: ID<Family>
    public let childID: ID<User>
    public let amount: Money
    public let name: String
    public let categoryID: CategoryID?
    public let description: String?
    public let date: Day?

    public init(
        familyID: ID<Family>,
        childID: ID<User>,
        amount: Money,
        name: String,
        categoryID: CategoryID? = nil,
        description: String? = nil,
        date: Day? = nil
    ) {
        self.familyID = familyID
        self.childID = childID
        self.amount = amount
        self.name = name
        self.categoryID = categoryID
        self.description = description
        self.date = date
    }

    public static let json = Object(
        ApprovedPurchase.init,
        Field("familyId", \.familyID, about: "The family, which names the account."),
        Field("childId", \.childID, about: "Who buys it."),
        Field("amount", \.amount, .sent, .positive, about: "How much, in the account's currency."),
        Field("name", \.name, .line(1...140, isPassedOn: true), about: "What it is."),
        Field("categoryId", \.categoryID, about: "The child's; «Others» where left out."),
        Field(
            "description",
            \.description,
            .text(0...2_000, isPassedOn: true),
            about: "More about it."
        ),
        Field("date", \.date, about: "The day; the child's today where left out.")
    )
}

/// What became of a purchase: either field is there.
public struct PurchaseOutcome: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>?
    public let refusal: String?

    public init(transactionID: ID<MoneyTransaction>?, refusal: String?) {
        self.transactionID = transactionID
        self.refusal = refusal
    }

    public static let json = Object(
        PurchaseOutcome.init,
        Field("transactionId", \.transactionID, about: "What was posted."),
        Field("refusal", \.refusal, about: "The code of why nothing was, and never will be.")
    )
}

/// How what a parent has approved of is posted.
public enum InternalPurchases {
    /// Posts it or not, once and for all by its id: whoever asks again is told the same.
    public static let post = Endpoint<NoQuery, ApprovedPurchase, PurchaseOutcome>(
        "postPurchase",
        .put,
        "/internal/purchases/{id}",
        of: .ledger,
        for: .internalService,
        errors: [],
        summary: "Post what a parent has approved of"
    )
}
