/// The formats of bank statements.
public enum StatementFormat: String, StringEnum {
    /// Comma-separated values.
    case csv
    /// Open Financial Exchange, 1.x and 2.x.
    case ofx
    /// ISO 20022 camt.053.
    case camt053
    /// SWIFT MT940.
    case mt940
}

/// Where an import is.
public enum ImportState: String, StringEnum {
    /// Read, not yet taken in.
    case preview
    /// Being taken in.
    case committing
    /// Taken in.
    case committed
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
public struct ImportMatch: JSONObject, Hashable {
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
        ImportMatch.init,
        Field("accountId", \.accountID),
        Field("transactionId", \.transactionID),
        Field("date", \.date),
        Field("name", \.name)
    )
}

/// One row of a statement.
public struct ImportRow: JSONObject, Hashable {
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
    public let categoryID: ID<Category>?
    /// What it becomes a transfer with.
    public let matches: ImportMatch?

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
        categoryID: ID<Category>? = nil,
        matches: ImportMatch? = nil
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
        self.matches = matches
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
        Field("matches", \.matches)
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
        Field("opening", \.opening),
        Field("closing", \.closing),
        Field("from", \.from),
        Field("to", \.to),
        Field("createdAt", \.createdAt)
    )
}
