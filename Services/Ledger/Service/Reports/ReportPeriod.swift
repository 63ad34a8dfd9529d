import ServiceKit
import WalletProtocol

/// The days that a report is of, both ends within.
struct ReportPeriod: Hashable, Sendable {
    let from: Day
    let to: Day

    init(_ from: Day, _ to: Day) { (self.from, self.to) = (from, to) }

    /// The month up to today, or what is asked for instead.
    ///
    /// Whatever is wrong with it is noted; then it is of no use, and nobody goes on with it.
    init(from: Day?, to: Day?, today: Day, noting errors: inout [FieldError]) {
        let last = to ?? today
        let first = from ?? last.month.firstDay
        (self.from, self.to) = (first, last)
        for (name, day) in [("from", from), ("to", to)] {
            guard let day, !BudgetCalendar.planned.contains(day.parts.year) else { continue }
            errors.note(name, .outOfRange, "must be in the years 1900 to 2199")
        }
        if first > last {
            errors.note("to", .outOfRange, "must not be before the first day, \(first)")
        }
    }

    /// The period before: whole months before where it begins on the first of a month, so that
    /// 1 to 26 March stands beside 1 to 26 February; else as many days right before.
    var before: ReportPeriod {
        let span = from.days(to: to) + 1
        if from.parts.day == 1 {
            let (first, last) = (from.month, to.month)
            let months = (last.year - first.year) * 12 + last.month - first.month + 1
            // The last day of a month stands for its end: 30 April beside 31 March.
            if let start = from.adding(months: -months), let end = last.adding(-months),
                let same = to.adding(months: -months)
            {
                return ReportPeriod(start, to == last.lastDay ? end.lastDay : same)
            }
        }
        // Reports begin in 1900 at the earliest, and end in 2199: it is within the calendar.
        return ReportPeriod(from.adding(days: -span) ?? from, from.adding(days: -1) ?? from)
    }
}

extension [FieldError] {
    /// Notes what is wrong with a parameter, so that all of it is told at once.
    mutating func note(_ name: String, _ code: FieldCode, _ detail: String) {
        append(FieldError(pointer: "query:\(name)", code: code, detail: detail))
    }

    /// Ends what was noted.
    /// - Throws: 400 `invalid-query` with all of it, where there is any.
    func check() throws(APIError) {
        guard isEmpty else { throw APIError(.invalidQuery, errors: self) }
    }
}

extension ReportInterval {
    /// The first day of the interval that a day is in.
    func start(of day: Day) -> Day {
        let month = day.month
        return switch self {
        case .day: day
        case .week: day.adding(days: 1 - day.weekday) ?? day
        case .month: month.firstDay
        case .quarter: (month.adding(-((month.month - 1) % 3)) ?? month).firstDay
        case .year: (month.adding(1 - month.month) ?? month).firstDay
        }
    }

    /// The first day of the one behind the interval that begins on a day.
    private func next(after start: Day) -> Day? {
        switch self {
        case .day: start.adding(days: 1)
        case .week: start.adding(days: 7)
        case .month: start.adding(months: 1)
        case .quarter: start.adding(months: 3)
        case .year: start.adding(months: 12)
        }
    }

    /// A period in intervals, the first and the last cut to its days; nil where they are more than
    /// `most`.
    func parts(of period: ReportPeriod, most: Int) -> [ReportPeriod]? {
        var parts: [ReportPeriod] = []
        var (first, start) = (period.from, start(of: period.from))
        while first <= period.to {
            guard parts.count < most, let next = next(after: start),
                let last = next.adding(days: -1)
            else { return nil }
            parts.append(ReportPeriod(first, min(last, period.to)))
            (first, start) = (next, next)
        }
        return parts
    }
}
