import Text
import WalletProtocol

/// Reads a CSV file: the statements of its accounts, of one where no column tells accounts apart.
///
/// The delimiter and the header line are those under which the most columns are known, searched
/// in the file's first records: banks put lines about the account above. How days and amounts are
/// written is decided over the whole file. `mapping` says what of this is known already, `order`
/// what the account's last file was. A table whose columns are not to be found has no rows, and
/// tells so: it wants a mapping.
/// Source: RFC 4180.
func readCSV(
    _ bytes: [UInt8],
    mapping: CSVMapping? = nil,
    order: DateOrder? = nil,
    assuming currency: Currency
) throws(UnreadableStatement) -> [BankStatement] {
    let text = CSVText(bytes, mapping?.charset)
    let found: CSVHeader
    if let mapping {
        found = try CSVHeader(mapping, in: text.bytes)
    } else if let known = CSVHeader(in: text.bytes) {
        found = known
    } else {
        return [try unknownTable(text.bytes)]
    }
    let rows = try records(of: text.bytes, found)
    let style = CSVStyle(
        rows,
        found,
        mapping,
        charset: text.charset,
        lastOrder: order.map(StatementDates.Order.init),
        assuming: currency
    )
    let accounts = style.accounts(rows)
    guard accounts.count <= StatementLimits.statementsMax else {
        throw .tooManyStatements(found.line + 1)
    }
    // Once for all accounts, which differ in whether fees are taken off.
    var plain = style
    plain.header.columns.set(.fee, nil)
    let layouts = CSVLayouts(taking: style.header.layout(style), plain: plain.header.layout(plain))
    return accounts.map { account, rows in CSVReader(rows, style, layouts, account).statement() }
}

/// How a file is laid out where its fees are taken off, and where not.
private struct CSVLayouts {
    let taking: CSVLayout
    let plain: CSVLayout
}

/// The records behind the header.
private func records(
    of text: [UInt8],
    _ header: CSVHeader
) throws(UnreadableStatement) -> [CSVRecord] {
    var records = CSVRecords(text, delimiter: header.delimiter)
    var rows: [CSVRecord] = []
    var fields = 0
    while let record = try records.next() {
        guard record.line > header.line, !record.isBlank else { continue }
        guard rows.count < StatementLimits.rowsMax else {
            throw .unreadable(line: record.line, detail: "the file has more than 200,000 rows")
        }
        fields += record.fields.count
        guard fields <= StatementLimits.fieldsMax else {
            throw .unreadable(line: record.line, detail: "the file has too many fields")
        }
        rows.append(record)
    }
    return rows
}

/// What is a table, but of unknown columns.
private func unknownTable(_ text: [UInt8]) throws(UnreadableStatement) -> BankStatement {
    let detail = "no header line with a date and an amount is among the first lines"
    guard let table = CSVHeader.table(in: text) else {
        throw .unreadable(line: 1, detail: detail)
    }
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
        layout: CSVLayout(columns: table.names, mapping: nil)
    )
}

/// Makes rows of one account's records, once it is known how the whole file writes them.
private struct CSVReader {
    private let records: [CSVRecord]
    private let style: CSVStyle
    private let layouts: CSVLayouts
    private let account: String?
    private var columns: CSVColumns { style.header.columns }
    private var currency: Currency { style.currency }

    init(
        _ records: [CSVRecord],
        _ style: CSVStyle,
        _ layouts: CSVLayouts,
        _ account: String?
    ) {
        self.records = records
        self.style = style
        self.layouts = layouts
        self.account = account
    }

    func statement() -> BankStatement {
        var rows: [StatementRow] = []
        var balances: [Int64] = []
        var fees: [Int64] = []
        var faults: [StatementFault] = []
        var notes = style.notes
        var isUnbooked = CSVWords.Memory(of: CSVWords.isUnbooked)
        for record in records {
            let status = columns.field(.status, of: record)
            if isUnbooked.recall(status) {
                let detail =
                    "a row that is not booked (\(FileText.quoted(status))) is left out"
                notes.append(StatementFault(line: record.line, detail: detail))
                continue
            }
            do throws(Unread) {
                let (read, note) = try readRow(record)
                let (taken, doubt) = try fee(record)
                rows.append(read)
                fees.append(taken)
                for note in [note, doubt].compactMap(\.self) {
                    notes.append(StatementFault(line: record.line, detail: note))
                }
                if columns.has(.balance),
                    let balance = try? amount(columns.field(.balance, of: record))
                {
                    balances.append(balance)
                }
            } catch {
                faults.append(StatementFault(line: record.line, detail: error.detail))
            }
        }
        let tells = faults.isEmpty && !rows.isEmpty && balances.count == rows.count
        let sums = CSVFees(rows.map(\.amount), fees, tells ? balances : nil, style.feesAreTold)
        for index in rows.indices { rows[index].amount = sums.amounts[index] }
        if let first = rows.first, tells, sums.chain == nil {
            let detail = "the balances in the file do not tie with its rows, and are left out"
            notes.append(StatementFault(line: first.line, detail: detail))
        }
        if let first = rows.first, let detail = sums.doubt {
            notes.append(StatementFault(line: first.line, detail: detail))
        }
        if sums.chain == nil, let note = style.inversion(of: rows) { notes.append(note) }
        let days = rows.map(\.day)
        return BankStatement(
            format: .csv,
            accountNumber: account,
            currency: style.named,
            rows: rows,
            faults: faults,
            opening: sums.chain?.opening,
            closing: sums.chain?.closing,
            from: days.min(),
            to: days.max(),
            notes: notes,
            layout: sums.areTaken ? layouts.taking : layouts.plain
        )
    }

