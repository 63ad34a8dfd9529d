import Text
import WalletProtocol

/// Reads single rows.
extension CSVReader {
    struct Unread: Error {
        let detail: String
    }

    func readRow(_ record: CSVRecord) throws(Unread) -> (StatementRow, String?) {
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

    func signedAmount(
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
    func fee(_ record: CSVRecord) throws(Unread) -> (amount: Int64, note: String?) {
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

    func amount(_ text: String) throws(AmountFault) -> Int64 {
        guard let written = WrittenAmount(text) else { throw .malformed }
        return try written.minorUnits(decimal: style.decimal, in: currency)
    }
}
