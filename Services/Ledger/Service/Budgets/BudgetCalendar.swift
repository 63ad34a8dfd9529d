import WalletProtocol

/// A person's months, which begin on a day of their own, 1 to 28; each is named by its first day's.
struct BudgetCalendar: Hashable, Sendable {
    let monthStart: Int

    /// The month that a day is in; nil at the very beginning of the calendar.
    func month(of day: Day) -> Month? { day.adding(days: 1 - monthStart)?.month }

    /// The first day of a month.
    func first(of month: Month) -> Day? {
        Day(year: month.year, month: month.month, day: monthStart)
    }

    /// The first day behind a month.
    func end(of month: Month) -> Day? { month.adding(1).flatMap(first(of:)) }

    /// The months that can be planned: those that people live in.
    static let planned = 1_900...2_199
}
