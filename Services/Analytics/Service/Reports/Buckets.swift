import WalletProtocol

/// The days, weeks or longer that a period has parts of, the first and the last cut to it.
struct Buckets: Equatable {
    let interval: ReportInterval
    let periods: [Period]

    /// - Throws: `.invalidQuery` beyond `Reports.pointsMax`, with what to ask for instead.
    init(of period: Period, by interval: ReportInterval) throws(APIError) {
        self.interval = interval
        var starts = [period.from]
        var next = Self.next(after: period.from, interval)
        while let start = next, start <= period.to {
            guard starts.count < Reports.pointsMax else {
                throw .query(
                    "interval",
                    .tooMany,
                    "is of more than \(Reports.pointsMax) points: ask for longer ones, or for "
                        + "a shorter time"
                )
            }
            starts.append(start)
            next = Self.next(after: start, interval)
        }
        periods = starts.enumerated().map { index, start in
            let end = index + 1 < starts.count ? starts[index + 1].adding(days: -1) : nil
            return Period(start, through: end ?? period.to)
        }
    }

    /// The first day of the interval behind the one that a day is in; nil behind the calendar.
    private static func next(after day: Day, _ interval: ReportInterval) -> Day? {
        let month = day.month
        switch interval {
        case .day: return day.adding(days: 1)
        case .week: return day.adding(days: 8 - day.weekday)
        case .month: return month.adding(1)?.firstDay
        case .quarter: return month.adding(3 - (month.month - 1) % 3)?.firstDay
        case .year: return month.adding(13 - month.month)?.firstDay
        }
    }
}
