import WalletProtocol

/// The records of an export behind its header.
struct GroupTable {
    /// Where the header is looked for: some exports have a note above it.
    private static let headersMax = 10

    /// The names of columns; what is empty at the end is cut.
    let header: [String]
    private(set) var records: [CSVRecord] = []

    /// The table whose header is known by `isHeader`; nil where there is none.
    /// - Throws: `.unreadable`, for more rows than there may be.
    init?(
        _ text: [UInt8],
        isHeader: (_ header: [String], _ next: [CSVRecord]) -> Bool
    ) throws(UnreadableStatement) {
        for delimiter in CSVRecords.delimiters {
            guard let found = GroupTable.header(of: text, delimiter, isHeader) else { continue }
            header = GroupTable.trimmed(found.fields)
            try read(text, delimiter, behind: found.line)
            return
        }
        return nil
    }

    private static func header(
        of text: [UInt8],
        _ delimiter: UInt8,
        _ isHeader: ([String], [CSVRecord]) -> Bool
    ) -> CSVRecord? {
        var records = CSVRecords(Array(text.prefix(CSVHeader.bytesMax)), delimiter: delimiter)
        var first: [CSVRecord] = []
        // The sample may end inside quotes: what came before counts.
        while first.count < headersMax * 2, let record = try? records.next() {
            if !record.isBlank { first.append(record) }
        }
        for (index, record) in first.prefix(headersMax).enumerated() {
            let next = Array(first[(index + 1)...])
            if isHeader(trimmed(record.fields), next) { return record }
        }
        return nil
    }

    private static func trimmed(_ fields: [String]) -> [String] {
        var fields = fields
        while let last = fields.last, isBlank(last) { fields.removeLast() }
        return fields
    }

    /// Whether there is nothing in a field.
    static func isBlank(_ field: String) -> Bool {
        field.utf8.allSatisfy { $0 <= 0x20 }
    }

    private mutating func read(
        _ text: [UInt8],
        _ delimiter: UInt8,
        behind line: Int
    ) throws(UnreadableStatement) {
        var all = CSVRecords(text, delimiter: delimiter)
        while let record = try all.next() {
            guard record.line > line, !record.isBlank else { continue }
            // Totals come beside the rows, one a currency.
            guard records.count < GroupExportLimits.rowsMax + Currency.all.count else {
                throw .unreadable(line: record.line, detail: "the file has more than 10,000 rows")
            }
            records.append(record)
        }
    }

    /// The field of a record; empty where it is shorter.
    static func field(_ index: Int?, of record: CSVRecord) -> String {
        guard let index, index < record.fields.count else { return "" }
        return record.fields[index]
    }

    /// Names of people, each once: of two that are called the same the second is «Alex (2)».
    static func people(_ names: some Sequence<String>) -> [String] {
        var seen: Set<String> = []
        return names.map { written in
            let name = FileText.line(written, scalarsMax: GroupImportPerson.nameMax) ?? "–"
            var (unique, number) = (name, 1)
            while !seen.insert(unique).inserted {
                number += 1
                let short = FileText.line(name, scalarsMax: GroupImportPerson.nameMax - 6) ?? "–"
                unique = "\(short) (\(number))"
            }
            return unique
        }
    }
}

/// How the days and amounts of an export are written.
struct GroupWriting {
    private let order: StatementDates.Order?
    private let votes: DecimalVotes

    init(days: some Sequence<String>, amounts: some Sequence<String>) {
        order = StatementDates.evidence(of: days).order
        var votes = DecimalVotes()
        for text in amounts where !GroupTable.isBlank(text) {
            if let amount = WrittenAmount(text) { votes.add(amount) }
        }
        self.votes = votes
    }

    /// A day, where the file tells in which order its parts stand.
    func day(_ text: String) throws(GroupRowFault) -> Day {
        let quoted = FileText.quoted(text)
        if let order {
            guard let day = StatementDates.csv(text, order: order) else {
                throw GroupRowFault("\(quoted) is no day")
            }
            return day
        }
        let days = [StatementDates.Order.dayFirst, .monthFirst].map {
            StatementDates.csv(text, order: $0)
        }
        guard let day = days[0] ?? days[1] else { throw GroupRowFault("\(quoted) is no day") }
        guard days[0] == days[1] else {
            throw GroupRowFault("day or month first in \(quoted)? no row tells: write 2024-12-31")
        }
        return day
    }

    /// An amount in minor units; nothing where the field is empty.
    func amount(
        _ text: String,
        in currency: Currency,
        isRounding: Bool = false
    ) throws(GroupRowFault) -> Int64 {
        if GroupTable.isBlank(text) { return 0 }
        guard let written = WrittenAmount(text) else {
            throw GroupRowFault(AmountFault.malformed.detail(text, currency))
        }
        if votes.decided == nil, currency.exponent != 3, GroupWriting.isUnsure(written) {
            throw GroupRowFault("\(FileText.quoted(text)) may be a thousand times less or more")
        }
        do throws(AmountFault) {
            let units = try written.minorUnits(
                decimal: votes.decided ?? votes.guess(currency),
                in: currency,
                isRounding: isRounding
            )
            guard !Money(minorUnits: units, currency).isBeyondSent else {
                throw AmountFault.tooLarge
            }
            return units
        } catch {
            throw GroupRowFault(error.detail(text, currency))
        }
    }

    /// Whether three digits behind its only mark may be a fraction or thousands.
    private static func isUnsure(_ amount: WrittenAmount) -> Bool {
        var votes = DecimalVotes()
        votes.add(amount)
        return votes.isUnsure
    }
}

/// Rows as they are read, within what a file may have.
struct GroupExportRows {
    private(set) var export: GroupExport
    private var parts = 0
    private var costs: [Currency: Int64] = [:]

    init(_ format: GroupImportFormat, people: [String]) {
        export = GroupExport(format: format, people: people)
    }

    /// Adds what `read` makes of a record, or why it makes nothing.
    /// - Throws: `.unreadable`, beyond the limits of a file.
    mutating func add(
        _ line: Int,
        _ read: () throws(GroupRowFault) -> GroupExportRow
    ) throws(UnreadableStatement) {
        guard export.rows.count + export.faults.count < GroupExportLimits.rowsMax else {
            throw .unreadable(line: line, detail: "the file has more than 10,000 rows")
        }
        do throws(GroupRowFault) {
            let row = try read()
            try take(row)
        } catch {
            fail(line, error.detail)
        }
        guard parts <= GroupExportLimits.partsMax else {
            throw .unreadable(line: line, detail: "the file has more than 100,000 shares")
        }
    }

    /// What all rows of a currency cost has to fit: so do all sums of their parts, then.
    private mutating func take(_ row: GroupExportRow) throws(GroupRowFault) {
        let currency = row.amount.currency
        let (sum, isOver) = costs[currency, default: 0]
            .addingReportingOverflow(abs(row.amount.minorUnits))
        if isOver { throw GroupRowFault("all rows in \(currency) come to too much") }
        costs[currency] = sum
        parts += row.paid.count + row.shares.count
        export.rows.append(row)
    }

    mutating func fail(_ line: Int, _ detail: String) {
        export.faults.append(StatementFault(line: line, detail: detail))
    }

    mutating func state(_ balances: [Int64], in currency: Currency) throws(GroupRowFault) {
        if let said = export.stated[currency], said != balances {
            throw GroupRowFault("another line states other balances in \(currency)")
        }
        export.stated[currency] = balances
    }
}
