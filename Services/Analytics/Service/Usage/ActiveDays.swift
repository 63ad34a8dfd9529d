import WalletProtocol

/// The days of a month on which somebody was there, a bit each.
enum ActiveDays {
    /// The day's own.
    static func bit(of day: Day) -> Int32 { 1 << Int32(day.parts.day - 1) }

    /// A week of a month: the days from Monday to Sunday that are in it.
    struct Week: Equatable {
        let days: Int32
        let length: Int64
    }

    /// The weeks of a month, those at its ends cut off: each day is in one.
    static func weeks(of month: Month) -> [Week] {
        var weeks: [Week] = []
        var (days, length) = (Int32(0), Int64(0))
        for day in sequence(first: month.firstDay, next: { $0.adding(days: 1) })
            .prefix(month.dayCount)
        {
            days |= bit(of: day)
            length += 1
            guard day.weekday == 7 || day == month.lastDay else { continue }
            weeks.append(Week(days: days, length: length))
            (days, length) = (0, 0)
        }
        return weeks
    }
}
