package import WalletProtocol

/// Another app's export of a group, as it was read.
package struct GroupExport: Sendable, Hashable {
    /// The app.
    package let format: GroupImportFormat
    /// By name, each once, in the file's order.
    package let people: [String]
    /// The index of the person who exported the file, if the file calls them by no name.
    package internal(set) var exporter: Int?
    /// In the file's order.
    package internal(set) var rows: [GroupExportRow] = []
    /// In the file's order.
    package internal(set) var faults: [StatementFault] = []
    /// Rows that move no money, and what the file does not state; in the file's order.
    package internal(set) var notes: [StatementFault] = []
    /// What the file says that each of the people is owed, in minor units; below zero: owes.
    package internal(set) var stated: [Currency: [Int64]] = [:]

    /// Where the rows leave each of the people.
    ///
    /// Fits, since all that one currency's rows cost does (`GroupExportRows`).
    package var balances: [Currency: [Int64]] {
        var balances: [Currency: [Int64]] = [:]
        for row in rows { row.add(to: &balances, people.count) }
        return balances
    }

    /// Whether the rows come to what the file states: Splitwise always states it, so that a file
    /// without was cut.
    package var ties: Bool {
        let balances = balances
        return Set(balances.keys).union(stated.keys).allSatisfy { currency in
            let nothing = [Int64](repeating: 0, count: people.count)
            let read = balances[currency] ?? nothing
            if let said = stated[currency] { return said == read }
            return format != .splitwise || read == nothing
        }
    }
}

/// An expense or a payment of a group.
package struct GroupExportRow: Sendable, Hashable {
    /// What it becomes.
    package enum Kind: Sendable, Hashable {
        /// Something that was bought.
        case expense
        /// Money that went from who paid to who bears it.
        case payment
    }

    /// One of the people's part of a side, of the amount's sign.
    package struct Part: Sendable, Hashable {
        /// A place in the list of people.
        package let person: Int
        /// In minor units.
        package let amount: Int64

        /// Fits: a part is within the bound of what may be sent.
        var negated: Part { Part(person: person, amount: -amount) }
    }

    /// Where it begins in the file, from 1.
    package let line: Int
    /// As written.
    package let day: Day
    /// One line, at most 140 scalars.
    package let name: String
    /// Another amount that it was written with.
    package let description: String?
    /// As the app calls it.
    package let category: String?
    /// What it becomes.
    package let kind: Kind
    /// Each side sums to it; below zero: money that came back.
    package let amount: Money
    /// Who paid, in the order of people.
    package let paid: [Part]
    /// Who bears it, in the order of people.
    package let shares: [Part]

    /// A row of a file that states both sides.
    init(_ head: GroupRowHead, _ sides: GroupSides, in currency: Currency) {
        line = head.line
        day = head.day
        name = head.name
        description = head.description
        category = head.category
        kind = sides.kind
        amount = Money(minorUnits: sides.amount, currency)
        paid = sides.paid
        shares = sides.shares
    }

    /// What it makes each of the people be owed; nobody whom it leaves where they were.
    package var nets: [Part] {
        var nets: [Int: Int64] = [:]
        // Both sides are between zero and the amount, whichever is less.
        for part in paid { nets[part.person, default: 0] += part.amount }
        for part in shares { nets[part.person, default: 0] -= part.amount }
        return nets.filter { $0.value != 0 }.sorted { $0.key < $1.key }
            .map { Part(person: $0.key, amount: $0.value) }
    }

    fileprivate func add(to balances: inout [Currency: [Int64]], _ count: Int) {
        let nothing = [Int64](repeating: 0, count: count)
        for net in nets {
            balances[amount.currency, default: nothing][net.person] += net.amount
        }
    }
}

/// What a row is called, and where it is.
struct GroupRowHead {
    let line: Int
    let day: Day
    let name: String
    let description: String?
    let category: String?

    init(
        line: Int,
        day: Day,
        name: String,
        category: String,
        description: String? = nil
    ) {
        self.line = line
        self.day = day
        self.category = FileText.line(category, scalarsMax: 80)
        let name = FileText.line(name, scalarsMax: StatementLimits.nameMax)
        self.name = name ?? self.category ?? "Unnamed"
        self.description = description.flatMap {
            FileText.line($0, scalarsMax: StatementLimits.descriptionMax)
        }
    }
}

/// What an export may have at most.
package enum GroupExportLimits {
    /// Rows, faults and notes.
    package static let rowsMax = 10_000
    /// Whom it names.
    package static let peopleMax = GroupImports.peopleMax
    /// Of all rows together: who paid and who bears, each once.
    package static let partsMax = 100_000
    /// Who paid for one expense.
    static let payersMax = 50
}

/// Why a row becomes neither an expense nor a payment.
struct GroupRowFault: Error, Hashable {
    /// The reason, to be shown to the user.
    let detail: String
    /// Whether the row moves no money, so that the import loses nothing without it.
    private(set) var isNote = false

    init(_ detail: String) { self.detail = detail }

    /// The reason why a row can be left out.
    static func note(_ detail: String) -> GroupRowFault {
        var fault = GroupRowFault("\(detail); the row is left out")
        fault.isNote = true
        return fault
    }

    /// A row of zeros.
    static let nothing = GroupRowFault.note("moves no money")
}
