import ServiceKit
import Text
import WalletProtocol

// What stands, as an element that changes it: whatever it does not change it repeats.

extension Posting {
    /// Takes the version back that stands.
    init(reversing row: TransactionRow, _ operation: Operation?, by actor: ID<User>?) {
        self.init(.reversal, operation, by: actor, on: row.account)
        transaction = row.id
        version = Int(row.version)
        if row.claim != 0 { counter = row.receivable }
    }

    /// The next version, with the same words until they are changed; no money moves.
    init(revising row: TransactionRow, _ operation: Operation?, by actor: ID<User>?) {
        self.init(.revision, operation, by: actor, on: row.account)
        if actor != row.owner { books = row.owner }
        transaction = row.id
        version = Int(row.version)
        takeWords(of: row)
    }

    /// The version behind `row`, which was taken back: the same until it is changed.
    init(recordingAnew row: TransactionRow, _ operation: Operation?, by actor: ID<User>?) {
        self.init(.record, operation, by: actor, on: row.account)
        if actor != row.owner { books = row.owner }
        transaction = row.id
        version = Int(row.version) + 1
        amount = row.share
        if row.claim != 0 { (claim, counter) = (-row.claim, row.receivable) }
        currency = row.currency
        day = row.day
        importID = row.importID
        recurrence = row.recurrence
        takeWords(of: row)
    }

    private mutating func takeWords(of row: TransactionRow) {
        if row.lines.isEmpty { category = row.category } else { lines = row.lines }
        name = row.name
        description = row.description
        tags = row.tags
        foldedTags = Self.folded(tags)
        location = row.location
        placeName = row.placeName
        folder = row.folder
    }

    /// The category under which it is shown: of one that is split, the first line's.
    var label: CategoryID? { lines.first?.category ?? category }

    /// Tags as lists find them: case does not count.
    static func folded(_ tags: [String]) -> [String] { tags.map(TextFolding.caseFolded) }

    /// The same, with what was in a category that is gone in «Others».
    func moving(_ gone: CategoryID, to others: CategoryID) -> Posting {
        var posting = self
        if category == gone { posting.category = others }
        guard let from = lines.firstIndex(where: { $0.category == gone }) else { return posting }
        let moved = lines[from].amount
        guard let place = lines.firstIndex(where: { $0.category == others }) else {
            posting.lines[from] = Line(category: others, amount: moved)
            return posting
        }
        // A category has one line: the two become one, or none where they come to nothing.
        let (sum, isOver) = lines[place].amount.addingReportingOverflow(moved)
        guard !isOver, sum != .min else {
            // A line can say less than a transaction: then all of it goes there.
            posting.lines = []
            posting.category = others
            return posting
        }
        posting.lines[place] = Line(category: others, amount: sum)
        posting.lines.remove(at: from)
        posting.lines.removeAll { $0.amount == 0 }
        if posting.lines.isEmpty { posting.category = others }
        return posting
    }
}
