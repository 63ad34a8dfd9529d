import WalletProtocol

/// Where the header is, and what is between the fields.
struct CSVHeader {
    let delimiter: UInt8
    /// The last line before the rows, from 1; 0 where they begin at once.
    let line: Int
    var columns: CSVColumns
    /// As they are written; none where there is no header.
    let names: [String]

    static let recordsMax = 60
    static let bytesMax = 65_536

    /// The header of a file; nil when there is none.
    init?(in text: [UInt8]) {
        var best: CSVHeader?
        for delimiter in CSVRecords.delimiters {
            for record in CSVHeader.first(of: text, delimiter) {
                guard let columns = CSVColumns(header: record) else { continue }
                if columns.known > best?.columns.known ?? 0 {
                    best = CSVHeader(delimiter, record.line, columns, record.fields)
                }
                break
            }
        }
        guard let best else { return nil }
        self = best
    }

    private init(_ delimiter: UInt8, _ line: Int, _ columns: CSVColumns, _ names: [String]) {
        self.delimiter = delimiter
        self.line = line
        self.columns = columns
        self.names = names
    }

    /// The first records, as far as they are whole.
    private static func first(of text: [UInt8], _ delimiter: UInt8) -> [CSVRecord] {
        var records = CSVRecords(Array(text.prefix(bytesMax)), delimiter: delimiter)
        var found: [CSVRecord] = []
        // The sample may end inside quotes: what came before counts.
        while found.count < recordsMax, let record = try? records.next() { found.append(record) }
        return found
    }

    /// Whether a file is known to be a statement: a text with commas in it may be anything.
    static func isKnown(in file: [UInt8], _ mapping: CSVMapping?) -> Bool {
        let text = CSVText(file, mapping?.charset).bytes
        guard let mapping else { return CSVHeader(in: text) != nil }
        return (try? CSVHeader(mapping, in: text)) != nil
    }

    /// What looks like a table: its delimiter and its widest line.
    ///
    /// Two records at least have several fields, or the only one has a day and an amount.
    static func table(in text: [UInt8]) -> (delimiter: UInt8, names: [String])? {
        var best: (delimiter: UInt8, names: [String], like: Int)?
        for delimiter in CSVRecords.delimiters {
            let records = first(of: text, delimiter).filter { $0.fields.count > 1 && !$0.isBlank }
            guard let widest = records.map(\.fields.count).max(),
                let names = records.first(where: { $0.fields.count == widest })?.fields,
                records.count > 1 || isRow(names)
            else { continue }
            // A row that can be read tells most, then other records of the same width.
            let alike = records.count(where: { $0.fields.count == widest })
            let likelier = records.prefix(5).contains { isRow($0.fields) } ? 10_000 : 0
            let like = likelier + (alike > 1 ? widest + CSVRecords.fieldsMax : widest)
            if like > best?.like ?? 0 { best = (delimiter, names, like) }
        }
        return best.map { best in
            let names = best.names.map {
                FileText.line($0, scalarsMax: StatementLimits.nameMax) ?? ""
            }
            return (best.delimiter, names)
        }
    }

    /// What the cells of a table suggest.
    static func proposal(in text: [UInt8], _ delimiter: UInt8) -> CSVMapping? {
        CSVProposal(first(of: text, delimiter), delimiter: delimiter)?.mapping
    }

    /// Whether a record among the first has a day and an amount.
    static func hasRow(in file: [UInt8]) -> Bool {
        let text = CSVText(file, nil).bytes
        guard let table = table(in: text) else { return false }
        return first(of: text, table.delimiter).contains { isRow($0.fields) }
    }

    private static func isRow(_ fields: [String]) -> Bool {
        let others = fields.filter { StatementDates.csv($0, order: .dayFirst) == nil }
        return others.count < fields.count && others.contains { WrittenAmount($0) != nil }
    }

    // MARK: As it is told

