import Schedules
import WalletProtocol

/// What one schedule has yet to bring up to a day.
struct Upcoming: Sendable {
    let item: ForecastItem
    /// What each time is, by category; empty where it is neither income nor expense.
    let parts: [(category: CategoryID, amount: Int64)]
    /// Where a transfer between own accounts arrives.
    let arrives: (account: ID<Account>, currency: Currency)?
    /// Whether a day that has passed is booked on the day on which it is made up for.
    let isBookedLate: Bool

    var currency: Currency { item.amount.currency }

    /// How often it is booked from a day on.
    func count(from first: Day) -> Int128 {
        Int128(isBookedLate ? item.dates.count : item.dates.count { $0 >= first })
    }

    /// Of a transaction that comes again; nil where nothing of it comes up to that day.
    init?(_ recurring: Recurring, through last: Day) {
        let dates = recurring.days(through: last)
        guard !dates.isEmpty else { return nil }
        item = ForecastItem(
            recurrenceID: recurring.id,
            name: recurring.name,
            accountID: recurring.account,
            amount: Money(minorUnits: recurring.amount, recurring.currency),
            dates: dates
        )
        let lines = recurring.lines.map { (category: $0.category, amount: $0.amount) }
        parts = lines.isEmpty ? [(recurring.category, recurring.amount)] : lines
        (arrives, isBookedLate) = (nil, false)
    }

    /// Of a standing order: an expense of «Others», or a move between own accounts.
    init?(_ row: StandingOrderRow, through last: Day, others: CategoryID?) {
        let order = row.order
        let dates = order.days(through: last)
        guard !dates.isEmpty, let others else { return nil }
        // What may be sent is above zero, and far from the end of 64 bits.
        let debit = Money(minorUnits: -order.amount.minorUnits, order.amount.currency)
        item = ForecastItem(
            standingOrderID: order.id,
            name: row.payee.name,
            accountID: order.from,
            amount: debit,
            dates: dates
        )
        parts = order.isOwn ? [] : [(others, debit.minorUnits)]
        arrives = order.isOwn ? (order.to, order.target) : nil
        isBookedLate = true
    }
}

extension Scheduled {
    /// The days that are still to be booked, up to one: also those that have begun.
    func days(through last: Day) -> [Day] {
        guard isActive, var day = nextDay else { return [] }
        var days: [Day] = []
        var number = nextNumber
        while day <= last {
            days.append(day)
            number += 1
            guard let next = rule.day(number, from: anchor) else { break }
            day = next
        }
        return days
    }
}