    private struct Unread: Error {
        let detail: String
    }

    private func readRow(_ record: CSVRecord) throws(Unread) -> (StatementRow, String?) {
        var date = columns.field(.date, of: record)
        if date.isEmpty { date = columns.field(.otherwise, of: record) }
        guard let day = style.day(date) else {
            let isBlank = FileText.line(date, scalarsMax: 1) == nil
            throw Unread(
                detail: isBlank ? "the row has no day" : "\(FileText.quoted(date)) is no day"
            )
        }
        let code = style.code(of: record)
        guard code.isEmpty || CSVStyle.isCode(code, of: currency) else {
            throw Unread(
                detail: "the row is in \(FileText.quoted(code)), not in \(currency.code)"
            )
        }
        var note: String?
        let sum = try signedAmount(record, &note)
        let names: [CSVColumns.Role] = sum < 0 ? [.name, .payee] : [.name, .payer]
        let texts = StatementTexts(
            names: names.map { text(columns.field($0, of: record)) },
            memo: text(columns.description(of: record))
        )
        let row = StatementRow(
            line: record.line,
            day: day,
            amount: sum,
            name: texts.name,
            description: texts.description,
            reference: StatementTexts.reference(columns.field(.reference, of: record)),
            counterparty: StatementTexts.accountNumber(columns.field(.counterparty, of: record))
        )
        return (row, note)
    }

    private func text(_ field: String) -> String {
        style.isOwn ? CSVField.text(of: field) : field
    }

    private func signedAmount(
        _ record: CSVRecord,
        _ note: inout String?
    ) throws(Unread) -> Int64 {
        let sum = try directed(record, &note)
        return style.isInverted ? -sum : sum
    }

    private func directed(_ record: CSVRecord, _ note: inout String?) throws(Unread) -> Int64 {
        guard columns.has(.amount) else {
            let debit = try side(.debit, of: record, &note)
            let credit = try side(.credit, of: record, &note)
            switch (debit ?? 0, credit ?? 0) {
            case (0, 0) where debit == nil && credit == nil:
                throw Unread(detail: "the row has no amount")
            case (let debit, 0): return style.debitsAreSigned ? debit : -debit
            case (0, let credit): return credit
            default: throw Unread(detail: "the row has a debit and a credit")
            }
        }
        let text = columns.field(.amount, of: record)
        guard FileText.line(text, scalarsMax: 1) != nil else {
            throw Unread(detail: "the row has no amount")
        }
        let value = try read(text, &note)
        guard columns.has(.direction) else { return value }
        let direction = columns.field(.direction, of: record)
        guard let isIn = CSVWords.isIn(direction) else {
            let text = FileText.quoted(direction)
            throw Unread(detail: "\(text) says neither debit nor credit")
        }
        return isIn ? abs(value) : -abs(value)
    }

    private func side(
        _ role: CSVColumns.Role,
        of record: CSVRecord,
        _ note: inout String?
    ) throws(Unread) -> Int64? {
        let text = columns.field(role, of: record)
        return FileText.line(text, scalarsMax: 1) == nil ? nil : try read(text, &note)
    }

    /// What the bank took, without its sign; where fees are only taken for such, what is none
    /// leaves its row as it is, with a note.
    private func fee(_ record: CSVRecord) throws(Unread) -> (amount: Int64, note: String?) {
        let text = columns.field(.fee, of: record)
        if CSVWords.isNothing(text) { return (0, nil) }
        var rounded: String?
        do throws(Unread) {
            return (abs(try read(text, &rounded)), nil)
        } catch {
            if style.feesAreTold { throw error }
            return (0, "\(error.detail): the row is read without its fee")
        }
    }

    private func read(_ text: String, _ note: inout String?) throws(Unread) -> Int64 {
        do throws(AmountFault) {
            guard let written = WrittenAmount(text) else { throw .malformed }
            if written.isIn(currency),
                let rounded = try written.rounded(decimal: style.decimal, in: currency)
            {
                let shown = Money(minorUnits: rounded, currency).description
                note = "\(FileText.quoted(text)) is rounded to \(shown)"
                return rounded
            }
            return try written.minorUnits(decimal: style.decimal, in: currency)
        } catch {
            throw Unread(detail: error.detail(text, currency))
        }
    }

    private func amount(_ text: String) throws(AmountFault) -> Int64 {
        guard let written = WrittenAmount(text) else { throw .malformed }
        return try written.minorUnits(decimal: style.decimal, in: currency)
    }
}
