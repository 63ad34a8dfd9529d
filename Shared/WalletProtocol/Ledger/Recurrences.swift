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
    public let every: Int
    public let unit: RecurrenceUnit
    public let until: Day?

    /// The most units between two.
    public static let everyMax = 1_000

    public init(every: Int, unit: RecurrenceUnit, until: Day? = nil) {
        self.every = every
        self.unit = unit
        self.until = until
    }

    public static let json = Object(
        RecurrenceRule.init,
        Field("every", \.every, .range(1...everyMax), about: "Units between two."),
        Field("unit", \.unit, about: "The unit."),
        Field("until", \.until, about: "The last day that it may come on; for ever where left out.")
    )

    /// What is wrong with a rule whose first day this is: it ends before it begins.
    public func fault(from first: Day) -> FieldError? {
        guard let until, until < first else { return nil }
        return FieldError(
            pointer: "/recurrence/until",
            code: .outOfRange,
            detail: "must not be before the first day, \(first)"
        )
    }

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
    public let number: Int
    public let date: Day
    public let state: OccurrenceState
    public let transactionID: ID<MoneyTransaction>?
    public let reason: String?

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

    public static let json = Object(
        PastOccurrence.init,
        Field(
            "number",
            \.number,
            about: "Its place, counted from the first transaction, which is 0."
        ),
        Field("date", \.date, about: "The day."),
        Field("state", \.state, about: "What became of it."),
        Field("transactionId", \.transactionID, about: "The transaction that it became."),
        Field("reason", \.reason, about: "The code of the refusal.")
    )
}

/// An occurrence to come.
public struct NextOccurrence: JSONObject, Hashable {
    public let number: Int
    public let date: Day

    public init(number: Int, date: Day) {
        self.number = number
        self.date = date
    }

    public static let json = Object(
        NextOccurrence.init,
        Field(
            "number",
            \.number,
            about: "Its place, counted from the first transaction, which is 0."
        ),
        Field("date", \.date, about: "The day.")
    )
}

/// What is to come, and what was lately.
public struct OccurrenceList: JSONObject, Hashable {
    public let items: [NextOccurrence]
    public let past: [PastOccurrence]

    public init(items: [NextOccurrence], past: [PastOccurrence]) {
        self.items = items
        self.past = past
    }

    public static let json = Object(
        OccurrenceList.init,
        Field("items", \.items, about: "The next ten; none while it rests."),
        Field("past", \.past, about: "The last ten, the newest first.")
    )
}

/// A transaction that comes again and again.
public struct RecurrenceView: JSONObject, Hashable {
    public let id: ID<Recurrence>
    public let accountID: ID<Account>
    public let amount: Money
    public let name: String
    public let categoryID: CategoryID
    public let description: String?
    public let rule: RecurrenceRule
    public let startDate: Day
    public let nextDate: Day?
    public let isActive: Bool
    public let last: PastOccurrence?
    public let version: Int
    public let createdAt: Instant

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

    public static let json = Object(
        RecurrenceView.init,
        Field("id", \.id, about: "The identifier."),
        Field("accountId", \.accountID, about: "The account."),
        Field("amount", \.amount, about: "What each is; minus is money out."),
        Field("name", \.name, about: "What it is."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("description", \.description, about: "More about it."),
        Field("recurrence", \.rule, about: "How often."),
        Field(
            "startDate",
            \.startDate,
            about: "The first transaction's day, from which all others are counted."
        ),
        Field(
            "nextDate",
            \.nextDate,
            about: "The next one's day; absent where it rests or has ended."
        ),
        Field("active", \.isActive, about: "Whether it goes on; of no consequence behind its end."),
        Field("last", \.last, about: "The newest that was posted or left out."),
        Field("version", \.version, about: "Counts its changes, from 1."),
        Field("createdAt", \.createdAt, about: "When it was made.")
    )
}

/// What changes of a recurrence, for the occurrences to come.
public struct RecurrenceChange: JSONObject, Hashable {
    public let amount: Replace<Money>
    public let name: Replace<String>
    public let categoryID: Replace<CategoryID>
    public let description: Patch<String>
    public let rule: Replace<RecurrenceRule>
    public let isActive: Replace<Bool>

    public static let json = Object(
        RecurrenceChange.init,
        Field("amount", \.amount, .sent, about: "What each is, in the account's currency."),
        Field("name", \.name, .line(1...140), about: "What it is."),
        Field("categoryId", \.categoryID, about: "The category."),
        Field("description", \.description, .text(0...2_000), about: "More about it."),
        Field("recurrence", \.rule, about: "How often, counted from the same first day."),
        Field(
            "active",
            \.isActive,
            about: "Whether it goes on; what passed while it rested is not made up for."
        )
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
        isTagged: true,
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
        isTagged: true,
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