    /// The header that `mapping` speaks of.
    /// - Throws: `.mapping`, where a column is not there.
    init(_ mapping: CSVMapping, in text: [UInt8]) throws(UnreadableStatement) {
        let given: [(CSVColumns.Role, String, CSVColumn?)] = [
            (.date, "date", mapping.date), (.amount, "amount", mapping.amount),
            (.debit, "debit", mapping.debit), (.credit, "credit", mapping.credit),
            (.name, "name", mapping.name), (.description, "description", mapping.description),
            (.reference, "reference", mapping.reference),
            (.counterparty, "counterparty", mapping.counterparty),
            (.balance, "balance", mapping.balance), (.direction, "direction", mapping.direction),
            (.fee, "fee", mapping.fee), (.account, "account", mapping.account),
        ]
        guard mapping.amount != nil || (mapping.debit != nil && mapping.credit != nil) else {
            throw .mapping("amount", detail: "is required, or both of debit and credit are")
        }
        guard mapping.amount == nil || (mapping.debit == nil && mapping.credit == nil) else {
            throw .mapping("debit", detail: "cannot stand beside amount")
        }
        let wanted = given.compactMap { role, member, column in column.map { (role, member, $0) } }
        var best: CSVHeader?
        var failure: UnreadableStatement?
        for delimiter in CSVHeader.delimiters(mapping, wanted.map(\.2), in: text) {
            do throws(UnreadableStatement) {
                let found = try CSVHeader(wanted, mapping, in: text, delimiter)
                if found.names.count > best?.names.count ?? -1 { best = found }
            } catch {
                failure = failure ?? error
            }
        }
        guard let best else {
            throw failure ?? .mapping("date", detail: "is in no column of the file")
        }
        self = best
    }

    /// The one that is told; for numbers that by which the columns were shown; else any.
    private static func delimiters(
        _ mapping: CSVMapping,
        _ wanted: [CSVColumn],
        in text: [UInt8]
    ) -> [UInt8] {
        if let told = mapping.delimiter { return Array(told.rawValue.utf8) }
        let areNumbers = wanted.allSatisfy { if case .first = $0 { true } else { false } }
        guard areNumbers, let shown = CSVHeader(in: text)?.delimiter ?? table(in: text)?.delimiter
        else { return CSVRecords.delimiters }
        return [shown]
    }

    private init(
        _ wanted: [(CSVColumns.Role, String, CSVColumn)],
        _ mapping: CSVMapping,
        in text: [UInt8],
        _ delimiter: UInt8
    ) throws(UnreadableStatement) {
        let records = CSVHeader.first(of: text, delimiter)
        let names = wanted.compactMap { _, _, column in
            if case .second(let name) = column { name } else { nil }
        }
        let header: CSVRecord?
        if let lines = mapping.headerRows {
            header = records.last { $0.line <= lines }
        } else if !names.isEmpty {
            header = records.first { record in
                names.allSatisfy { CSVHeader.index(of: $0, in: record) != nil }
            }
        } else {
            header = CSVHeader.beforeFirstDay(records, mapping.date)
        }
        var indexes: [CSVColumns.Role: Int] = [:]
        for (role, member, column) in wanted {
            indexes[role] = try CSVHeader.index(of: column, member, in: header, records)
        }
        var currency: Currency?
        if let column = mapping.currency {
            // A code stands for itself where no column has its name.
            if case .second(let name) = column, let code = Currency(name.uppercased()),
                header.flatMap({ CSVHeader.index(of: name, in: $0) }) == nil
            {
                currency = code
            } else {
                indexes[.currency] = try CSVHeader.index(
                    of: column,
                    "currency",
                    in: header,
                    records
                )
            }
        }
        if let header {
            indexes[.status] = CSVColumns.status(in: header.fields, besides: indexes.values)
        }
        var columns = CSVColumns(indexes: indexes, currency: currency)
        columns.addTexts(of: header?.fields ?? [])
        self.init(
            delimiter,
            mapping.headerRows ?? header?.line ?? 0,
            columns,
            header?.fields ?? []
        )
    }

