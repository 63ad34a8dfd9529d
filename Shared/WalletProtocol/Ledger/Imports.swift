/// The formats of bank statements.
public enum StatementFormat: String, StringEnum {
    /// Comma-separated values.
    case csv
    /// Open Financial Exchange, 1.x and 2.x.
    case ofx
    /// ISO 20022 camt.053, and the reports and notices of camt.052 and camt.054.
    case camt053
    /// SWIFT MT940, and the interim reports of MT942.
    case mt940
    /// Quicken Interchange Format.
    case qif
}

/// Where an import is.
public enum ImportState: String, StringEnum {
    /// Read, not yet taken in.
    case preview
    /// Being taken in.
    case committing
    /// Taken in.
    case committed
    /// Being taken back.
    case withdrawing
    /// Taken back.
    case withdrawn
}

/// Where a statement goes.
public struct ImportQuery: QueryObject, Hashable {
    /// The account.
    public let accountID: ID<Account>
    /// The format; detected where left out.
    public let format: StatementFormat?
    /// The account inside a file of several.
    public let accountNumber: String?

    /// All of it.
    public init(
        accountID: ID<Account>,
        format: StatementFormat? = nil,
        accountNumber: String? = nil
    ) {
        self.accountID = accountID
        self.format = format
        self.accountNumber = accountNumber
    }

    /// The description.
    public static let query = QueryFields(
        ImportQuery.init,
        QueryField("accountId", \.accountID),
        QueryField("format", \.format),
        QueryField("accountNumber", \.accountNumber, .line(1...64))
    )
}

/// The row of another own account that tells of the same money.
public struct ImportTransfer: JSONObject, Hashable {
    /// The other account.
    public let accountID: ID<Account>
    /// What stands there, and becomes one transfer with the row.
    public let transactionID: ID<MoneyTransaction>
    /// Its day.
    public let date: Day
    /// Its name.
    public let name: String

    /// All of it.
    public init(
        accountID: ID<Account>,
        transactionID: ID<MoneyTransaction>,
        date: Day,
        name: String
    ) {
        self.accountID = accountID
        self.transactionID = transactionID
        self.date = date
        self.name = name
    }

    /// The description.
    public static let json = Object(
        ImportTransfer.init,
        Field("accountId", \.accountID),
        Field("transactionId", \.transactionID),
        Field("date", \.date),
        Field("name", \.name)
    )
}

/// What stands on the account and looks like a row: entered by hand, or read from another file.
public struct ImportMatch: JSONObject, Hashable {
    /// What stands there.
    public let transactionID: ID<MoneyTransaction>
    /// Its day.
    public let date: Day
    /// Its name.
    public let name: String
    /// Whether the row carries its identifier, as what was exported here does.
    public let isExact: Bool

    /// All of it.
    public init(transactionID: ID<MoneyTransaction>, date: Day, name: String, isExact: Bool) {
        self.transactionID = transactionID
        self.date = date
        self.name = name
        self.isExact = isExact
    }

    /// The description.
    public static let json = Object(
        ImportMatch.init,
        Field("transactionId", \.transactionID),
        Field("date", \.date),
        Field("name", \.name),
        Field(
            "exact",
            \.isExact,
            about: "The row carries its identifier, is a duplicate and adds nothing."
        )
    )
}

/// One row of a statement.
public struct ImportRow: JSONObject, Hashable {
    /// Of what it looks like.
    public static let matchesMax = 3

    /// Its number, from 1.
    public let row: Int
    /// Where it stands in the file.
    public let line: Int
    /// The day.
    public let date: Day
    /// Signed; minus is money out.
    public let amount: Money
    /// What it was.
    public let name: String
    /// More about it.
    public let description: String?
    /// The other side's account number.
    public let counterparty: String?
    /// Whether the account has it already; such rows are left out.
    public let isDuplicate: Bool
    /// Whether it is to be taken in.
    public let isIncluded: Bool
    /// What a rule suggests or was chosen; «Others» where there is none.
    public let categoryID: CategoryID?
    /// What it becomes a transfer with.
    public let transfer: ImportTransfer?
    /// What it looks like, the likest first, 3 at most; no other row looks like these.
    public let matches: [ImportMatch]
    /// Which of these it is merged with; otherwise it is taken in beside them.
    public let mergeID: ID<MoneyTransaction>?

    /// All of it.
    public init(
        row: Int,
        line: Int,
        date: Day,
        amount: Money,
        name: String,
        description: String? = nil,
        counterparty: String? = nil,
        isDuplicate: Bool,
        isIncluded: Bool,
        categoryID: CategoryID? = nil,
        transfer: ImportTransfer? = nil,
        matches: [ImportMatch] = [],
        mergeID: ID<MoneyTransaction>? = nil
    ) {
        self.row = row
        self.line = line
        self.date = date
        self.amount = amount
        self.name = name
        self.description = description
        self.counterparty = counterparty
        self.isDuplicate = isDuplicate
        self.isIncluded = isIncluded
        self.categoryID = categoryID
        self.transfer = transfer
        self.matches = matches
        self.mergeID = mergeID
    }

