import Text
import WalletProtocol

/// Makes rows of one account's records, once it is known how the whole file writes them.
struct CSVReader {
    private let records: [CSVRecord]
    let style: CSVStyle
    private let layouts: CSVLayouts
    private let account: String?
    var columns: CSVColumns { style.header.columns }
    var currency: Currency { style.currency }

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
        var statement = BankStatement(
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
        statement.provedNewestFirst = chain?.isNewestFirst
        return statement
    }
}
