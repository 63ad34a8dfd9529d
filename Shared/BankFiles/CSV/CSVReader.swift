import WalletProtocol

/// Reads a CSV file: the statement of one account.
///
/// The delimiter and the header line are those under which the most columns are known, searched
/// in the file's first records: banks put lines about the account above. How days and amounts are
/// written is decided over the whole file. `mapping` says what of this is known already. A table
/// whose columns are not to be found has no rows, and tells so: it wants a mapping.
/// Source: RFC 4180.
func readCSV(
    _ bytes: [UInt8],
    mapping: CSVMapping? = nil,
    assuming currency: Currency
) throws(UnreadableStatement) -> BankStatement {
    let text = StatementText.utf8(bytes, charset: .undeclared)
    let found: CSVHeader
    if let mapping {
        found = try CSVHeader(mapping, in: text)
    } else if let known = CSVHeader(in: text) {
        found = known
    } else {
        return try unknownTable(text)
    }
    var records = CSVRecords(text, delimiter: found.delimiter)
    var rows: [CSVRecord] = []
    var fields = 0
    while let record = try records.next() {
        guard record.line > found.line, !record.isBlank else { continue }
        guard rows.count < StatementLimits.rowsMax else {
            throw .unreadable(line: record.line, detail: "the file has more than 200,000 rows")
        }
        fields += record.fields.count
        guard fields <= StatementLimits.fieldsMax else {
            throw .unreadable(line: record.line, detail: "the file has too many fields")
        }
        rows.append(record)
    }
    return CSVReader(rows, found, mapping, assuming: currency).statement()
}

/// What is a table, but of unknown columns.
private func unknownTable(_ text: [UInt8]) throws(UnreadableStatement) -> BankStatement {
    let detail = "no header line with a date and an amount is among the first lines"
    guard let names = CSVHeader.names(in: text) else { throw .unreadable(line: 1, detail: detail) }
    return BankStatement(
        format: .csv,
        accountNumber: nil,
        currency: nil,
        rows: [],
        faults: [StatementFault(line: 1, detail: "\(detail): say which column tells what")],
        opening: nil,
        closing: nil,
        from: nil,
        to: nil,
        layout: CSVLayout(columns: names, mapping: nil)
    )
}

/// Makes rows of records, once it is known how the whole file writes them.
private struct CSVReader {
    private let records: [CSVRecord]
    private let columns: CSVColumns
    private let named: Currency?
    private let currency: Currency
    private let order: StatementDates.Order
    private let decimal: UInt8
    private let debitsAreSigned: Bool
    private let readsCurrency: Bool
    private let header: CSVHeader
    /// Whether it was written here.
    private let isOwn: Bool

    init(
        _ records: [CSVRecord],
        _ header: CSVHeader,
        _ mapping: CSVMapping?,
        assuming assumed: Currency
    ) {
        self.records = records
        self.header = header
        isOwn = header.names == CSVStatement.columns
        let columns = header.columns
        self.columns = columns
        let codes = records.lazy.map { CSVReader.code(columns.field(.currency, of: $0)) }
        let first = codes.first { !$0.isEmpty }.flatMap { Currency($0) }
        // A column `Valuta` may hold days: then it is no column of currencies.
        readsCurrency = first != nil
        // A file of several currencies is read for the account's own, where it is among them.
        let isAssumedThere = readsCurrency && codes.contains(assumed.code)
        named = isAssumedThere ? assumed : first ?? columns.currency
        let currency = named ?? assumed
        self.currency = currency
        order =
            mapping?.dateOrder.map(StatementDates.Order.init)
            ?? StatementDates.order(
                of: records.lazy.map { columns.field(.date, of: $0) },
                currency: currency
            )
        let roles = [CSVColumns.Role.amount, .debit, .credit, .balance].filter(columns.has)
        decimal =
            mapping?.decimal.map { $0 == .comma ? UInt8(ascii: ",") : UInt8(ascii: ".") }
            ?? StatementAmounts.decimal(
                of: records.lazy.flatMap { record in roles.map { columns.field($0, of: record) } },
                currency: currency
            )
        debitsAreSigned = CSVReader.areSigned(records, columns)
    }

    private static func code(_ text: String) -> String {
        StatementText.line(text, scalarsMax: 8)?.uppercased() ?? ""
    }

    /// Whether every debit that is not zero has a minus already.
    private static func areSigned(_ records: [CSVRecord], _ columns: CSVColumns) -> Bool {
        guard columns.has(.debit) else { return false }
        return records.allSatisfy { record in
            guard let written = WrittenAmount(columns.field(.debit, of: record)) else {
                return true
            }
            return written.isNegative || !written.body.contains { (0x31...0x39).contains($0) }
        }
    }

