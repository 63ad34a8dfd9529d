package import WalletProtocol

/// Another app's export of a group, as it was read.
package struct GroupExport: Sendable, Hashable {
    /// The app.
    package let format: GroupImportFormat
    /// By name, each once, in the file's order.
    package let people: [String]
    /// In the file's order.
    package internal(set) var rows: [GroupExportRow] = []
    /// In the file's order.
    package internal(set) var faults: [StatementFault] = []
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

/// What an export may have at most.
package enum GroupExportLimits {
    /// Rows and faults.
    package static let rowsMax = 10_000
    /// Whom it names.
    package static let peopleMax = GroupImports.peopleMax
    /// Of all rows together: who paid and who bears, each once.
    package static let partsMax = 100_000
    /// Who paid for one expense.
    static let payersMax = 50
}

/// Why a row cannot be read.
struct GroupRowFault: Error, Hashable {
    /// The reason, to be shown to the user.
    let detail: String

    init(_ detail: String) { self.detail = detail }
}

/// Reads another app's export of a group.
///
/// Linear in the size of the file. With no `format` the content decides.
/// - Throws: `.unknownFormat`; `.unreadable`, where the file as a whole cannot be read.
package func readGroupExport(
    _ bytes: [UInt8],
    format: GroupImportFormat?
) throws(UnreadableStatement) -> GroupExport {
    guard bytes.count <= GroupImports.fileMax else {
        throw .unreadable(line: 1, detail: "the file is larger than 5 MiB")
    }
    let text = CSVText(bytes, nil).bytes
    if format != .tricount, let table = try SplitwiseTable(text) { return try table.read() }
    if format != .splitwise, let table = try TricountTable(text) { return try table.read() }
    throw .unknownFormat(
        "\(FileKind.likeness(of: bytes)); what is read is Splitwise's CSV of a group, and "
            + "Tricount's in English or French"
    )
}
