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
    public let accountID: ID<Account>
    public let format: StatementFormat?
    public let accountNumber: String?

    public static let query = QueryFields(
        ImportQuery.init,
        QueryField("accountId", \.accountID, about: "The account."),
        QueryField("format", \.format, about: "The format; detected where left out."),
        QueryField(
            "accountNumber",
            \.accountNumber,
            .line(1...64),
            about: "The account inside a file of several."
        )
    )
}

/// The row of another own account that tells of the same money.
public struct ImportTransfer: JSONObject, Hashable {
    public let accountID: ID<Account>
    public let transactionID: ID<MoneyTransaction>
    public let date: Day
    public let name: String

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

    public static let json = Object(
        ImportTransfer.init,
        Field("accountId", \.accountID, about: "The other account."),
        Field(
            "transactionId",
            \.transactionID,
            about: "What stands there, and becomes one transfer with the row."
        ),
        Field("date", \.date, about: "Its day."),
        Field("name", \.name, about: "Its name.")
    )
}

/// What stands on the account and looks like a row: entered by hand, or read from another file.
public struct ImportMatch: JSONObject, Hashable {
    public let transactionID: ID<MoneyTransaction>
    public let date: Day
    public let name: String
    public let isExact: Bool

    public init(transactionID: ID<MoneyTransaction>, date: Day, name: String, isExact: Bool) {
        self.transactionID = transactionID
        self.date = date
        self.name = name
        self.isExact = isExact
    }

    public static let json = Object(
        ImportMatch.init,
        Field("transactionId", \.transactionID, about: "What stands there."),
        Field("date", \.date, about: "Its day."),
        Field("name", \.name, about: "Its name."),
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

    public let row: Int
    public let line: Int
    public let date: Day
    public let amount: Money
    public let name: String
    public let description: String?
    public let counterparty: String?
    public let isDuplicate: Bool
    public let isIncluded: Bool
    public let categoryID: CategoryID?
    public let transfer: ImportTransfer?
    public let matches: [ImportMatch]
    public let mergeID: ID<MoneyTransaction>?

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

    public static let json = Object(
        ImportRow.init,
        Field("row", \.row, about: "Its number, from 1."),
        Field("line", \.line, about: "Where it stands in the file."),
        Field("date", \.date, about: "The day."),
        Field("amount", \.amount, about: "Signed; minus is money out."),
        Field("name", \.name, about: "What it was."),
        Field("description", \.description, about: "More about it."),
        Field("counterparty", \.counterparty, about: "The other side's account number."),
        Field(
            "duplicate",
            \.isDuplicate,
            about: "Whether the account has it already; such rows are left out."
        ),
        Field("included", \.isIncluded, about: "Whether it is to be taken in."),
        Field(
            "categoryId",
            \.categoryID,
            about: "What a rule suggests or was chosen; «Others» where there is none."
        ),
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
    public let line: Int
    public let detail: String

    public init(line: Int, detail: String) {
        self.line = line
        self.detail = detail
    }

    public static let json = Object(
        ImportFault.init,
        Field("line", \.line, about: "Where it stands in the file."),
        Field("detail", \.detail, about: "What is wrong with it.")
    )
}

/// A statement taken in, or about to be.
public struct ImportView: JSONObject, Hashable {
    public let id: ID<StatementImport>
    public let accountID: ID<Account>
    public let state: ImportState
    public let format: StatementFormat
    public let rowCount: Int
    public let duplicateCount: Int
    public let rows: [ImportRow]
    public let nextCursor: Cursor?
    public let errors: [ImportFault]
    public let errorCount: Int
    public let columns: [String]?
    public let mapping: CSVMapping?
    public let proposedMapping: CSVMapping?
    public let mappingFromID: ID<StatementImport>?
    public let balanceFault: ImportFault?
    public let acceptsBalances: Bool
    public let refusal: String?
    public let opening: Money?
    public let closing: Money?
    public let from: Day?
    public let to: Day?
    public let createdAt: Instant

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
        proposedMapping: CSVMapping? = nil,
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
        self.proposedMapping = proposedMapping
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

    public static let json = Object(
        ImportView.init,
        Field("id", \.id, about: "The identifier."),
        Field("accountId", \.accountID, about: "The account."),
        Field("state", \.state, about: "Where it is."),
        Field("format", \.format, about: "The format."),
        Field("rowCount", \.rowCount, about: "How many rows can be read."),
        Field("duplicates", \.duplicateCount, about: "How many of them the account has already."),
        Field(
            "rows",
            \.rows,
            about: "Its rows, or a page of them: 200 at most, fewer where they are long."
        ),
        Field(
            "nextCursor",
            \.nextCursor,
            about: """
                What the rows behind these are asked for with. Absent where no rows are behind \
                these.
                """
        ),
        Field(
            "errors",
            \.errors,
            about: "The rows that cannot be read or are left out, 200 at most."
        ),
        Field("errorCount", \.errorCount, about: "How many of them there are in all."),
        Field("columns", \.columns, about: "Of a CSV file: the names in its header line."),
        Field(
            "mapping",
            \.mapping,
            about: "Of a CSV file: which column tells what, as it was found or given."
        ),
        Field(
            "proposedMapping",
            \.proposedMapping,
            about: """
                A mapping that the cells of a CSV file suggest when its columns have no known \
                names. No row is read by it until `PATCH` sends it as `mapping`.
                """
        ),
        Field(
            "mappingFrom",
            \.mappingFromID,
            about: """
                The import whose mapping the file is read by: the account's last one with the same \
                columns.
                """
        ),
        Field(
            "balanceFault",
            \.balanceFault,
            about: """
                Where the balances do not tie: the line, and the sums. The balances do not tie: \
                the commit is refused unless `acceptBalances` is true.
                """
        ),
        Field(
            "acceptBalances",
            \.acceptsBalances,
            default: false,
            about: "Whether it may be taken in all the same."
        ),
        Field(
            "refusal",
            \.refusal,
            about: "Why it could not be taken in, or back, at the last try: an error's `code`."
        ),
        Field("opening", \.opening, about: "What the statement begins with."),
        Field("closing", \.closing, about: "What the statement ends with."),
        Field("from", \.from, about: "The first day."),
        Field("to", \.to, about: "The last day."),
        Field("createdAt", \.createdAt, about: "When it was sent.")
    )
}
