import WalletProtocol

/// A balance as a file tells it.
struct StatedBalance: Hashable {
    let amount: Int64
    let line: Int
}

/// What a part is of: a later one tells nothing that the account's statements do not.
enum StatementMessage: CaseIterable {
    /// camt.053, MT940.
    case statement
    /// camt.052, MT942.
    case report
    /// camt.054.
    case notice

    var name: String {
        switch self {
        case .statement: "statement"
        case .report: "report"
        case .notice: "notice"
        }
    }
}

/// One statement of an account as its file has it: a day's, a page, or a month's.
struct StatementPart {
    /// Where it begins in the file, from 1.
    let line: Int
    var message = StatementMessage.statement
    var accountNumber: String?
    var currency: Currency?
    /// Whether it names one that is none: it is nobody's page.
    var isCurrencyUnknown = false
    var opening: StatedBalance?
    var closing: StatedBalance?
    var rows: [StatementRow] = []
    var faults: [StatementFault] = []
    var notes: [StatementFault] = []
    var from: Day?
    var to: Day?
    /// Why it cannot be taken.
    var refusal: StatementFault?
    /// Where what it tells does not tie.
    var balanceFault: StatementFault?

    init(line: Int) {
        self.line = line
    }

    /// Refuses it; the first reason stands.
    mutating func refuse(_ line: Int, _ detail: String) {
        refusal = refusal ?? StatementFault(line: line, detail: detail)
    }
}

/// Makes one statement of each account out of the parts that a file has of it.
///
/// What is told is to tie: each part within itself, unless a row of it could not be read, and each
/// with the next, the oldest first or the newest first. Where it does not, the statement says so:
/// banks err, too, and whose file it is decides.
enum StatementChain {
    private struct Key: Hashable {
        let number: String?
        let currency: Currency?
    }

    /// A part that names no currency is in the assumed one, and so were its rows read.
    static func statements(
        of parts: [StatementPart],
        _ format: StatementFormat,
        assuming assumed: Currency
    ) -> [BankStatement] {
        var order: [Key] = []
        var groups: [Key: [StatementPart]] = [:]
        for part in parts {
            let currency = part.isCurrencyUnknown ? nil : part.currency ?? assumed
            let key = Key(number: part.accountNumber, currency: currency)
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(part)
        }
        return order.map { statement(of: groups[$0] ?? [], format) }
    }

    private static func statement(
        of all: [StatementPart],
        _ format: StatementFormat
    ) -> BankStatement {
        let told = StatementDays.told(all, format)
        let parts = told.parts
        let reversed = Array(parts.reversed())
        let ordered = gap(in: parts) != nil && gap(in: reversed) == nil ? reversed : parts
        let balanceFault =
            ordered.lazy.compactMap { $0.balanceFault ?? fault(in: $0) }.first ?? gap(in: ordered)
        let whole = ordered + told.more
        let faults = whole.flatMap(\.faults)
        let rows = whole.flatMap(\.rows)
        let days = rows.map(\.day)
        return BankStatement(
            format: format,
            accountNumber: whole.first?.accountNumber,
            currency: whole.lazy.compactMap(\.currency).first,
            rows: rows,
            faults: faults,
            opening: faults.isEmpty ? ordered.first?.opening?.amount : nil,
            closing: whole.last?.closing?.amount,
            from: whole.compactMap(\.from).min() ?? days.min(),
            to: whole.compactMap(\.to).max() ?? days.max(),
            notes: told.notes + whole.flatMap(\.notes),
            refusal: whole.lazy.compactMap(\.refusal).first,
            balanceFault: balanceFault
        )
    }

    /// Whether its own balances and rows tie.
    private static func fault(in part: StatementPart) -> StatementFault? {
        guard part.faults.isEmpty, let opening = part.opening, let closing = part.closing
        else { return nil }
        var sum = opening.amount
        for row in part.rows {
            let (next, isOver) = sum.addingReportingOverflow(row.amount)
            guard !isOver else {
                return StatementFault(line: row.line, detail: "the balance is too large")
            }
            sum = next
        }
        guard sum != closing.amount else { return nil }
        return StatementFault(
            line: closing.line,
            detail: "the closing balance is \(written(closing.amount, part)), but the opening one "
                + "and the rows make \(written(sum, part))"
        )
    }

    /// The first part that does not begin with what the one before ended with.
    private static func gap(in parts: [StatementPart]) -> StatementFault? {
        for (part, next) in zip(parts, parts.dropFirst()) {
            guard let closing = part.closing, let opening = next.opening,
                closing.amount != opening.amount
            else { continue }
            return StatementFault(
                line: opening.line,
                detail: "the opening balance is \(written(opening.amount, next)), but the "
                    + "statement before ended with \(written(closing.amount, part))"
            )
        }
        return nil
    }

    private static func written(_ amount: Int64, _ part: StatementPart) -> String {
        Money(minorUnits: amount, part.currency ?? .eur).description
    }
}