    func statement() -> BankStatement {
        var rows: [StatementRow] = []
        var balances: [Int64] = []
        var faults: [StatementFault] = []
        var notes: [StatementFault] = []
        for record in records {
            let status = columns.field(.status, of: record)
            if CSVWords.isUnbooked(status) {
                let detail =
                    "a row that is not booked (\(StatementText.quoted(status))) is left out"
                notes.append(StatementFault(line: record.line, detail: detail))
                continue
            }
            do throws(Unread) {
                rows.append(try row(record))
                if let balance = try? amount(columns.field(.balance, of: record)) {
                    balances.append(balance)
                }
            } catch {
                faults.append(StatementFault(line: record.line, detail: error.detail))
            }
        }
        let chain =
            faults.isEmpty && !rows.isEmpty && balances.count == rows.count
            ? CSVBalances(rows.map(\.amount), balances) : nil
        let days = rows.map(\.day)
        if let first = rows.first, chain == nil, faults.isEmpty, balances.count == rows.count {
            let detail = "the balances in the file do not tie with its rows, and are left out"
            notes.append(StatementFault(line: first.line, detail: detail))
        }
        return BankStatement(
            format: .csv,
            accountNumber: nil,
            currency: named,
            rows: rows,
            faults: faults,
            opening: chain?.opening,
            closing: chain?.closing,
            from: days.min(),
            to: days.max(),
            notes: notes,
            layout: header.layout(
                decimal: decimal == UInt8(ascii: ",") ? .comma : .point,
                order: order
            )
        )
    }

    private struct Unread: Error {
        let detail: String
    }

    private func row(_ record: CSVRecord) throws(Unread) -> StatementRow {
        let date = columns.field(.date, of: record)
        guard let day = StatementDates.csv(date, order: order) else {
            let isBlank = StatementText.line(date, scalarsMax: 1) == nil
            throw Unread(
                detail: isBlank ? "the row has no day" : "\(StatementText.quoted(date)) is no day"
            )
        }
        let code = readsCurrency ? CSVReader.code(columns.field(.currency, of: record)) : ""
        guard code.isEmpty || code == currency.code else {
            throw Unread(
                detail: "the row is in \(StatementText.quoted(code)), not in \(currency.code)"
            )
        }
        let texts = StatementTexts(
            names: [text(.name, of: record)],
            memo: text(.description, of: record)
        )
        return StatementRow(
            line: record.line,
            day: day,
            amount: try signedAmount(record),
            name: texts.name,
            description: texts.description,
            reference: StatementTexts.reference(columns.field(.reference, of: record)),
            counterparty: StatementTexts.accountNumber(columns.field(.counterparty, of: record))
        )
    }

    private func text(_ role: CSVColumns.Role, of record: CSVRecord) -> String {
        let field = columns.field(role, of: record)
        return isOwn ? CSVStatement.text(of: field) : field
    }

    private func signedAmount(_ record: CSVRecord) throws(Unread) -> Int64 {
        guard columns.has(.amount) else {
            let debit = try side(.debit, of: record)
            let credit = try side(.credit, of: record)
            switch (debit ?? 0, credit ?? 0) {
            case (0, 0) where debit == nil && credit == nil:
                throw Unread(detail: "the row has no amount")
            case (let debit, 0): return debitsAreSigned ? debit : -debit
            case (0, let credit): return credit
            default: throw Unread(detail: "the row has a debit and a credit")
            }
        }
        let text = columns.field(.amount, of: record)
        guard StatementText.line(text, scalarsMax: 1) != nil else {
            throw Unread(detail: "the row has no amount")
        }
        let value = try read(text)
        guard columns.has(.direction) else { return value }
        let direction = columns.field(.direction, of: record)
        guard let isIn = CSVWords.isIn(direction) else {
            let text = StatementText.quoted(direction)
            throw Unread(detail: "\(text) says neither debit nor credit")
        }
        return isIn ? abs(value) : -abs(value)
    }

    private func side(_ role: CSVColumns.Role, of record: CSVRecord) throws(Unread) -> Int64? {
        let text = columns.field(role, of: record)
        return StatementText.line(text, scalarsMax: 1) == nil ? nil : try read(text)
    }

    private func read(_ text: String) throws(Unread) -> Int64 {
        do throws(AmountFault) {
            return try amount(text)
        } catch {
            throw Unread(detail: error.detail(text, currency))
        }
    }

    private func amount(_ text: String) throws(AmountFault) -> Int64 {
        guard let written = WrittenAmount(text) else { throw .malformed }
        return try written.minorUnits(decimal: decimal, in: currency)
    }
}
