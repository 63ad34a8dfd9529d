/// Whether a transaction came or went.
public enum PostingKind: String, StringEnum {
    /// It counts from now on.
    case posted
    /// It counts no longer: deleted, or about to be posted anew with changes.
    case reversed
}

/// A part of a transaction over several categories.
public struct PostedLine: JSONObject, Hashable {
    public let categoryID: CategoryID
    public let coicop: Coicop?
    public let amount: Money

    public init(categoryID: CategoryID, coicop: Coicop? = nil, amount: Money) {
        self.categoryID = categoryID
        self.coicop = coicop
        self.amount = amount
    }

    public static let json = Object(
        PostedLine.init,
        Field("categoryId", \.categoryID, about: "The category."),
        Field("coicop", \.coicop, about: "The category's division."),
        Field(
            "amount",
            \.amount,
            about: "Lines sum to what counts of the transaction: all, but for a claim."
        )
    )
}

/// A transaction counts, or counts no longer: what an entry of the journal says of one account.
///
/// It travels as a row of `Postings`. An entry that takes something back says so first.
public struct TransactionPosted: Hashable, Sendable {
    /// Where it stands in the journal.
    public let source: JournalLine
    public let transactionID: ID<MoneyTransaction>
    /// From 1; a reversal has that of what it takes back.
    public let version: Int
    public let kind: PostingKind
    /// In whose categories and budgets it counts.
    public let userID: ID<User>
    public let accountID: ID<Account>
    public let accountKind: AccountKind
    /// Signed, as the account sees it; a reversal repeats what it takes back.
    public let amount: Money
    public let day: Day
    public let categoryID: CategoryID
    public let coicop: Coicop?
    /// The transfer, where it is one side of one.
    public let transferID: ID<Transfer>?
    /// Whether both sides are the same user's: no income, no expense.
    public let isOwnTransfer: Bool
    /// Where it is split: its parts, in place of its category.
    ///
    /// Of a shared expense they sum to what its payer has spent, which is less than the amount.
    public let lines: [PostedLine]?
    /// Whether all of it is what others owe, or have paid back: no income, no expense.
    public let isUncounted: Bool
    public let recordedAt: Instant

    public init(
        source: JournalLine,
        transactionID: ID<MoneyTransaction>,
        version: Int,
        kind: PostingKind,
        userID: ID<User>,
        accountID: ID<Account>,
        accountKind: AccountKind,
        amount: Money,
        day: Day,
        categoryID: CategoryID,
        coicop: Coicop? = nil,
        transferID: ID<Transfer>? = nil,
        isOwnTransfer: Bool = false,
        lines: [PostedLine]? = nil,
        isUncounted: Bool = false,
        recordedAt: Instant
    ) {
        self.source = source
        self.transactionID = transactionID
        self.version = version
        self.kind = kind
        self.userID = userID
        self.accountID = accountID
        self.accountKind = accountKind
        self.amount = amount
        self.day = day
        self.categoryID = categoryID
        self.coicop = coicop
        self.transferID = transferID
        self.isOwnTransfer = isOwnTransfer
        self.lines = lines
        self.isUncounted = isUncounted
        self.recordedAt = recordedAt
    }
}

/// Where a posting stands in the journal that tells of it.
public struct JournalLine: Hashable, Sendable {
    /// The entry, which may have several.
    public let entryID: ID<JournalEntry>
    /// The entry's place, from 1; places of rolled-back transactions stay empty.
    public let place: Int64
    /// The posting's place among those of its account, where the account counts them.
    public let sequence: Int64?
    /// The W3C trace context of the request that made the entry.
    public let traceParent: String?

    /// A line of an entry.
    public init(
        entryID: ID<JournalEntry>,
        place: Int64,
        sequence: Int64? = nil,
        traceParent: String? = nil
    ) {
        self.entryID = entryID
        self.place = place
        self.sequence = sequence
        self.traceParent = traceParent
    }
}
