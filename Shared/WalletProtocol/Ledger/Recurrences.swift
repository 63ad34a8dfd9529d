/// What the days of a recurrence are counted in.
public enum RecurrenceUnit: String, StringEnum {
    /// Days.
    case day
    /// Seven of them.
    case week
    /// Months; the 31st is the last day of a shorter one.
    case month
    /// Years; 29 February is the 28th where there is none.
    case year
}

/// How often something comes again, counted from an anchor: the day of the first.
public struct RecurrenceRule: JSONObject, Hashable {
    /// Units between two.
    public let every: Int
    /// The unit.
    public let unit: RecurrenceUnit
    /// The last day that it may come on; for ever where left out.
    public let until: Day?

    /// The most units between two.
    public static let everyMax = 1_000

    /// All of it.
    public init(every: Int, unit: RecurrenceUnit, until: Day? = nil) {
        self.every = every
        self.unit = unit
        self.until = until
    }

    /// The description.
    public static let json = Object(
        RecurrenceRule.init,
        Field("every", \.every, .range(1...everyMax)),
        Field("unit", \.unit),
        Field("until", \.until)
    )

    /// The day of occurrence `number`, of which 0 is the anchor; nil behind the end.
    ///
    /// Counted from the anchor, never from the one before: 31 January, 28 February, 31 March.
    public func day(_ number: Int, from anchor: Day) -> Day? {
        guard let day = plainDay(number, from: anchor), until.map({ day <= $0 }) ?? true else {
            return nil
        }
        return day
    }

    /// The number of the first occurrence behind a day, 1 at least, wherever the rule ends.
    public func number(after day: Day, from anchor: Day) -> Int {
        guard day >= anchor else { return 1 }
        // A guess that is never too high, as a month has 31 days at most; then one by one.
        let units = max(1, every)
        let passed =
            switch unit {
            case .day: anchor.days(to: day) / units
            case .week: anchor.days(to: day) / (7 * units)
            case .month: months(from: anchor, to: day) / units - 1
            case .year: months(from: anchor, to: day) / (12 * units) - 1
            }
        var number = max(1, passed)
        while let next = plainDay(number, from: anchor), next <= day { number += 1 }
        return number
    }

    private func months(from anchor: Day, to day: Day) -> Int {
        let (first, last) = (anchor.month, day.month)
        return (last.year - first.year) * 12 + last.month - first.month
    }

    private func plainDay(_ number: Int, from anchor: Day) -> Day? {
        let (count, isTooLarge) = number.multipliedReportingOverflow(by: every)
        guard !isTooLarge, count <= 4_000_000 else { return nil }
        return switch unit {
        case .day: anchor.adding(days: count)
        case .week: anchor.adding(days: 7 * count)
        case .month: anchor.adding(months: count)
        case .year: anchor.adding(months: 12 * count)
        }
    }
}

/// What became of an occurrence.
public enum OccurrenceState: String, StringEnum {
    /// It is a transaction.
    case posted
    /// It was refused, and is left out.
    case skipped
}

/// An occurrence that was.
public struct PastOccurrence: JSONObject, Hashable {
    /// Its place, counted from the first transaction, which is 0.
    public let number: Int
    /// The day.
    public let date: Day
    /// What became of it.
    public let state: OccurrenceState
    /// The transaction that it became.
    public let transactionID: ID<MoneyTransaction>?
    /// The code of the refusal.
    public let reason: String?

    /// All of it.
    public init(
        number: Int,
        date: Day,
        state: OccurrenceState,
        transactionID: ID<MoneyTransaction>? = nil,
        reason: String? = nil
    ) {
        self.number = number
        self.date = date
        self.state = state
        self.transactionID = transactionID
        self.reason = reason
    }

    /// The description.
    public static let json = Object(
        PastOccurrence.init,
        Field("number", \.number),
        Field("date", \.date),
        Field("state", \.state),
        Field("transactionId", \.transactionID),
        Field("reason", \.reason)
    )
}

/// An occurrence to come.
public struct NextOccurrence: JSONObject, Hashable {
    /// Its place, counted from the first transaction, which is 0.
    public let number: Int
    /// The day.
    public let date: Day

    /// All of it.
    public init(number: Int, date: Day) {
        self.number = number
        self.date = date
    }

    /// The description.
    public static let json = Object(
        NextOccurrence.init,
        Field("number", \.number),
        Field("date", \.date)
    )
}

/// What is to come, and what was lately.
public struct OccurrenceList: JSONObject, Hashable {
    /// The next ten; none while it rests.
    public let items: [NextOccurrence]
    /// The last ten, the newest first.
    public let past: [PastOccurrence]

    /// All of it.
    public init(items: [NextOccurrence], past: [PastOccurrence]) {
        self.items = items
        self.past = past
    }

    /// The description.
    public static let json = Object(
        OccurrenceList.init,
        Field("items", \.items),
        Field("past", \.past)
    )
}

