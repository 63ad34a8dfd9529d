import WalletProtocol

/// What of a fetched document is taken.
///
/// A day that is known stays as it is. A new one is taken in the order of days, and only whole:
/// where a figure has leapt, or too many are missing, it waits, and with it all that come later,
/// until a fetch half a day afterwards still says the same; meanwhile the last good day counts.
struct RateCheck {
    /// A figure that has leapt, or stands among too few.
    struct Doubt: Hashable {
        let day: Day
        let currency: Currency
        let rate: PublishedRate
    }

    /// What is known so far.
    let history: RateHistory
    /// Figures that an earlier fetch has brought, long enough ago.
    let confirmed: Set<Doubt>

    /// More than this for one is a leap, and less than its counterpart: 50 % up or down.
    private static let (up, down) = ((3, 2), (1, 2))
    /// Fewer figures than this share of the day before are too few.
    private static let fewest = (4, 5)

    /// The days to be added, ascending, and what keeps the next of them waiting.
    func sort(_ rows: [DayRates], today: Day) -> (new: [DayRates], doubts: [Doubt]) {
        var last: [Currency: PublishedRate] = [:]
        if let newest = history.days.last.flatMap(history.row(on:)) {
            for currency in newest.currencies where currency != .eur {
                last[currency] = newest.published(currency)
            }
        }
        let known = Set(history.days)
        // What lies between days that are known is not put in: conversions have been told by them.
        let from = history.days.last
        var new: [DayRates] = []
        for row in rows.sorted(by: { $0.day < $1.day }) {
            guard !known.contains(row.day), from.map({ row.day > $0 }) ?? true else { continue }
            // A day ahead is a fault, beyond what the clocks of the world differ by.
            guard let tomorrow = today.adding(days: 1), row.day <= tomorrow else { break }
            guard !row.rates.isEmpty else { break }
            let areTooFew = row.rates.count * Self.fewest.1 < last.count * Self.fewest.0
            let doubts = row.rates.compactMap { currency, rate -> Doubt? in
                let leaps = last[currency].map { Self.leaps(from: $0, to: rate) } ?? false
                guard areTooFew || leaps else { return nil }
                return Doubt(day: row.day, currency: currency, rate: rate)
            }
            guard doubts.allSatisfy(confirmed.contains) else { return (new, doubts) }
            new.append(row)
            last = row.rates
        }
        return (new, [])
    }

    private static func leaps(from old: PublishedRate, to new: PublishedRate) -> Bool {
        // Digits and a shift by 8 are 10^18 at most.
        let (before, after) = (scaled(old), scaled(new))
        return after * Int128(up.1) > before * Int128(up.0)
            || after * Int128(down.1) < before * Int128(down.0)
    }

    private static func scaled(_ rate: PublishedRate) -> Int128 {
        var value = Int128(rate.mantissa)
        for _ in rate.scale..<PublishedRate.scaleMax { value *= 10 }
        return value
    }
}
