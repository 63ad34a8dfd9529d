/// What stands before the fraction of a CSV file's amounts.
public enum DecimalMark: String, StringEnum {
    /// `1,234.56`.
    case point = "."
    /// `1.234,56`.
    case comma = ","
}

/// In which order a CSV file writes the parts of a day.
public enum DateOrder: String, StringEnum {
    /// `31/12/2024`.
    case dayFirst
    /// `12/31/2024`.
    case monthFirst
    /// `2024-12-31`.
    case yearFirst
}

/// What stands between the fields of a CSV file.
public enum CSVDelimiter: String, StringEnum {
    /// A comma.
    case comma = ","
    /// A semicolon.
    case semicolon = ";"
    /// A tabulator.
    case tab = "\t"
    /// A vertical bar.
    case bar = "|"
}

/// In which character set a file is written.
public enum CSVCharset: String, StringEnum {
    /// Unicode.
    case utf8 = "utf-8"
    /// Western Europe.
    case windows1252 = "windows-1252"
    /// Central Europe.
    case windows1250 = "windows-1250"
    /// Cyrillic.
    case windows1251 = "windows-1251"
    /// Central Europe, in DOS.
    case cp852
    /// Western Europe, in old Mac OS.
    case macRoman = "macintosh"
}

/// A column of a CSV file: its name in the header line, or its number from 1.
public typealias CSVColumn = Either<Int, String>

/// How a CSV file is read; what is left out is found by itself.
public struct CSVMapping: JSONObject, Hashable {
    /// The day.
    public let date: CSVColumn
    /// Signed; or both of `debit` and `credit`.
    public let amount: CSVColumn?
    /// Money out.
    public let debit: CSVColumn?
    /// Money in.
    public let credit: CSVColumn?
    /// Who was paid or paid.
    public let name: CSVColumn?
    /// What for.
    public let description: CSVColumn?
    /// A code of ISO 4217.
    public let currency: CSVColumn?
    /// The bank's id of the row.
    public let reference: CSVColumn?
    /// The other side's account number.
    public let counterparty: CSVColumn?
    /// The balance after the row.
    public let balance: CSVColumn?
    /// What says whether an amount without a sign goes out.
    public let direction: CSVColumn?
    /// What the bank took beside the amount.
    public let fee: CSVColumn?
    /// The account that a row is of.
    public let account: CSVColumn?
    /// Whether amounts count the other way round: a card's, where spending has no sign.
    public let invert: Bool?
    /// In which character set the file is.
    public let charset: CSVCharset?
    /// What stands between fields.
    public let delimiter: CSVDelimiter?
    /// What stands before a fraction.
    public let decimal: DecimalMark?
    /// The order of a day's parts.
    public let dateOrder: DateOrder?
    /// How many lines stand before the first row, the header among them.
    public var headerRows: Int?

    /// All of it.
    public init(
        date: CSVColumn,
        amount: CSVColumn? = nil,
        debit: CSVColumn? = nil,
        credit: CSVColumn? = nil,
        name: CSVColumn? = nil,
        description: CSVColumn? = nil,
        currency: CSVColumn? = nil,
        reference: CSVColumn? = nil,
        counterparty: CSVColumn? = nil,
        balance: CSVColumn? = nil,
        direction: CSVColumn? = nil,
        fee: CSVColumn? = nil,
        account: CSVColumn? = nil,
        invert: Bool? = nil,
        charset: CSVCharset? = nil,
        delimiter: CSVDelimiter? = nil,
        decimal: DecimalMark? = nil,
        dateOrder: DateOrder? = nil,
        headerRows: Int? = nil
    ) {
        self.date = date
        self.amount = amount
        self.debit = debit
        self.credit = credit
        self.name = name
        self.description = description
        self.currency = currency
        self.reference = reference
        self.counterparty = counterparty
        self.balance = balance
        self.direction = direction
        self.fee = fee
        self.account = account
        self.invert = invert
        self.charset = charset
        self.delimiter = delimiter
        self.decimal = decimal
        self.dateOrder = dateOrder
        self.headerRows = headerRows
    }

