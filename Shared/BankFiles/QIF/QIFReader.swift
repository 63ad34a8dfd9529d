import WalletProtocol

/// Reads the accounts of a QIF file: bank, cash, card, and other assets and debts.
///
/// A line is a field: a letter and its value; `^` ends a row. Days are written as the program's
/// country has it, years as `1/31'24` where they are of this century. Splits (`S`, `E`, `$`) tell
/// what a row was for, not rows of their own. Lists of categories, classes, memorized payees and
/// securities are passed over; trades are refused.
/// Source: Intuit, Quicken Interchange Format.
func readQIF(
    _ bytes: [UInt8],
    assuming currency: Currency
) throws(UnreadableStatement) -> [BankStatement] {
    var reader = QIFReader(FileText.utf8(bytes, charset: .undeclared))
    let accounts = try reader.read()
    guard !accounts.isEmpty else {
        throw .unreadable(line: 1, detail: "no account (!Type:Bank, Cash or CCard) is in the file")
    }
    let rows = accounts.flatMap(\.rows)
    let style = QIFStyle(rows, currency)
    return accounts.map { $0.statement(style) }
}

/// One row as it is written.
struct QIFRow: Hashable {
    var line: Int
    /// The first value of each letter; splits count as one.
    var values: [UInt8: String] = [:]
    var splits: [String] = []

    subscript(letter: Character) -> String? { letter.asciiValue.flatMap { values[$0] } }

    /// As it is written.
    var amount: String? { self["T"] ?? self["U"] }

    var isEmpty: Bool { values.isEmpty && splits.isEmpty }
}

/// An account and its rows.
struct QIFAccount: Hashable {
    var name: String?
    let kind: String
    var rows: [QIFRow] = []
}

/// How a file writes days and amounts.
struct QIFStyle {
    let order: StatementDates.Order
    let decimal: UInt8
    let currency: Currency
    /// What nothing in the file decides.
    private(set) var notes: [StatementFault] = []

    init(_ rows: [QIFRow], _ currency: Currency) {
        self.currency = currency
        let days = StatementDates.evidence(
            of: rows.lazy.map { QIFStyle.plainDay($0["D"] ?? "") }
        )
        order = days.order ?? (currency == .usd ? .monthFirst : .dayFirst)
        var votes = DecimalVotes()
        var unsure: QIFRow?
        for row in rows {
            guard let written = row.amount.flatMap({ WrittenAmount($0) }) else { continue }
            votes.add(written)
            if unsure == nil, votes.isUnsure { unsure = row }
        }
        decimal = votes.decided ?? votes.guess(currency)
        if days.order == nil, let doubtful = days.doubtful {
            let read = order == .monthFirst ? "month" : "day"
            note(rows[doubtful], rows[doubtful]["D"], "is read \(read) first, and no row decides")
        }
        if votes.isUnsure, currency.exponent != 3, let unsure {
            let isFraction = unsure.amount?.utf8.contains(decimal) ?? false
            let read = isFraction ? "a fraction" : "thousands"
            note(unsure, unsure.amount, "is read as \(read), and no row decides")
        }
    }

    private mutating func note(_ row: QIFRow, _ text: String?, _ detail: String) {
        let text = FileText.quoted(text ?? "")
        notes.append(StatementFault(line: row.line, detail: "\(text) \(detail)"))
    }

