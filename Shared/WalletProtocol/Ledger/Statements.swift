/// The formats in which statements are given.
public enum StatementFileType: String, StringEnum {
    /// To be read and printed.
    case pdf
    /// Comma-separated values (RFC 4180).
    case csv
    /// ISO 20022 camt.053.001.08.
    case camt053
    /// Open Financial Exchange 2.
    case ofx

    /// The media type.
    public var mediaType: String {
        switch self {
        case .pdf: "application/pdf"
        case .csv: "text/csv; charset=utf-8; header=present"
        case .camt053: "application/xml"
        case .ofx: "application/x-ofx"
        }
    }

    /// How a file's name ends.
    public var fileExtension: String {
        switch self {
        case .pdf: "pdf"
        case .csv: "csv"
        case .camt053: "xml"
        case .ofx: "ofx"
        }
    }
}

/// Which days of an account, and how.
public struct StatementQuery: QueryObject, Hashable {
    public let from: Day?
    public let to: Day?
    public let format: StatementFileType

    public init(from: Day? = nil, to: Day? = nil, format: StatementFileType = .pdf) {
        self.from = from
        self.to = to
        self.format = format
    }

    public static let query = QueryFields(
        StatementQuery.init,
        QueryField(
            "from",
            \.from,
            about: "The first day; the first of the last month where both are left out."
        ),
        QueryField("to", \.to, about: "The last day; where `from` alone is given, today."),
        QueryField("format", \.format, default: .pdf, about: "The format.")
    )
}

/// What happened on an account, as a file.
public enum Statements {
    /// The lines of some days between an opening and a closing balance.
    public static let get = Endpoint<StatementQuery, NoBody, NoView>(
        "getStatement",
        .get,
        "/v1/accounts/{id}/statement",
        of: .ledger,
        for: .user,
        response: .file(StatementFileType.allCases.map(\.mediaType)),
        statuses: [200],
        errors: [.notFound, .amountTooLarge],
        summary: "An account's statement",
        description: """
            The last month where no days are named; `from` alone goes to today, `to` alone begins \
            with the month of that day. The balances are the journal's, all of it from one moment. \
            Headings, dates and sums of a PDF are in the user's language. In CSV a text that a \
            spreadsheet would take for a formula begins with an apostrophe.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [get.erased]
}
