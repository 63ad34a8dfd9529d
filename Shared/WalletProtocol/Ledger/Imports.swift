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

/// One row of a statement.
public struct ImportRow: JSONObject, Hashable {
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
    /// Whether the account has it already; such rows are left out.
    public let isDuplicate: Bool

    /// All of it.
    public init(
        line: Int,
        date: Day,
        amount: Money,
        name: String,
        description: String? = nil,
        isDuplicate: Bool
    ) {
        self.line = line
        self.date = date
        self.amount = amount
        self.name = name
        self.description = description
        self.isDuplicate = isDuplicate
    }

    /// The description.
    public static let json = Object(
        ImportRow.init,
        Field("line", \.line),
        Field("date", \.date),
        Field("amount", \.amount),
        Field("name", \.name),
        Field("description", \.description),
        Field("duplicate", \.isDuplicate)
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
    /// The first rows, 200 at most.
    public let rows: [ImportRow]
    /// The rows that cannot be read, 200 at most.
    public let errors: [ImportFault]
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
        errors: [ImportFault],
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
        self.errors = errors
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
        Field("errors", \.errors),
        Field("opening", \.opening),
        Field("closing", \.closing),
        Field("from", \.from),
        Field("to", \.to),
        Field("createdAt", \.createdAt)
    )
}

/// Bank statements.
public enum Imports {
    /// The largest file in bytes.
    public static let fileMax = 20 * 1_024 * 1_024

    /// Reads a file; nothing is taken in yet.
    public static let upload = Endpoint<ImportQuery, NoBody, ImportView>(
        "uploadImport",
        .post,
        "/v1/imports",
        of: .ledger,
        for: .user,
        bodyLimit: fileMax,
        request: .raw([
            "application/octet-stream", "text/csv", "application/x-ofx", "application/xml",
            "text/plain",
        ]),
        statuses: [201],
        errors: [
            .notFound, .currencyMismatch, .unreadableFile, .unknownFormat, .accountNumberRequired,
            .accountClosed,
        ],
        summary: "Read a bank statement",
        description: "The body is the file. The answer is the preview; commit takes it in."
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, ImportView>(
        "getImport",
        .get,
        "/v1/imports/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "Read an import"
    )

    /// Takes one in: all of it or nothing.
    public static let commit = Endpoint<NoQuery, NoBody, ImportView>(
        "commitImport",
        .post,
        "/v1/imports/{id}/commit",
        of: .ledger,
        for: .user,
        statuses: [200, 202],
        errors: [.notFound, .importState, .insufficientFunds, .accountClosed],
        summary: "Take an import in",
        description: "200 when it is done, 202 with `state` while it is under way."
    )

    /// Drops one, or takes a committed one back whole.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeImport",
        .delete,
        "/v1/imports/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .importState, .insufficientFunds],
        summary: "Drop an import, or take it back"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        upload.erased, get.erased, commit.erased, remove.erased,
    ]
}