    /// The description.
    public static let json = Object(
        ImportRow.init,
        Field("row", \.row),
        Field("line", \.line),
        Field("date", \.date),
        Field("amount", \.amount),
        Field("name", \.name),
        Field("description", \.description),
        Field("counterparty", \.counterparty),
        Field("duplicate", \.isDuplicate),
        Field("included", \.isIncluded),
        Field("categoryId", \.categoryID),
        Field(
            "transfer",
            \.transfer,
            about: "The row of another own account that it becomes one transfer with."
        ),
        Field(
            "matches",
            \.matches,
            .count(0...ImportRow.matchesMax),
            default: [],
            about: """
                Transactions of the account that may be the same: both are kept unless the row is \
                merged with one.
                """
        ),
        Field("merge", \.mergeID, about: "The transaction that the row is merged with.")
    )
}

/// A row that cannot be read.
public struct ImportFault: JSONObject, Hashable {
    /// Where it stands in the file.
    public let line: Int
    /// What is wrong with it.
    public let detail: String

    /// All of it.
    public init(line: Int, detail: String) {
        self.line = line
        self.detail = detail
    }

    /// The description.
    public static let json = Object(
        ImportFault.init,
        Field("line", \.line),
        Field("detail", \.detail)
    )
}

/// A statement taken in, or about to be.
public struct ImportView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<StatementImport>
    /// The account.
    public let accountID: ID<Account>
    /// Where it is.
    public let state: ImportState
    /// The format.
    public let format: StatementFormat
    /// How many rows can be read.
    public let rowCount: Int
    /// How many of them the account has already.
    public let duplicateCount: Int
    /// Its rows, or a page of them: 200 at most.
    public let rows: [ImportRow]
    /// What the rows behind these are asked for with.
    public let nextCursor: Cursor?
    /// The rows that cannot be read or are left out, 200 at most.
    public let errors: [ImportFault]
    /// How many of them there are in all.
    public let errorCount: Int
    /// Of a CSV file: the names in its header line.
    public let columns: [String]?
    /// Of a CSV file: which column tells what, as it was found or given.
    public let mapping: CSVMapping?
    /// Of a CSV file without a mapping: the import whose mapping it was read by.
    public let mappingFromID: ID<StatementImport>?
    /// Where the balances do not tie: the line, and the sums.
    public let balanceFault: ImportFault?
    /// Whether it may be taken in all the same.
    public let acceptsBalances: Bool
    /// Why it could not be taken in, or back, when that was last tried: an error's code.
    public let refusal: String?
    /// What the statement begins with.
    public let opening: Money?
    /// What the statement ends with.
    public let closing: Money?
    /// The first day.
    public let from: Day?
    /// The last day.
    public let to: Day?
    /// When it was sent.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<StatementImport>,
        accountID: ID<Account>,
        state: ImportState,
        format: StatementFormat,
        rowCount: Int,
        duplicateCount: Int,
        rows: [ImportRow],
        nextCursor: Cursor? = nil,
        errors: [ImportFault],
        errorCount: Int,
        columns: [String]? = nil,
        mapping: CSVMapping? = nil,
        mappingFromID: ID<StatementImport>? = nil,
        balanceFault: ImportFault? = nil,
        acceptsBalances: Bool = false,
        refusal: String? = nil,
        opening: Money? = nil,
        closing: Money? = nil,
        from: Day? = nil,
        to: Day? = nil,
        createdAt: Instant
    ) {
        self.id = id
        self.accountID = accountID
        self.state = state
        self.format = format
        self.rowCount = rowCount
        self.duplicateCount = duplicateCount
        self.rows = rows
        self.nextCursor = nextCursor
        self.errors = errors
        self.errorCount = errorCount
        self.columns = columns
        self.mapping = mapping
        self.mappingFromID = mappingFromID
        self.balanceFault = balanceFault
        self.acceptsBalances = acceptsBalances
        self.refusal = refusal
        self.opening = opening
        self.closing = closing
        self.from = from
        self.to = to
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        ImportView.init,
        Field("id", \.id),
        Field("accountId", \.accountID),
        Field("state", \.state),
        Field("format", \.format),
        Field("rowCount", \.rowCount),
        Field("duplicates", \.duplicateCount),
        Field("rows", \.rows),
        Field("nextCursor", \.nextCursor, about: "Absent where no rows are behind these."),
        Field("errors", \.errors),
        Field("errorCount", \.errorCount),
        Field("columns", \.columns),
        Field("mapping", \.mapping),
        Field(
            "mappingFrom",
            \.mappingFromID,
            about: """
                The import whose mapping the file is read by: the account's last one with the \
                same columns.
                """
        ),
        Field(
            "balanceFault",
            \.balanceFault,
            about: "The balances do not tie: the commit is refused unless `acceptBalances` is true."
        ),
        Field("acceptBalances", \.acceptsBalances, default: false),
        Field(
            "refusal",
            \.refusal,
            about: "Why it could not be taken in, or back, at the last try: an error's `code`."
        ),
        Field("opening", \.opening),
        Field("closing", \.closing),
        Field("from", \.from),
        Field("to", \.to),
        Field("createdAt", \.createdAt)
    )
}
