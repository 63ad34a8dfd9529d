import Postgres
import ServiceKit
import WalletProtocol

/// One version of a transaction.
struct TransactionRow: Sendable, Hashable {
    let id: ID<MoneyTransaction>
    /// In whose categories and budgets it counts.
    var owner: ID<User>
    var account: ID<Account>
    var amount: Int64
    var currency: Currency
    var name: String?
    var day: Day
    /// Of one that is split it is the first line's.
    var category: CategoryID
    var description: String?
    let transfer: ID<Transfer>?
    let importID: ID<StatementImport>?
    var version: Int32
    var tags: [String]
    var location: Posting.Location?
    var placeName: String?
    /// In which it was put, and whether that counts: whoever has left the folder finds the link
    /// again when they come back.
    private(set) var folder: ID<Folder>?
    private(set) var isFiled: Bool
    let recurrence: ID<Recurrence>?
    /// In place of a category; empty where it is not split, or is all of it beside its lines.
    var lines: [Posting.Line]
    /// What it has beside its lines: below zero what others owe for it, above what it clears.
    var claim: Int64
    /// Of one with lines, its account's owner's.
    var receivable: ID<Account>?

    /// Puts it into a folder, or out of any.
    mutating func file(in folder: ID<Folder>?) {
        (self.folder, isFiled) = (folder, folder != nil)
    }

    /// As one who uses the account sees it, or is in the folder whose list it stands in: nobody is
    /// told of another's other folders.
    func view(for reader: ID<User>, in listed: ID<Folder>? = nil) -> TransactionView {
        var view = view
        if owner != reader {
            view.bookedFor = owner
            if folder != listed { view.folderID = nil }
        }
        return view
    }

    var view: TransactionView {
        var view = TransactionView(
            id: id,
            accountID: account,
            amount: Money(minorUnits: amount, currency),
            name: name ?? "",
            date: day,
            categoryID: category,
            tags: tags,
            version: Int(version),
            createdAt: id.instant
        )
        view.lines = Posting.views(lines, in: currency)
        view.description = description
        view.location = location?.view(placeName)
        if isFiled { view.folderID = folder }
        view.transferID = transfer
        view.importID = importID
        view.recurrenceID = recurrence
        if claim < 0 { view.receivable = Money(minorUnits: claim, currency) }
        if claim > 0 { view.settles = Money(minorUnits: claim, currency) }
        return view
    }

    /// About how long it is as JSON.
    var length: Int {
        let texts = [name, description, placeName].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        return tags.reduce(800 + texts + 200 * lines.count) { $0 + $1.utf8.count + 3 }
    }

    /// What its lines sum to.
    var share: Int64 { amount - claim }

    /// The columns of `TransactionStatements.select`.
    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        account = try row.value(1)
        amount = try row.int64(2)
        currency = try row.value(3)
        name = try row.value(4)
        day = try row.value(5)
        category = try row.value(6)
        description = try row.value(7)
        transfer = try row.value(8)
        importID = try row.value(9)
        version = try row.int32(10)
        tags = try row.value(11)
        if let latitude = try row.value(12, as: Int32?.self),
            let longitude = try row.value(13, as: Int32?.self)
        {
            location = Posting.Location(latitude: latitude, longitude: longitude)
        }
        placeName = try row.value(14)
        folder = try row.value(15)
        recurrence = try row.value(16)
        let categories = try row.value(17, as: [CategoryID]?.self)
        let amounts = try row.value(18, as: [Int64]?.self) ?? []
        lines = zip(categories ?? [], amounts).map { Posting.Line(category: $0, amount: $1) }
        claim = categories == nil ? 0 : try Self.rest(of: amount, beside: amounts, row)
        owner = try row.value(19)
        isFiled = try row.bool(20)
        receivable = try row.value(21)
    }

    /// What an amount has beside its parts.
    private static func rest(
        of amount: Int64,
        beside parts: [Int64],
        _ row: borrowing PostgresRow
    ) throws -> Int64 {
        let rest = parts.reduce(Int128(amount)) { $0 - Int128($1) }
        guard let fits = Int64(exactly: rest) else {
            throw row.problem(18, "come to another amount, by more than 64 bits")
        }
        return fits
    }
}

extension Posting {
    /// What it makes of a transaction, as its first version's view.
    var view: TransactionView? {
        guard let transaction, let amount, let currency, let day, let label else { return nil }
        var view = TransactionView(
            id: transaction,
            accountID: account,
            amount: Money(minorUnits: amount, currency),
            name: name ?? "",
            date: day,
            categoryID: label,
            tags: tags,
            version: version ?? 1,
            createdAt: transaction.instant
        )
        view.lines = Self.views(lines, in: currency)
        view.description = description
        view.location = location?.view(placeName)
        view.folderID = folder
        view.importID = importID
        view.recurrenceID = recurrence
        return view
    }

    /// The parts as they are shown; none of what is not split.
    static func views(_ lines: [Line], in currency: Currency) -> [TransactionLine]? {
        if lines.isEmpty { return nil }
        return lines.map { line in
            TransactionLine(
                categoryID: line.category,
                amount: Money(minorUnits: line.amount, currency)
            )
        }
    }
}

extension Posting.Location {
    /// The caller has seen to the bounds.
    init(_ location: TransactionLocation) {
        let (latitude, longitude) = location.millionths
        self.init(latitude: latitude, longitude: longitude)
    }

    /// As it is shown.
    func view(_ label: String?) -> TransactionLocation {
        TransactionLocation(latitude: latitude, longitude: longitude, label: label)
    }
}
