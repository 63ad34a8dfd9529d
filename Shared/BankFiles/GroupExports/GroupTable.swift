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
