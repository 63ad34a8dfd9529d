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
    /// Central Europe, by ISO.
    case iso88592 = "iso-8859-2"
    /// Greek.
    case windows1253 = "windows-1253"
    /// Turkish.
    case windows1254 = "windows-1254"
    /// Hebrew.
    case windows1255 = "windows-1255"
    /// Arabic.
    case windows1256 = "windows-1256"
    /// Baltic.
    case windows1257 = "windows-1257"
    /// Thai.
    case windows874 = "windows-874"
    /// Cyrillic, in Unix.
    case koi8r = "koi8-r"
    /// Chinese, simplified: GBK and GB2312 are parts of it.
    case gb18030
    /// Chinese, traditional.
    case big5
    /// Japanese.
    case shiftJIS = "shift_jis"
    /// Korean.
    case eucKR = "euc-kr"
}

/// A column of a CSV file: its name in the header line, or its number from 1.
public typealias CSVColumn = Either<Int, String>

/// How a CSV file is read; what is left out is found by itself.
public struct CSVMapping: JSONObject, Hashable {
    public let date: CSVColumn
    public let amount: CSVColumn?
    public let debit: CSVColumn?
    public let credit: CSVColumn?
    public let name: CSVColumn?
    public let description: CSVColumn?
    public let currency: CSVColumn?
    public let reference: CSVColumn?
    public let counterparty: CSVColumn?
    public let balance: CSVColumn?
    public let direction: CSVColumn?
    public let fee: CSVColumn?
    public let account: CSVColumn?
    public let invert: Bool?
    public let charset: CSVCharset?
    public let delimiter: CSVDelimiter?
    public let decimal: DecimalMark?
    public let dateOrder: DateOrder?
    public var headerRows: Int?

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

    public static let json = Object(
        CSVMapping.init,
        Field("date", \.date, about: "The day. A column: its name, or its number from 1."),
        Field("amount", \.amount, about: "Signed; or both of `debit` and `credit`."),
        Field("debit", \.debit, about: "Money out."),
        Field("credit", \.credit, about: "Money in."),
        Field("name", \.name, about: "Who was paid or paid."),
        Field("description", \.description, about: "What for."),
        Field("currency", \.currency, about: "A code of ISO 4217."),
        Field("reference", \.reference, about: "The bank's id of the row."),
        Field("counterparty", \.counterparty, about: "The other side's account number."),
        Field("balance", \.balance, about: "The balance after the row."),
        Field(
            "direction",
            \.direction,
            about: "What says whether an amount without a sign goes out."
        ),
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
            about: """
                Whether amounts count the other way round: a card's, whose spending has no sign.
                """
        ),
        Field("charset", \.charset, about: "The character set; found where left out."),
        Field("delimiter", \.delimiter, about: "What stands between fields."),
        Field("decimal", \.decimal, about: "What stands before a fraction."),
        Field("dateOrder", \.dateOrder, about: "The order of a day's parts."),
        Field(
            "headerRows",
            \.headerRows,
            .range(0...65_536),
            about: "How many lines stand before the first row, the header among them."
        )
    )
}

/// What is to become of a row: named by its number, or by its line with all others on it.
public struct ImportRowChange: JSONObject, Hashable {
    public let row: Int?
    public let line: Int?
    public let isIncluded: Bool?
    public let categoryID: Patch<CategoryID>
    public let isTransfer: Bool?
    public let mergeID: Patch<ID<MoneyTransaction>>

    public static let json = Object(
        ImportRowChange.init,
        Field("row", \.row, about: "Its number, from 1."),
        Field("line", \.line, about: "Its line."),
        Field("included", \.isIncluded, about: "Whether it is to be taken in."),
        Field("categoryId", \.categoryID, about: "Its category; `null` for «Others»."),
        Field(
            "transfer",
            \.isTransfer,
            about: """
                Whether it may become a transfer with the other own account's row. `false` keeps \
                it a row of its own.
                """
        ),
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
    public let mapping: Patch<CSVMapping>
    public let accountNumber: String?
    public let rows: [ImportRowChange]
    public let acceptsBalances: Bool?

    public static let json = Object(
        ImportChange.init,
        Field("mapping", \.mapping, about: "How a CSV is read; `null` has it found again."),
        Field(
            "accountNumber",
            \.accountNumber,
            .line(1...64),
            about: "Of which account the rows are, where `mapping` names a column of accounts."
        ),
        Field("rows", \.rows, .count(0...10_000), default: [], about: "What becomes of rows."),
        Field(
            "acceptBalances",
            \.acceptsBalances,
            about: "Whether it may be taken in though its balances do not tie."
        )
    )
}
