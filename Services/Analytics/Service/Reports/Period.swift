import Text
import WalletProtocol

/// The days that a report or an insight is of, both ends within.
struct Period: Equatable {
    let from: Day
    let to: Day

    /// The month up to today, or what is asked for instead.
    /// - Throws: `.invalidQuery` where it would end before it begins.
    static func ofReport(from: Day?, to: Day?, today: Day) throws(APIError) -> Period {
        let end = to ?? today
        return try Period(checked: from ?? end.month.firstDay, end)
    }

    /// The whole month before this one, or the whole months of the days that are asked for.
    ///
    /// A day stands for its month, for answers of which one has a day more would differ by what the
    /// people of that day did (`Disclosure`). Where only the last day is asked for, it is its
    /// month; where only the first is asked for, it is up to the last month, or to this one for a
    /// first day after that.
    /// - Throws: `.invalidQuery` where it would end before it begins.
    static func ofInsight(from: Day?, to: Day?, today: Day) throws(APIError) -> Period {
        if let from, let to { _ = try Period(checked: from, to) }
        let lastMonth = today.month.adding(-1) ?? today.month
        let start = from?.month ?? to?.month ?? lastMonth
        let end = to?.month ?? (start <= lastMonth ? lastMonth : today.month)
        return try Period(checked: start.firstDay, end.lastDay)
    }

    /// The period before, to compare it with; none before the calendar's first day.
    ///
    /// Of whole months as many, of a month's first days the same days of the month before (its last
    /// ones where it has no more), else as many days.
    var previous: Period? {
        if from == from.month.firstDay {
            if to == to.month.lastDay {
                guard let first = from.month.adding(-months.count), let last = from.month.adding(-1)
                else { return nil }
                return Period(first.firstDay, through: last.lastDay)
            }
            if from.month == to.month {
                guard let first = from.adding(months: -1), let last = to.adding(months: -1)
                else { return nil }
                return Period(first, through: last)
            }
        }
        guard let first = from.adding(days: -1 - from.days(to: to)),
            let last = from.adding(days: -1)
        else { return nil }
        return Period(first, through: last)
    }

    /// The months that it has days of.
    var months: [Month] {
        Array(sequence(first: from.month) { $0 < to.month ? $0.adding(1) : nil })
    }

    /// The day that it is for somebody now.
    static func today(at instant: Instant, in timeZone: String) -> Day {
        let parts = TimeZones.civilDay(ofMicroseconds: instant.microseconds, in: timeZone)
        let local = parts.flatMap { Day(year: $0.year, month: $0.month, day: $0.day) }
        // Cannot fire: both callers ask for the day of our own clock, which is no year 10,000.
        guard let day = local ?? Day(utc: instant) else {
            preconditionFailure("the clock is outside the years 1 to 9999")
        }
        return day
    }

    /// - Parameter to: not before `from`.
    init(_ from: Day, through to: Day) {
        self.from = from
        self.to = to
    }

    private init(checked from: Day, _ to: Day) throws(APIError) {
        guard from <= to else {
            throw .query("to", .outOfRange, "must not be before the first day, \(from)")
        }
        self.from = from
        self.to = to
    }
}
