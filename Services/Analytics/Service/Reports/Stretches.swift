import WalletProtocol

/// The cells that a time is summed from: whole months, and days for what is left at its ends.
struct Stretches: Equatable {
    /// `day`, `month` or `total`.
    private(set) var grains: [String] = []
    private(set) var lows: [Day] = []
    private(set) var highs: [Day] = []
    private let dayGrain: String

    /// - Parameters:
    ///   - interval: what is told apart, of which months are parts or not; nil where the period is
    ///     one sum.
    ///   - byCategory: whether categories are told apart, or some are left out.
    init(_ period: Period, by interval: ReportInterval? = nil, byCategory: Bool) {
        dayGrain = byCategory ? "day" : "total"
        switch interval {
        case .day, .week: add(dayGrain, period.from, period.to)
        case .month, .quarter, .year, nil: addMonths(of: period)
        }
    }

    private mutating func addMonths(of period: Period) {
        let (start, end) = (period.from.month, period.to.month)
        let first = period.from == start.firstDay ? start : start.adding(1)
        let last = period.to == end.lastDay ? end : end.adding(-1)
        guard let first, let last, first <= last else {
            add(dayGrain, period.from, period.to)
            return
        }
        if period.from < first.firstDay, let end = first.firstDay.adding(days: -1) {
            add(dayGrain, period.from, end)
        }
        add("month", first.firstDay, last.firstDay)
        if last.lastDay < period.to, let start = last.lastDay.adding(days: 1) {
            add(dayGrain, start, period.to)
        }
    }

    private mutating func add(_ grain: String, _ low: Day, _ high: Day) {
        grains.append(grain)
        lows.append(low)
        highs.append(high)
    }
}
