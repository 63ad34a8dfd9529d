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
    asOf today: Day? = nil,
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
        CSVStyle.Assumed(
            order: order.map(StatementDates.Order.init),
            today: today,
            currency: currency
        )
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
        faults: [
            StatementFault(
                line: 1,
                detail: "\(detail): say which column tells what, or confirm the mapping that "
                    + "is proposed"
            )
        ],
        opening: nil,
        closing: nil,
        from: nil,
        to: nil,
        layout: CSVLayout(
            columns: table.names,
            mapping: nil,
            proposal: CSVHeader.proposal(in: text, table.delimiter)
        )
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
        var found = Found()
        var booking = CSVWords.Memory(of: CSVWords.booking)
        let balanceLines = CSVBalanceLines(columns, width: style.header.names.count)
        for record in records {
            let status = columns.field(.status, of: record)
            switch booking.recall(status) {
            case .booked: break
            case .unbooked:
                found.note(
                    record,
                    "a row that is not booked (\(FileText.quoted(status))) is left out"
                )
                continue
            case .unknown: found.noteUnknown(record, status)
            }
            if let kind = balanceLines.kind(of: record) {
                found.asides.append(aside(record, kind, found.lines.count))
                continue
            }
            do throws(Unread) {
                found.lines.append(try line(record, &found.notes))
                found.fewest = min(found.fewest, CSVReader.filled(record))
            } catch {
                found.faults.append(StatementFault(line: record.line, detail: error.detail))
            }
        }
        found.markBare(records)
        let judged = CSVLines(found.lines, found.asides, currency) { lines in
            sums(of: lines, found.faults.isEmpty).chain
        }
        return statement(judged, found.notes + judged.notes, found.faults + judged.faults)
    }

    /// What the records are, before lines of balances are judged.
    private struct Found {
        var lines: [CSVLine] = []
        var asides: [CSVAside] = []
        var notes: [StatementFault] = []
        var faults: [StatementFault] = []
        /// Fields of the row that has the fewest.
        var fewest = Int.max
        private var unknown: Set<String> = []

        mutating func note(_ record: CSVRecord, _ detail: String) {
            notes.append(StatementFault(line: record.line, detail: detail))
        }

        /// The first few words for a status that nobody knows, once each.
        mutating func noteUnknown(_ record: CSVRecord, _ status: String) {
            guard unknown.count < 10, unknown.insert(status).inserted else { return }
            note(
                record,
                "\(FileText.quoted(status)) says neither that a row is booked nor that it is not: "
                    + "such rows are read"
            )
        }

        mutating func markBare(_ records: [CSVRecord]) {
            guard !asides.isEmpty else { return }
            let lines = Set(asides.map(\.line))
            let bare = records.filter { lines.contains($0.line) && CSVReader.filled($0) < fewest }
            let bareLines = Set(bare.map(\.line))
            for index in asides.indices where bareLines.contains(asides[index].line) {
                asides[index].isBare = true
            }
        }
    }

    /// How many fields have something in them.
    private static func filled(_ record: CSVRecord) -> Int {
        record.fields.count { !$0.utf8.allSatisfy { $0 <= 0x20 } }
    }

    private func line(
        _ record: CSVRecord,
        _ notes: inout [StatementFault]
    ) throws(Unread) -> CSVLine {
        let (row, note) = try readRow(record)
        let (fee, doubt) = try fee(record)
        for note in [note, doubt].compactMap(\.self) {
            notes.append(StatementFault(line: record.line, detail: note))
        }
        return CSVLine(row: row, fee: fee, balance: balance(of: record))
    }

    private func balance(of record: CSVRecord) -> Int64? {
        guard columns.has(.balance) else { return nil }
        return try? amount(columns.field(.balance, of: record))
    }

    private func aside(_ record: CSVRecord, _ kind: CSVBalanceLines.Kind, _ place: Int) -> CSVAside
    {
        var ignored: [StatementFault] = []
        var note: String?
        let read = try? line(record, &ignored)
        let sum = read?.row.amount ?? (try? signedAmount(record, &note))
        let texts = [CSVColumns.Role.name, .description, .payee, .payer].map {
            columns.field($0, of: record)
        }
        let text = texts.first { FileText.line($0, scalarsMax: 40) != nil } ?? ""
        return CSVAside(
            kind: kind,
            line: record.line,
            text: text.isEmpty ? "this line" : FileText.quoted(text),
            place: place,
            day: style.day(columns.field(.date, of: record)),
            read: read,
            stated: sum ?? balance(of: record)
        )
    }

    private func sums(of lines: [CSVLine], _ isWhole: Bool) -> CSVFees {
        let balances = lines.compactMap(\.balance)
        let tells = isWhole && !lines.isEmpty && balances.count == lines.count
        return CSVFees(
            lines.map(\.row.amount),
            lines.map(\.fee),
            tells ? balances : nil,
            style.feesAreTold
        )
    }

    private func statement(
        _ judged: CSVLines,
        _ found: [StatementFault],
        _ faults: [StatementFault]
    ) -> BankStatement {
        var rows = judged.lines.map(\.row)
        var notes = style.notes + found
        let isWhole = faults.isEmpty
        let sums = sums(of: judged.lines, isWhole)
        for index in rows.indices { rows[index].amount = sums.amounts[index] }
        let tells = isWhole && judged.lines.allSatisfy { $0.balance != nil }
        var chain = sums.chain
        if let first = rows.first {
            if tells, chain == nil {
                let detail = "the balances in the file do not tie with its rows, and are left out"
                notes.append(StatementFault(line: first.line, detail: detail))
            }
            if let detail = sums.doubt {
                notes.append(StatementFault(line: first.line, detail: detail))
            }
        }
        if chain == nil, let note = style.inversion(of: rows) { notes.append(note) }
        if chain == nil, isWhole {
            let (stated, doubt) = judged.stated(rows.map(\.amount), currency)
            chain = stated
            if let doubt { notes.append(doubt) }
        }
        let days = rows.map(\.day)
        return BankStatement(
            format: .csv,
            accountNumber: account,
            currency: style.named,
            rows: rows,
            faults: faults.sorted { $0.line < $1.line },
            opening: chain?.opening,
            closing: chain?.closing,
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
        guard let isIn = style.sides.isIn(direction) else {
            let text = FileText.quoted(direction)
            throw Unread(detail: "\(text) says neither debit nor credit")
        }
        if style.areSidesSigned { return isIn ? value : -value }
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
