import WalletProtocol

/// How releases are made.
struct ReleaseSettings: Sendable {
    /// Figures of fewer people are suppressed.
    let usersMin: Int
    /// In which figures can be asked for.
    let currencies: [Currency]
    let hours: Int
    let tellsRunningMonths: Bool

    init(usersMin: Int, currencies: [Currency], hours: Int = 24, tellsRunningMonths: Bool = false) {
        self.usersMin = usersMin
        self.currencies = Set(currencies).sorted()
        self.hours = hours
        self.tellsRunningMonths = tellsRunningMonths
    }

    /// That in which figures are kept of a month that is due for the first time.
    var base: Currency { currencies.contains(.eur) ? .eur : currencies.first ?? .eur }

    /// How long one that was cut off rests before another makes up for it.
    static let restSeconds: Int64 = 600

    /// Whether it is time for another release.
    func isDue(after latest: Release?, at now: Instant) -> Bool {
        guard let latest else { return true }
        guard latest.isWhole else {
            return latest.releasedAt.adding(seconds: Self.restSeconds) <= now
        }
        return latest.releasedAt.adding(seconds: Int64(hours) * 3_600) <= now
    }

    /// The last month that is released at a moment: on the third day after its end, unless while it
    /// runs.
    func lastMonth(at now: Instant) -> Month? {
        guard let today = Day(utc: now) else { return nil }
        if tellsRunningMonths { return today.month }
        // The third day after its end is the third of the next month.
        return today.month.adding(today.parts.day >= 3 ? -1 : -2)
    }
}