    /// The description.
    public static let json = Object(
        CSVMapping.init,
        Field("date", \.date, about: "A column: its name, or its number from 1."),
        Field("amount", \.amount),
        Field("debit", \.debit),
        Field("credit", \.credit),
        Field("name", \.name),
        Field("description", \.description),
        Field("currency", \.currency),
        Field("reference", \.reference),
        Field("counterparty", \.counterparty),
        Field("balance", \.balance),
        Field("direction", \.direction),
        Field(
            "fee",
            \.fee,
            about: "The column of what the bank took beside the amount; it is taken off."
        ),
        Field(
            "account",
            \.account,
            about: "The column of the account that a row is of; `accountNumber` then chooses one."
        ),
        Field(
            "invert",
            \.invert,
            about:
                "Whether amounts count the other way round: a card's, whose spending has no sign."
        ),
        Field(
            "charset",
            \.charset,
            about: "The character set; found where left out."
        ),
        Field("delimiter", \.delimiter),
        Field("decimal", \.decimal),
        Field("dateOrder", \.dateOrder),
        Field("headerRows", \.headerRows, .range(0...65_536))
    )
}

/// What is to become of a row: named by its number, or by its line with all others on it.
public struct ImportRowChange: JSONObject, Hashable {
    /// Its number, from 1.
    public let row: Int?
    /// Its line.
    public let line: Int?
    /// Whether it is to be taken in.
    public let isIncluded: Bool?
    /// Its category; `null` for «Others».
    public let categoryID: Patch<CategoryID>
    /// Whether it may become a transfer with the other own account's row.
    public let isTransfer: Bool?
    /// Which of its matches it is merged with; `null` keeps both.
    public let mergeID: Patch<ID<MoneyTransaction>>

    /// All of it.
    public init(
        row: Int? = nil,
        line: Int? = nil,
        isIncluded: Bool? = nil,
        categoryID: Patch<CategoryID> = .unchanged,
        isTransfer: Bool? = nil,
        mergeID: Patch<ID<MoneyTransaction>> = .unchanged
    ) {
        self.row = row
        self.line = line
        self.isIncluded = isIncluded
        self.categoryID = categoryID
        self.isTransfer = isTransfer
        self.mergeID = mergeID
    }

    /// The description.
    public static let json = Object(
        ImportRowChange.init,
        Field("row", \.row),
        Field("line", \.line),
        Field("included", \.isIncluded),
        Field("categoryId", \.categoryID),
        Field("transfer", \.isTransfer, about: "`false` keeps it a row of its own."),
        Field(
            "merge",
            \.mergeID,
            about: """
                The `transactionId` of one of its `matches`: it keeps its words, category, folder \
                and tags, and has the row's day. `null` keeps both.
                """
        )
    )
}

/// What changes of a preview.
public struct ImportChange: JSONObject, Hashable {
    /// How a CSV is read; `null` has it found again.
    public let mapping: Patch<CSVMapping>
    /// With a mapping that parts the file by accounts: whose rows are meant.
    public let accountNumber: String?
    /// What becomes of rows.
    public let rows: [ImportRowChange]
    /// Whether it may be taken in though its balances do not tie.
    public let acceptsBalances: Bool?

    /// All of it.
    public init(
        mapping: Patch<CSVMapping> = .unchanged,
        accountNumber: String? = nil,
        rows: [ImportRowChange] = [],
        acceptsBalances: Bool? = nil
    ) {
        self.mapping = mapping
        self.accountNumber = accountNumber
        self.rows = rows
        self.acceptsBalances = acceptsBalances
    }

    /// The description.
    public static let json = Object(
        ImportChange.init,
        Field("mapping", \.mapping),
        Field(
            "accountNumber",
            \.accountNumber,
            .line(1...64),
            about: "Of which account the rows are, where `mapping` names a column of accounts."
        ),
        Field("rows", \.rows, .count(0...10_000), default: []),
        Field("acceptBalances", \.acceptsBalances)
    )
}
