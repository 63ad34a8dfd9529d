import Testing
import WalletProtocol

@testable import GroupsService

/// A ledger whose rates move with every round, which is away at times, and which has a rate of
/// yen late.
final class MovingRates {
    var round: Int128 = 1
    var isAway = false
    var hasYen = false

    var ledger: RateLedger {
        RateLedger { amounts, days, target in
            if self.isAway { throw APIError(.unavailable) }
            return zip(amounts, days ?? []).map { amount, day in
                self.converted(amount, on: day).map {
                    ConvertedAmount(
                        amount: Total(minorUnits: $0, target),
                        rate: RateView(
                            value: ExactDecimal(coefficient: 1, scale: 0),
                            source: "ECB",
                            day: day
                        )
                    )
                }
            }
        }
    }

    func converted(_ amount: Total, on day: Day) -> Int128? {
        if amount.currency == .jpy, !hasYen { return nil }
        return amount.minorUnits * (Int128(day.daysSince1970 % 7) + round) / 5
    }
}

/// What is to come of it, worked out anew from every expense at every step.
struct LimitModel {
    static let start = Period.ever.start.adding(days: 740_000) ?? Period.ever.start

    static func day(_ number: Int) throws -> Day {
        try #require(start.adding(days: number))
    }

    struct Entry {
        let id: ID<Expense>
        var amount: Money
        var day: Int
        var writtenOn: Int
        var order: Int
        var isRemoved = false
        /// In euros; nil while it waits.
        var counted: Int128?
        /// What it last was in another currency.
        var foreign: (amount: Money, day: Int, counted: Int128?)?
    }
    struct Limit {
        let id: ID<Threshold>
        var amount: Int128
        let every: Int?
        var order: Int
        /// What was spent when it was told, by the period.
        var told: [Int: Int128] = [:]

        /// Below zero, none.
        func period(_ day: Int) -> Int {
            guard let every else { return 0 }
            return day < 0 ? -1 : day / every
        }
    }
    var entries: [Entry] = []
    var limits: [Limit] = []
    var events: [String] = []
    var today = 1
    var order = 0

    func spent(_ limit: Limit, in period: Int) -> Int128 {
        entries.reduce(0) { sum, entry in
            let isInside = !entry.isRemoved && limit.period(entry.day) == period
            return isInside ? sum + (entry.counted ?? 0) : sum
        }
    }

    func open(_ limit: Limit, in period: Int) -> [Total] {
        var totals: [Currency: Total] = [:]
        for entry in entries
        where !entry.isRemoved && entry.counted == nil && limit.period(entry.day) == period {
            let sum = totals[entry.amount.currency]?.minorUnits ?? 0
            let units = sum + Int128(entry.amount.minorUnits)
            totals[entry.amount.currency] = Total(minorUnits: units, entry.amount.currency)
        }
        return totals.sorted { $0.key < $1.key }.map(\.value)
    }

    mutating func tell(_ index: Int, _ period: Int, _ spent: Int128) {
        guard limits[index].told[period] == nil else { return }
        limits[index].told[period] = spent
        let start = limits[index].every.map { "\($0 * period)" } ?? "ever"
        events.append("\(limits[index].id.text) \(start) \(spent)")
    }

    /// Writes one as it is now, and tells of what that crosses.
    mutating func put(_ index: Int, _ change: (inout Entry) -> Void) {
        let before = self
        var entry = entries[index]
        let (was, wasRemoved) = (entry, entry.isRemoved)
        change(&entry)
        let isSame = was.amount == entry.amount && was.day == entry.day
        if !isSame || wasRemoved && !entry.isRemoved || was.order == 0 {
            order += 1
            (entry.order, entry.writtenOn) = (order, today)
            if entry.amount.currency == .eur {
                entry.counted = Int128(entry.amount.minorUnits)
            } else {
                let known = entry.foreign
                let isKnown = known?.amount == entry.amount && known?.day == entry.day
                entry.counted = isKnown ? known?.counted : nil
                // Without a limit nobody keeps anything of it.
                if !limits.isEmpty {
                    entry.foreign = (entry.amount, entry.day, entry.counted)
                }
            }
        }
        entries[index] = entry
        guard !entry.isRemoved, entry.counted != nil else { return }
        for (place, limit) in limits.enumerated() {
            let period = limit.period(entry.day)
            guard period >= 0, period == limit.period(today) else { continue }
            let spent = spent(limit, in: period)
            if before.spent(limit, in: period) <= limit.amount, spent > limit.amount {
                tell(place, period, spent)
            }
        }
    }

    /// Converts what waits.
    mutating func convert(_ rates: MovingRates) {
        guard !limits.isEmpty else { return }
        var new: [Int] = []
        for index in entries.indices
        where !entries[index].isRemoved && entries[index].counted == nil {
            guard
                let day = try? Self.day(entries[index].day),
                let counted = rates.converted(Total(entries[index].amount), on: day)
            else { continue }
            entries[index].counted = counted
            entries[index].foreign = (entries[index].amount, entries[index].day, counted)
            new.append(index)
        }
        for (place, limit) in limits.enumerated() {
            let telling = new.map { entries[$0] }.filter { entry in
                let period = limit.period(entry.day)
                return entry.order > limit.order && period >= 0
                    && [limit.period(entry.writtenOn), limit.period(today)].contains(period)
            }
            for period in Set(telling.map { limit.period($0.day) }) {
                let spent = spent(limit, in: period)
                let its = telling.filter { limit.period($0.day) == period }
                let sum = its.reduce(spent) { $0 - ($1.counted ?? 0) }
                if sum <= limit.amount, spent > limit.amount { tell(place, period, spent) }
            }
        }
    }

    /// Takes a limit away; of what they counted as nothing is left behind the last.
    mutating func removeLimit(_ index: Int) {
        limits.remove(at: index)
        guard limits.isEmpty else { return }
        for index in entries.indices where entries[index].amount.currency != .eur {
            entries[index].counted = nil
        }
        for index in entries.indices { entries[index].foreign = nil }
    }

    mutating func pass(_ days: Int) {
        let ended = limits.map { $0.period(today) }
        today += days
        for (place, limit) in limits.enumerated() {
            let begun = limit.period(today)
            guard begun != ended[place] else { continue }
            let spent = spent(limit, in: begun)
            if spent > limit.amount { tell(place, begun, spent) }
        }
    }
}