/// A transaction that comes again and again.
public struct RecurrenceView: JSONObject, Hashable {
    /// The identifier.
    public let id: ID<Recurrence>
    /// The account.
    public let accountID: ID<Account>
    /// What each is; minus is money out.
    public let amount: Money
    /// What it is.
    public let name: String
    /// The category.
    public let categoryID: CategoryID
    /// More about it.
    public let description: String?
    /// How often.
    public let rule: RecurrenceRule
    /// The first transaction's day, from which all others are counted.
    public let startDate: Day
    /// The next one's day; absent where it rests or has ended.
    public let nextDate: Day?
    /// Whether it goes on; of no consequence behind its end.
    public let isActive: Bool
    /// The newest that was posted or left out.
    public let last: PastOccurrence?
    /// Counts its changes, from 1.
    public let version: Int
    /// When it was made.
    public let createdAt: Instant

    /// All of it.
    public init(
        id: ID<Recurrence>,
        accountID: ID<Account>,
        amount: Money,
        name: String,
        categoryID: CategoryID,
        description: String? = nil,
        rule: RecurrenceRule,
        startDate: Day,
        nextDate: Day? = nil,
        isActive: Bool,
        last: PastOccurrence? = nil,
        version: Int,
        createdAt: Instant
    ) {
        self.id = id
        self.accountID = accountID
        self.amount = amount
        self.name = name
        self.categoryID = categoryID
        self.description = description
        self.rule = rule
        self.startDate = startDate
        self.nextDate = nextDate
        self.isActive = isActive
        self.last = last
        self.version = version
        self.createdAt = createdAt
    }

    /// The description.
    public static let json = Object(
        RecurrenceView.init,
        Field("id", \.id),
        Field("accountId", \.accountID),
        Field("amount", \.amount),
        Field("name", \.name),
        Field("categoryId", \.categoryID),
        Field("description", \.description),
        Field("recurrence", \.rule),
        Field("startDate", \.startDate),
        Field("nextDate", \.nextDate),
        Field("active", \.isActive),
        Field("last", \.last),
        Field("version", \.version),
        Field("createdAt", \.createdAt)
    )
}

/// What changes of a recurrence, for the occurrences to come.
public struct RecurrenceChange: JSONObject, Hashable {
    /// What each is, in the account's currency.
    public let amount: Replace<Money>
    /// What it is.
    public let name: Replace<String>
    /// The category.
    public let categoryID: Replace<CategoryID>
    /// More about it.
    public let description: Patch<String>
    /// How often, counted from the same first day.
    public let rule: Replace<RecurrenceRule>
    /// Whether it goes on; what passed while it rested is not made up for.
    public let isActive: Replace<Bool>

    /// All of it.
    public init(
        amount: Replace<Money> = .unchanged,
        name: Replace<String> = .unchanged,
        categoryID: Replace<CategoryID> = .unchanged,
        description: Patch<String> = .unchanged,
        rule: Replace<RecurrenceRule> = .unchanged,
        isActive: Replace<Bool> = .unchanged
    ) {
        self.amount = amount
        self.name = name
        self.categoryID = categoryID
        self.description = description
        self.rule = rule
        self.isActive = isActive
    }

    /// The description.
    public static let json = Object(
        RecurrenceChange.init,
        Field("amount", \.amount, .sent),
        Field("name", \.name, .line(1...140)),
        Field("categoryId", \.categoryID),
        Field("description", \.description, .text(0...2_000)),
        Field("recurrence", \.rule),
        Field("active", \.isActive)
    )
}

/// The schedules behind recurring transactions; one is made with its first transaction.
public enum Recurrences {
    /// All of them, the newest first.
    public static let list = Endpoint<PageQuery, NoBody, Page<RecurrenceView>>(
        "listRecurrences",
        .get,
        "/v1/recurrences",
        of: .ledger,
        for: .user,
        summary: "List recurrences, the newest first"
    )

    /// One.
    public static let get = Endpoint<NoQuery, NoBody, RecurrenceView>(
        "getRecurrence",
        .get,
        "/v1/recurrences/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "A recurrence"
    )

    /// Changes what is to come.
    public static let change = Endpoint<NoQuery, RecurrenceChange, RecurrenceView>(
        "changeRecurrence",
        .patch,
        "/v1/recurrences/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .currencyMismatch, .preconditionFailed],
        summary: "Change, rest or resume a recurrence",
        description: """
            For the occurrences to come; transactions that are there stay as they are. `active` \
            false lets it rest: what passes meanwhile is not made up for.
            """
    )

    /// Ends one; its transactions stay.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "deleteRecurrence",
        .delete,
        "/v1/recurrences/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .preconditionFailed],
        summary: "End a recurrence; its transactions stay"
    )

    /// What is to come.
    public static let occurrences = Endpoint<NoQuery, NoBody, OccurrenceList>(
        "listOccurrences",
        .get,
        "/v1/recurrences/{id}/occurrences",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        summary: "The next ten occurrences, and what became of the last ten"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        list.erased, get.erased, change.erased, remove.erased, occurrences.erased,
    ]
}
