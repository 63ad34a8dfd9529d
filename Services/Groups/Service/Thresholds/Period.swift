import WalletProtocol

/// The days for which a limit counts.
struct Period: Sendable, Hashable {
    /// The first day.
    let start: Day
    /// The first day of the next one; nil where there is none within the calendar.
    let end: Day?

    /// Of a limit that never begins anew; its first day also stands for it in the database.
    static let ever: Period = {
        // Cannot fire: a constant that is a day.
        guard let first = Day(year: 1, month: 1, day: 1) else {
            preconditionFailure("a calendar without its first day")
        }
        return Period(start: first, end: nil)
    }()

    /// The last day; the calendar's, where no other one follows.
    var last: Day {
        // Cannot fire: where there is no day before, there is the constant.
        guard let last = end?.adding(days: -1) ?? Day(year: 9_999, month: 12, day: 31) else {
            preconditionFailure("a calendar without its last day")
        }
        return last
    }

    func contains(_ day: Day) -> Bool { day >= start && day <= last }

    /// The one that runs on a day; nil before the first has begun.
    ///
    /// The k-th begins k times so many units after the first, counted from the first: of months
    /// that begin on the 31st, those without one begin on their last day.
    static func running(on day: Day, _ rule: ThresholdPeriod, from first: Day) -> Period? {
        guard day >= first else { return nil }
        let days = first.days(to: day)
        // A lower bound of how many have begun: no month is longer than 31 days.
        var index =
            switch rule.unit {
            case .day: days / rule.every
            case .week: days / (7 * rule.every)
            case .month: days / (31 * rule.every)
            case .year: days / (366 * rule.every)
            }
        while let next = start(index + 1, rule, first), next <= day { index += 1 }
        guard let start = start(index, rule, first) else { return nil }
        return Period(start: start, end: Self.start(index + 1, rule, first))
    }

    private static func start(_ index: Int, _ rule: ThresholdPeriod, _ first: Day) -> Day? {
        let count = index * rule.every
        switch rule.unit {
        case .day: return first.adding(days: count)
        case .week: return first.adding(days: 7 * count)
        case .month: return first.adding(months: count)
        case .year: return first.adding(months: 12 * count)
        }
    }
}