    /// The record before the first whose date is one; nil where that is the first.
    private static func beforeFirstDay(_ records: [CSVRecord], _ date: CSVColumn) -> CSVRecord? {
        guard case .first(let number) = date else { return nil }
        let first = records.firstIndex { record in
            guard number > 0, number <= record.fields.count else { return false }
            let text = record.fields[number - 1]
            return StatementDates.csv(text, order: .dayFirst) != nil
                || StatementDates.csv(text, order: .monthFirst) != nil
        }
        guard let first, first > 0 else { return nil }
        return records[first - 1]
    }

    private static func index(of name: String, in record: CSVRecord) -> Int? {
        let wanted = plain(name)
        return record.fields.firstIndex { plain($0) == wanted }
    }

    private static func plain(_ name: String) -> String {
        (FileText.line(name, scalarsMax: StatementLimits.nameMax) ?? "").lowercased()
    }

    private static func index(
        of column: CSVColumn,
        _ member: String,
        in header: CSVRecord?,
        _ records: [CSVRecord]
    ) throws(UnreadableStatement) -> Int {
        switch column {
        case .second(let name):
            guard let header else {
                throw .mapping(member, detail: "is a name, and the file has no header line with it")
            }
            guard let index = index(of: name, in: header) else {
                let text = FileText.quoted(name)
                throw .mapping(member, detail: "\(text) is in no column's name")
            }
            return index
        case .first(let number):
            let widest = records.map(\.fields.count).max() ?? 0
            guard number >= 1, number <= widest else {
                throw .mapping(member, detail: "columns count from 1 to \(widest)")
            }
            return number - 1
        }
    }

    // MARK: Told

    /// The whole mapping as it is in force.
    func layout(_ style: CSVStyle) -> CSVLayout {
        // As they can be stored and told: without what no name has a use for.
        let shown = names.map { FileText.line($0, scalarsMax: StatementLimits.nameMax) ?? "" }
        let plain = names.map(CSVHeader.plain)
        let uses = plain.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        func column(_ role: CSVColumns.Role) -> CSVColumn? {
            columns.indexes[role].map { index in
                let name = index < plain.count ? plain[index] : ""
                let isPlain = !name.isEmpty && uses[name] == 1
                return isPlain ? .second(shown[index]) : .first(index + 1)
            }
        }
        let mapping = column(.date).map { date in
            CSVMapping(
                date: date,
                amount: column(.amount),
                debit: column(.debit),
                credit: column(.credit),
                name: column(.name) ?? column(.payee),
                description: column(.description),
                currency: column(.currency) ?? style.named.map { .second($0.code) },
                reference: column(.reference),
                counterparty: column(.counterparty),
                balance: column(.balance),
                direction: column(.direction),
                fee: column(.fee),
                account: column(.account),
                invert: style.isInverted ? true : nil,
                charset: style.charset,
                delimiter: CSVDelimiter(rawValue: String(Character(Unicode.Scalar(delimiter)))),
                decimal: style.decimal == UInt8(ascii: ",") ? .comma : .point,
                dateOrder: style.order.told,
                headerRows: line
            )
        }
        return CSVLayout(
            columns: shown,
            mapping: mapping,
            order: style.order.told,
            isOrderDecided: style.isOrderDecided
        )
    }
}

extension StatementDates.Order {
    init(_ order: DateOrder) {
        self =
            switch order {
            case .dayFirst: .dayFirst
            case .monthFirst: .monthFirst
            case .yearFirst: .yearFirst
            }
    }

    fileprivate var told: DateOrder {
        switch self {
        case .dayFirst: .dayFirst
        case .monthFirst: .monthFirst
        case .yearFirst: .yearFirst
        }
    }
}
