/// Of which versions of transactions somebody asks how they stand in the books.
public struct VersionQuestion: JSONObject, Hashable {
    public let transactionIDs: [ID<MoneyTransaction>]
    public let versions: [Int]

    public init(transactionIDs: [ID<MoneyTransaction>], versions: [Int]) {
        self.transactionIDs = transactionIDs
        self.versions = versions
    }

    /// How many are asked about at once.
    public static let countMax = 1_000

    public static let json = Object(
        VersionQuestion.init,
        Field("transactionIds", \.transactionIDs, .count(0...countMax), about: "The transactions."),
        Field("versions", \.versions, .count(0...countMax), about: "Of each the version.")
    )
}

/// A version of a transaction that is in the books.
public struct BookedVersion: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>
    public let version: Int
    public let userID: ID<User>
    public let parts: Int
    public let isReversed: Bool

    public init(
        transactionID: ID<MoneyTransaction>,
        version: Int,
        userID: ID<User>,
        parts: Int,
        isReversed: Bool
    ) {
        self.transactionID = transactionID
        self.version = version
        self.userID = userID
        self.parts = parts
        self.isReversed = isReversed
    }

    public static let json = Object(
        BookedVersion.init,
        Field("transactionId", \.transactionID, about: "The transaction."),
        Field("version", \.version, about: "Which version of it."),
        Field("userId", \.userID, about: "In whose books."),
        Field(
            "parts",
            \.parts,
            about: "In how many categories it counts: in none where it is no income and no expense."
        ),
        Field("reversed", \.isReversed, about: "Whether it has been taken back.")
    )
}

/// What read models begin anew from, and are held against.
///
/// What is booked has no snapshot of its own: the journal says all of it, from its first place on
/// (`InternalEvents.journals`).
public enum InternalLedger {
    /// Every account.
    public static let accounts = Endpoint<SnapshotQuery, NoBody, Page<Snapshot<AccountOpened>>>(
        "snapshotAccounts",
        .get,
        "/internal/snapshots/accounts",
        of: .ledger,
        for: .internalService,
        summary: "Every account, with sequences"
    )

    /// Every category, those that are gone among them; by owner and category.
    public static let categories = Endpoint<
        SnapshotQuery, NoBody, Page<Snapshot<CategoryChanged>>
    >(
        "snapshotCategories",
        .get,
        "/internal/snapshots/categories",
        of: .ledger,
        for: .internalService,
        summary: "Every category, with sequences"
    )

    /// Everybody who has ever seen a wallet that is another's; by person and wallet.
    public static let members = Endpoint<
        SnapshotQuery, NoBody, Page<Snapshot<WalletMemberChanged>>
    >(
        "snapshotWalletMembers",
        .get,
        "/internal/snapshots/wallet-members",
        of: .ledger,
        for: .internalService,
        summary: "Everybody who has seen another's wallet, with sequences"
    )

    /// Those of the versions that are in the books, as they stand now.
    public static let versions = Endpoint<NoQuery, VersionQuestion, Page<BookedVersion>>(
        "findBookedVersions",
        .put,
        "/internal/booked-versions",
        of: .ledger,
        for: .internalService,
        bodyLimit: 1 << 20,
        summary: "How versions of transactions stand in the books"
    )

    /// Every endpoint here.
    public static let all: [EndpointDescription] = [
        accounts.erased, categories.erased, members.erased, versions.erased,
    ]
}