    /// `1/31'24` and `1/31' 4` as `1/31/2024` and `1/31/2004`: an apostrophe is for this century.
    static func plainDay(_ text: String) -> String {
        var bytes = Array(text.utf8.prefix(40).filter { $0 != 0x20 })
        if let mark = bytes.firstIndex(of: UInt8(ascii: "'")) {
            let year = bytes[(mark + 1)...]
            let century: [UInt8] =
                year.count == 4 ? [] : year.count == 2 ? Array("20".utf8) : Array("200".utf8)
            let separator = bytes.first { !isDigit($0) } ?? UInt8(ascii: "/")
            bytes = bytes[..<mark] + [separator] + century + year
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func day(_ text: String) -> Day? {
        StatementDates.csv(QIFStyle.plainDay(text), order: order)
    }

    func amount(_ text: String) throws(AmountFault) -> Int64 {
        guard let written = WrittenAmount(text) else { throw .malformed }
        return try written.minorUnits(decimal: decimal, in: currency)
    }
}

/// Takes a file apart.
struct QIFReader {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 0
    private var accounts: [QIFAccount] = []
    private var rowCount = 0
    /// What the lines belong to.
    private enum Section: Equatable { case rows, account, other }
    private var section = Section.other
    private var accountName: String?

    private static let kinds = ["BANK", "CASH", "CCARD", "OTH A", "OTH L", "OTHA", "OTHL"]
    static let splitsMax = 64

    init(_ text: [UInt8]) { bytes = text }

    mutating func read() throws(UnreadableStatement) -> [QIFAccount] {
        var row = QIFRow(line: 1)
        while let text = nextLine() {
            guard let letter = text.first else { continue }
            let value = String(decoding: text.dropFirst(), as: UTF8.self)
            switch letter {
            case UInt8(ascii: "!"):
                try end(&row)
                try begin(value)
            case UInt8(ascii: "^"): try end(&row)
            default:
                if row.isEmpty { row.line = line }
                take(letter, value, &row)
            }
        }
        // The last row of some programs has no end.
        try end(&row)
        return accounts
    }

    private func take(_ letter: UInt8, _ value: String, _ row: inout QIFRow) {
        guard section != .other else { return }
        if letter == UInt8(ascii: "S") || letter == UInt8(ascii: "E") {
            if row.splits.count < QIFReader.splitsMax, !value.isEmpty { row.splits.append(value) }
        } else if row.values[letter] == nil {
            row.values[letter] = value
        }
    }

    private mutating func begin(_ header: String) throws(UnreadableStatement) {
        let capitals = FileText.capitals(header.utf8)
        let name =
            FileText.line(String(decoding: capitals, as: UTF8.self), scalarsMax: 40) ?? ""
        if name.hasPrefix("ACCOUNT") {
            section = .account
            return
        }
        guard name.hasPrefix("TYPE:") else { return }
        let kind = FileText.line(String(name.dropFirst(5)), scalarsMax: 40) ?? ""
        if kind == "INVST" {
            throw .unreadable(line: line, detail: "an investment account (Invst) is not read")
        }
        guard QIFReader.kinds.contains(kind) else {
            section = .other
            return
        }
        section = .rows
        guard accounts.count < StatementLimits.statementsMax else {
            throw .tooManyStatements(line)
        }
        accounts.append(QIFAccount(name: accountName, kind: kind))
        accountName = nil
    }

    private mutating func end(_ row: inout QIFRow) throws(UnreadableStatement) {
        defer { row = QIFRow(line: line + 1) }
        guard !row.isEmpty else { return }
        switch section {
        case .other: break
        case .account: accountName = row["N"].flatMap { FileText.line($0, scalarsMax: 64) }
        case .rows:
            rowCount += 1
            guard rowCount <= StatementLimits.rowsMax else {
                throw .unreadable(line: line, detail: "the file has more than 200,000 rows")
            }
            accounts[accounts.count - 1].rows.append(row)
        }
    }

    /// A line without its end and the spaces around it.
    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard at < bytes.count else { return nil }
        line += 1
        let start = at
        while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D { at += 1 }
        var text = bytes[start..<min(at, start + StatementLimits.valueBytesMax)]
        if at < bytes.count {
            at += bytes[at] == 0x0D && at + 1 < bytes.count && bytes[at + 1] == 0x0A ? 2 : 1
        }
        while let first = text.first, first <= 0x20 { text.removeFirst() }
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return text
    }
}
