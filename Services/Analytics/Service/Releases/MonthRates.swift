import Postgres
import WalletProtocol

/// In which currencies a month's figures are told: those that have a rate on each of its days.
///
/// It is a matter of the calendar and not of what is booked. Were a currency told but where
/// something is booked on a day without its rate, that would tell of it, and one booking would take
/// a currency of the month away. Were such bookings left out of its figures, these would tell,
/// beside those in another currency, what they are. A rate that comes later is as good.
struct MonthRates: Sendable {
    let first: Day
    /// The last that has come.
    let last: Day

    init(month: Month, until today: Day) {
        first = month.firstDay
        last = min(month.lastDay, today)
    }

    var days: [Day] {
        (0..<max(0, first.days(to: last) + 1)).compactMap { first.adding(days: $0) }
    }

    /// Those of some in which the month is told, by the rates that have been released.
    /// - Parameter base: in which it is judged whether a booking has a rate; what has is told so.
    func currencies(
        of all: [Currency],
        base: Currency,
        in database: some Querying
    ) async throws -> Set<Currency> {
        let rated = try await database.query(
            ReleaseStatements.ratedDays,
            first,
            last,
            all.map(\.code)
        )
        let whole = Set(rated.filter { $0.days >= days.count }.map(\.currency))
        return whole.contains(base) ? whole : [base]
    }
}
