/// A report as it is set: all of its words are in the reader's language already.
public struct PrintedReport: Sendable, Hashable {
    /// The language of days and numbers, and of what stands on every page, BCP 47.
    public var language: String
    /// How its reader writes days, such as `dd/MM/yyyy`; empty: as the language does.
    public var datePattern = ""
    /// What it is.
    public var title: String
    /// Names and what they are, below the title.
    public var facts: [PrintedFact]
    /// What is drawn; the first is the report's picture.
    public var charts: [PrintedChart]
    /// What is told in rows.
    public var tables: [PrintedTable]
    /// Digits behind the point of its amounts.
    public var digits: Int
    /// When it was made, as an instant of RFC 3339.
    public var madeAt: String
    /// The day that it was then for its reader, ISO 8601.
    public var madeOn: String

    /// All of it.
    public init(
        language: String,
        title: String,
        facts: [PrintedFact],
        charts: [PrintedChart],
        tables: [PrintedTable],
        digits: Int,
        madeAt: String,
        madeOn: String
    ) {
        self.language = language
        self.title = title
        self.facts = facts
        self.charts = charts
        self.tables = tables
        self.digits = digits
        self.madeAt = madeAt
        self.madeOn = madeOn
    }
}

/// A line of a report's head.
public struct PrintedFact: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// What it is, as it is printed.
    public var text: String

    /// Both.
    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}

/// Rows of a report below headings.
public struct PrintedTable: Sendable, Hashable {
    /// What the cells of a column are, and how they are printed.
    public enum Kind: String, Sendable {
        /// As they are.
        case text
        /// A day of ISO 8601, or two with a slash between them.
        case days
        /// An exact decimal with the report's digits.
        case amount
        /// A whole number.
        case count
        /// A decimal with one digit behind its point.
        case percent
    }

    /// Headings and kinds; no more than a page has places for.
    public var columns: [PrintedColumn]
    /// A cell for each column.
    public var rows: [[String]]

    /// The most columns.
    public static let columnsMax = 8

    /// All of it.
    public init(columns: [PrintedColumn], rows: [[String]]) {
        self.columns = columns
        self.rows = rows
    }
}

/// A column of a table.
public struct PrintedColumn: Sendable, Hashable {
    /// Its heading.
    public var name: String
    /// Of its cells.
    public var kind: PrintedTable.Kind

    /// Both.
    public init(_ name: String, _ kind: PrintedTable.Kind) {
        self.name = name
        self.kind = kind
    }
}

extension PrintedReport {
    var texts: [String] {
        var list = TextList([language, datePattern, title, String(digits), madeAt, madeOn])
        list.append(facts.flatMap { [$0.name, $0.text] })
        list.append(String(charts.count))
        for chart in charts { chart.append(to: &list) }
        list.append(String(tables.count))
        for table in tables {
            list.append(table.columns.flatMap { [$0.name, $0.kind.rawValue] })
            list.append(table.rows.flatMap(\.self))
        }
        return list.texts
    }

    init?(texts: [String]) {
        var list = TextList(texts)
        guard let language = list.next(), let datePattern = list.next(),
            let title = list.next(), let digits = list.nextCount(), digits <= 6,
            let madeAt = list.next(), let madeOn = list.next(),
            let facts = list.nextList(), facts.count % 2 == 0, let chartCount = list.nextCount()
        else { return nil }
        var charts: [PrintedChart] = []
        for _ in 0..<chartCount {
            guard let chart = PrintedChart(&list) else { return nil }
            charts.append(chart)
        }
        guard let tableCount = list.nextCount() else { return nil }
        var tables: [PrintedTable] = []
        for _ in 0..<tableCount {
            guard let table = PrintedTable(&list) else { return nil }
            tables.append(table)
        }
        self.init(
            language: language,
            title: title,
            facts: stride(from: 0, to: facts.count, by: 2).map {
                PrintedFact(facts[$0], facts[$0 + 1])
            },
            charts: charts,
            tables: tables,
            digits: digits,
            madeAt: madeAt,
            madeOn: madeOn
        )
        self.datePattern = datePattern
    }
}

extension PrintedTable {
    fileprivate init?(_ list: inout TextList) {
        guard let heads = list.nextList(), heads.count % 2 == 0, let cells = list.nextList() else {
            return nil
        }
        let columns = stride(from: 0, to: heads.count, by: 2).compactMap { at in
            Kind(rawValue: heads[at + 1]).map { PrintedColumn(heads[at], $0) }
        }
        let width = heads.count / 2
        guard columns.count == width, (1...Self.columnsMax).contains(width),
            cells.count % width == 0
        else { return nil }
        let rows = stride(from: 0, to: cells.count, by: width).map { at in
            Array(cells[at..<at + width])
        }
        self.init(columns: columns, rows: rows)
    }
}

/// A report as the process that sets it gets it, which may take a moment to make.
public struct PackedReport: Sendable {
    let frame: [UInt8]

    /// A report that is to become something.
    public init(_ report: PrintedReport, as type: DocumentType) {
        frame = DocumentFrame.make(.report, report.texts + [type.rawValue])
    }
}

/// What a report becomes.
public enum DocumentType: String, Sendable {
    /// Pages with charts and tables.
    case pdf
    /// Its chart as a picture of lines.
    case svg
    /// Its chart as a picture of pixels.
    case png
}
