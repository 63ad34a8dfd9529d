import WalletProtocol

/// What a time is summed from: whole months, and days for what is left at its ends.
struct Stretches: Equatable {
    /// From the first whole month to the last.
    private(set) var months: ClosedRange<Month>?
    /// What is read by days, one behind the other.
    private(set) var days: [Period] = []

    /// - Parameter interval: what is told apart, of which months are parts or not; nil where the
    ///   period is one sum.
    init(_ period: Period, by interval: ReportInterval? = nil) {
        switch interval {
        case .day, .week: days = [period]
        case .month, .quarter, .year, nil: addMonths(of: period)
        }
    }

    private mutating func addMonths(of period: Period) {
        let (start, end) = (period.from.month, period.to.month)
        let first = period.from == start.firstDay ? start : start.adding(1)
        let last = period.to == end.lastDay ? end : end.adding(-1)
        guard let first, let last, first <= last else {
            days = [period]
            return
        }
        if period.from < first.firstDay, let end = first.firstDay.adding(days: -1) {
            days.append(Period(period.from, through: end))
        }
        months = first...last
        if last.lastDay < period.to, let start = last.lastDay.adding(days: 1) {
            days.append(Period(start, through: period.to))
        }
    }
}
