/// Whose accounts are to be closed for good.
public struct ErasureQuestion: JSONObject, Hashable {
    public let userID: ID<User>

    public init(userID: ID<User>) { self.userID = userID }

    public static let json = Object(
        ErasureQuestion.init,
        Field("userId", \.userID, about: "The person.")
    )
}

/// Who is to be forgotten.
public struct ErasureOrder: JSONObject, Hashable {
    public let userID: ID<User>
    public let erasedAt: Instant
    public let lastSequence: Int

    public let email: String?

    public init(userID: ID<User>, erasedAt: Instant, lastSequence: Int, email: String? = nil) {
        self.userID = userID
        self.erasedAt = erasedAt
        self.lastSequence = lastSequence
        self.email = email
    }

    public static let json = Object(
        ErasureOrder.init,
        Field("userId", \.userID, about: "The person."),
        Field("erasedAt", \.erasedAt, about: "When it was agreed upon."),
        Field(
            "lastSequence",
            \.lastSequence,
            about: "The last sequence of the person's events: up to it none is waited for any more."
        ),
        Field(
            "email",
            \.email,
            about: """
                The address that the person has proved, in lower case, for whoever keeps others' \
                words by address.
                """
        )
    )
}

/// What auth asks of the other services when a person goes; each call may come again.
public enum InternalErasures {
    /// Closes all accounts of a person, or none.
    ///
    /// An answer stands for good: who was refused asks again under another id.
    public static let agree = Endpoint<NoQuery, ErasureQuestion, NoView>(
        "agreeToErasure",
        .put,
        "/internal/erasures/{id}",
        of: .ledger,
        for: .internalService,
        errors: [.accountsNotEmpty],
        summary: "Close a person's accounts, or say that they hold money"
    )

    /// The ledger's part.
    public static let ledger = erase(in: .ledger)
    /// The groups' part.
    public static let groups = erase(in: .groups)
    /// The part of analytics.
    public static let analytics = erase(in: .analytics)
    /// The part of notifications.
    public static let notifications = erase(in: .notifications)

    private static func erase(in service: ServiceName) -> Endpoint<NoQuery, ErasureOrder, NoView> {
        let name = service.rawValue
        return Endpoint(
            "eraseUserIn\(name.prefix(1).uppercased())\(name.dropFirst())",
            .put,
            PathTemplate(stringLiteral: "/internal/\(name)/erasures/{id}"),
            of: service,
            for: .internalService,
            summary: "Forget a person"
        )
    }

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [
        agree.erased, ledger.erased, groups.erased, analytics.erased, notifications.erased,
    ]
}
