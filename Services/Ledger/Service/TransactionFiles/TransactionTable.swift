import Text
import WalletProtocol

/// Transactions as a table of text (RFC 4180), one line for each part of what is split.
struct TransactionTable: TransactionFileWriter {
    static let columns = [
        "date", "account", "name", "description", "category", "amount", "currency",
        "own amount", "own currency", "counterparty IBAN", "transfer account", "tags", "folder",
        "kind", "recorded on", "id",
    ]

    /// What a part is, for whoever adds up by it.
    enum Kind: String {
        case income, expense
        /// Within a currency, and between two.
        case transfer, exchange
        /// What others owe of a shared expense, or what paid it back.
        case receivable
    }

    let person: Person
    let rates: RateHistory
    private var table = CSVTable(TransactionTable.columns)
    private var recorded: CivilDay?

    init(for person: Person, _ rates: RateHistory) {
        self.person = person
        self.rates = rates
    }

    mutating func begin(_ names: FileNames, _ openings: [FileOpening]) -> [UInt8] { table.take() }

    mutating func append(_ page: FilePage, _ names: FileNames) -> [UInt8] {
        for row in page.rows {
            let recordedOn = day(of: row.id.instant)
            for part in Self.parts(of: row) {
                append(part, of: row, page, names, recordedOn)
            }
        }
        return table.take()
    }

    /// A part: in a category, or what others owe.
    private struct Part {
        let amount: Int64
        let category: CategoryID?
    }

    private static func parts(of row: TransactionRow) -> [Part] {
        // What is all of it beside its lines has none.
        let isWhole = row.lines.isEmpty && row.claim == 0
        var parts = row.lines.map { Part(amount: $0.amount, category: $0.category) }
        if isWhole { parts.append(Part(amount: row.amount, category: row.category)) }
        if row.claim != 0 { parts.append(Part(amount: row.claim, category: nil)) }
        return parts
    }

    private mutating func append(
        _ part: Part,
        of row: TransactionRow,
        _ page: FilePage,
        _ names: FileNames,
        _ recordedOn: Day?
    ) {
        let side = page.sides[row.id]
        let category = part.category.map { names.category($0) }
        let own = converted(part.amount, row)
        let folder = row.isFiled && row.isShown(page.folder, to: page.reader) ? row.folder : nil
        table.append([
            .plain(row.day.text),
            .text(names.account(row.account)?.name),
            .text(row.name ?? names.category(row.category).path.last),
            .text(row.description ?? side?.reference),
            .text(category?.path.joined(separator: " > ")),
            .plain(Total(minorUnits: Int128(part.amount), row.currency).amount),
            .plain(row.currency.code),
            .plain(own?.amount),
            .plain(own?.currency.code),
            .plain(side?.iban),
            .text(side.flatMap { names.account($0.account)?.name }),
            .text(row.tags.joined(separator: "; ")),
            .text(names.folder(folder)),
            .plain(kind(part, row, side, category).rawValue),
            .plain(recordedOn?.text),
            .plain(row.id.text),
        ])
    }

    private func kind(
        _ part: Part,
        _ row: TransactionRow,
        _ side: TransferSide?,
        _ category: FileCategory?
    ) -> Kind {
        guard let category else { return .receivable }
        if let side { return side.currency == row.currency ? .transfer : .exchange }
        return category.isIncome(part.amount) ? .income : .expense
    }

    /// By the rate of the row's day; nil where there is none.
    private func converted(_ amount: Int64, _ row: TransactionRow) -> Total? {
        let units = Int128(amount)
        if row.currency == person.currency { return Total(minorUnits: units, row.currency) }
        guard let rate = rates.rate(from: row.currency, to: person.currency, on: row.day),
            let shown = try? rate.shown(units)
        else { return nil }
        return Total(minorUnits: shown, person.currency)
    }

    /// The day in the person's time zone; rows come by it, and a calendar is slow.
    private mutating func day(of moment: Instant) -> Day? {
        if let recorded, moment >= recorded.from, moment < recorded.to { return recorded.day }
        recorded = CivilDay(of: moment, in: person.timeZone)
        return recorded?.day
    }
}

extension TransactionRow {
    /// Whether its folder is told to a reader: nobody is told of another's other folders.
    func isShown(_ listed: ID<Folder>?, to reader: ID<User>) -> Bool {
        owner == reader || folder == listed
    }
}
