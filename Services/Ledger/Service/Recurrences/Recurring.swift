import Schedules
import WalletProtocol

/// A transaction that comes again, as it is stored.
struct Recurring: Scheduled, Sendable {
    let id: ID<WalletProtocol.Recurrence>
    let user: ID<User>
    let account: ID<Account>
    let currency: Currency
    /// Signed, in minor units.
    var amount: Int64
    var category: CategoryID
    var name: String?
    var description: String?
    var tags: [String] = []
    var location: Posting.Location?
    var placeName: String?
    var folder: ID<Folder>?
    /// In place of the category.
    var lines: [Posting.Line] = []
    var rule: RecurrenceRule
    /// The first transaction's day.
    let anchor: Day
    /// The one to come.
    var nextNumber: Int
    var nextDay: Day?
    var isActive = true
    var version: Int32 = 1
    var createdAt: Instant

    /// The schedule behind a first transaction that is about to be posted.
    ///
    /// - Throws: 422 where it ends before it begins, or more than `RecurrenceStore.passedMax` days
    ///   have passed already.
    init(
        _ rule: RecurrenceRule,
        first posting: Posting,
        _ first: Day,
        amount: Money,
        category: CategoryID,
        of user: ID<User>,
        today: Day
    ) throws(APIError) {
        if let fault = rule.fault(from: first) { throw APIError(.invalidBody, errors: [fault]) }
        guard rule.number(after: today, from: first) <= RecurrenceStore.passedMax else {
            throw .field(
                "/recurrence",
                .outOfRange,
                "has more than \(RecurrenceStore.passedMax) days that have passed"
            )
        }
        id = posting.recurrence ?? .new()
        self.user = user
        account = posting.account
        currency = amount.currency
        self.amount = amount.minorUnits
        self.category = category
        name = posting.name
        description = posting.description
        tags = posting.tags
        location = posting.location
        placeName = posting.placeName
        folder = posting.folder
        lines = posting.lines
        self.rule = rule
        anchor = first
        nextNumber = 1
        nextDay = rule.day(1, from: first)
        createdAt = id.instant
    }

    /// From a row.
    init(
        id: ID<WalletProtocol.Recurrence>,
        user: ID<User>,
        account: ID<Account>,
        amount: Money,
        category: CategoryID,
        rule: RecurrenceRule,
        anchor: Day,
        nextNumber: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.user = user
        self.account = account
        currency = amount.currency
        self.amount = amount.minorUnits
        self.category = category
        self.rule = rule
        self.anchor = anchor
        self.nextNumber = nextNumber
        self.createdAt = createdAt
    }

    /// The transaction of a day, at most once.
    func posting(on day: Day) -> Posting {
        var posting = Posting(
            .record,
            Posting.Operation(work: "recurrence \(id)", part: Int(day.daysSince1970)),
            by: user,
            on: account
        )
        posting.transaction = .new()
        posting.amount = amount
        posting.currency = currency
        posting.day = day
        if lines.isEmpty { posting.category = category } else { posting.lines = lines }
        posting.name = name
        posting.description = description
        posting.tags = tags
        posting.foldedTags = Posting.folded(tags)
        posting.location = location
        posting.placeName = placeName
        posting.folder = folder
        posting.recurrence = id
        return posting
    }

    /// The same, with what was in a category that is gone in another.
    mutating func move(_ gone: CategoryID, to other: CategoryID) {
        var words = Posting(.record, nil, by: user, on: account)
        words.category = lines.isEmpty ? category : nil
        words.lines = lines
        let moved = words.moving(gone, to: other)
        if let whole = moved.category { category = whole }
        lines = moved.lines
        if let first = lines.first { category = first.category }
    }

    func view(last: PastOccurrence?) -> RecurrenceView {
        RecurrenceView(
            id: id,
            accountID: account,
            amount: Money(minorUnits: amount, currency),
            name: name ?? "",
            categoryID: category,
            description: description,
            rule: rule,
            startDate: anchor,
            nextDate: isActive ? nextDay : nil,
            isActive: isActive,
            last: last,
            version: Int(version),
            createdAt: createdAt
        )
    }
}
