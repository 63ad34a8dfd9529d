import Text
package import WalletProtocol

/// One row that a statement tells.
package struct StatementRow: Sendable, Hashable {
    /// Where it begins in the file, from 1.
    package let line: Int
    /// The local calendar day, as written.
    package let day: Day
    /// Minor units of the statement's currency; minus is money out.
    package var amount: Int64
    /// Never blank, one line, at most 140 scalars.
    package let name: String
    /// More than the name says, at most 2,000 scalars.
    package let description: String?
    /// The bank's own id of it: FITID in OFX.
    package let reference: String?
    /// The account on the other side, in capitals and digits.
    package var counterparty: String?
    /// What the payer calls the payment; the payee is told the same.
    package var endToEnd: String?
    /// What the row is known by where the bank gives no id; the name, where this is nil.
    package var identity: String?
}

/// A row that could not be read, and why.
package struct StatementFault: Sendable, Hashable {
    /// Where it is in the file, from 1.
    package let line: Int
    /// The reason, to be shown to the user.
    package let detail: String
}

/// A statement of one account.
package struct BankStatement: Sendable, Hashable {
    /// The format it was read from.
    package let format: StatementFormat
    /// The account's number as the bank writes it.
    package let accountNumber: String?
    /// The currency that the file names; nil where it names none, and the assumed one was used.
    package let currency: Currency?
    /// In the file's order.
    package private(set) var rows: [StatementRow]
    /// In the file's order.
    package private(set) var faults: [StatementFault]
    /// The balance before the rows; nil where a row or the closing balance could not be read.
    package private(set) var opening: Int64?
    /// The balance after the rows.
    package let closing: Int64?
    /// The first day it covers.
    package let from: Day?
    /// The last day it covers.
    package let to: Day?
    /// What is left out, and why; nothing is missing without it.
    package var notes: [StatementFault] = []
    /// Why this account cannot be taken, though others in the file may be.
    package var refusal: StatementFault?
    /// Where its balances do not tie: it may be taken in once that is accepted.
    package var balanceFault: StatementFault?
    /// The bank's number, where the file tells it beside the account's.
    package var bank: String?
    /// What kind of account it is, in the format's word: `SAVINGS`.
    package var kind: String?
    /// What its file is called in an archive, where nothing else tells it from the others.
    package var file: String?
    /// Of a CSV file: its columns.
    package var layout: CSVLayout?
    /// Whether its newest row comes first, if balances of the rows prove it.
    var provedNewestFirst: Bool?
}

extension BankStatement {
    /// Whether its newest row comes first: by the balances of its rows, else by their days.
    package var isNewestFirst: Bool {
        if let provedNewestFirst { return provedNewestFirst }
        var (up, down) = (0, 0)
        for (row, next) in zip(rows, rows.dropFirst()) where row.day != next.day {
            if row.day < next.day { up += 1 } else { down += 1 }
        }
        return down > up
    }
}

extension BankStatement {
    /// What is sent in a file is bounded as what is sent in a call; balances sum it and are not.
    mutating func boundAmounts(assuming assumed: Currency) {
        let currency = currency ?? assumed
        let isBeyond = { (row: StatementRow) in
            Money(minorUnits: row.amount, currency).isBeyondSent
        }
        guard rows.contains(where: isBeyond) else { return }
        faults += rows.filter(isBeyond).map {
            StatementFault(line: $0.line, detail: StatementLimits.amountTooLarge)
        }
        faults.sort { $0.line < $1.line }
        rows.removeAll(where: isBeyond)
        // Without all rows it cannot be told.
        opening = nil
    }
}

extension BankStatement {
    /// Notes rows that lie behind today: their day may be read wrongly.
    ///
    /// Two days are left for time zones and for banks that book ahead.
    mutating func noteFuture(asOf today: Day) {
        guard let last = today.adding(days: 2) else { return }
        let late = rows.filter { $0.day > last }
        guard let first = late.first else { return }
        let others = late.count == 1 ? "" : ", and \(late.count - 1) others are, too"
        notes.append(
            StatementFault(
                line: first.line,
                detail: "the day \(first.day.text) lies in the future\(others)"
            )
        )
    }
}

/// How a CSV file is laid out.
package struct CSVLayout: Sendable, Hashable {
    /// The names in its header line, which may be none.
    package let columns: [String]
    /// Which tells what; nil where it was not to be found.
    package let mapping: CSVMapping?
    /// What the cells suggest where the names are not known: it has to be confirmed.
    package var proposal: CSVMapping?
    /// The order in which days were read: to be given with the account's next file.
    package var order: DateOrder?
    /// Whether the file, its exporter or a mapping decided it, and not the currency or the last
    /// file.
    package var isOrderDecided = false
}

/// Why a whole file is refused.
package enum UnreadableStatement: Error, Hashable {
    /// Of no format that is read here; what it looks like, and what is read.
    case unknownFormat(String)
    /// Of a known format, but nothing can be made of it.
    case unreadable(line: Int, detail: String)
    /// Of several accounts, with these numbers: one has to be asked for.
    case several([String])
    /// What was said of a CSV's columns does not fit it: which member, and why.
    case mapping(String, detail: String)
}

/// What a file may have at most.
package enum StatementLimits {
    /// 20 MiB.
    static let bytesMax = 20 << 20
    /// Of a row whose amount no call would take.
    static let amountTooLarge = "the amount is larger than 10,000,000,000,000"
    /// Rows and faults of all its accounts.
    package static let rowsMax = 200_000
    /// Fields of all its rows: empty ones cost nothing in the file, and memory here.
    static let fieldsMax = 4_000_000
    /// Of a name, in scalars.
    static let nameMax = 140
    /// Of a description, in scalars.
    static let descriptionMax = 2_000
    /// Of the bank's id of a row, in scalars: OFX allows 255.
    static let referenceMax = 255
    /// Statements of all its accounts.
    static let statementsMax = 10_000
    /// Bytes of one value that are looked at; the rest is dropped.
    static let valueBytesMax = 32_768
}

extension UnreadableStatement {
    /// More statements than any bank's file has.
    static func tooManyStatements(_ line: Int) -> UnreadableStatement {
        .unreadable(line: line, detail: "the file has more than 10,000 statements")
    }
}
