import WalletProtocol

/// Days of three times two digits, of which the first may be the year: `24-03-15`.
///
/// No booking lies behind today, and a file tells of a short time: of the two readings the one is
/// right that reaches less far, where it is much less. A year in front is the same in many rows.
struct ShortYears {
    private var count = 0
    private var others = 0
    private var firstIndex = 0
    private var (dayFirst, monthFirst, yearFirst) = (Reading(), Reading(), Reading())
    private var (firsts, lasts): (Set<Int>, Set<Int>) = ([], [])

    /// The days of a column, read in one way.
    private struct Reading {
        var min: Day?
        var max: Day?
        var isPossible = true

        mutating func add(_ day: Day?) {
            guard let day else {
                isPossible = false
                return
            }
            min = Swift.min(min ?? day, day)
            max = Swift.max(max ?? day, day)
        }

        func isPossible(asOf today: Day?) -> Bool {
            guard isPossible, let max else { return false }
            return today.flatMap { $0.adding(days: 2) }.map { max <= $0 } ?? true
        }

        var span: Int {
            guard let min, let max else { return .max }
            return Int(max.daysSince1970) - Int(min.daysSince1970)
        }
    }

    /// Counts a day, by its number in the column from 0.
    mutating func add(_ parts: StatementDates.Parts, _ index: Int) {
        guard parts.isShort else {
            others += 1
            return
        }
        if count == 0 { firstIndex = index }
        count += 1
        let (first, second, third) = (parts.first, parts.second, parts.third)
        if firsts.count < 4 { firsts.insert(first) }
        if lasts.count < 4 { lasts.insert(third % 100) }
        dayFirst.add(Day(year: third, month: second, day: first))
        monthFirst.add(Day(year: third, month: first, day: second))
        yearFirst.add(Day(year: 2_000 + first, month: second, day: third % 100))
    }

    /// The order, whether it is beyond doubt, and the number of a day that hangs on it; nil where
    /// no day has its year in front.
    func verdict(
        otherwise: StatementDates.Order,
        asOf today: Day?
    ) -> (order: StatementDates.Order, isSure: Bool, index: Int)? {
        guard count > 0, others == 0, yearFirst.isPossible(asOf: today) else { return nil }
        let usual = [dayFirst, monthFirst].filter { $0.isPossible(asOf: today) }
        guard let span = usual.map(\.span).min() else { return (.yearFirst, true, firstIndex) }
        let isSteady = count > 1 && firsts.count == 1 && lasts.count > 1
        let isSteadyBehind = count > 1 && lasts.count == 1 && firsts.count > 1
        if isSteady != isSteadyBehind {
            return (isSteady ? .yearFirst : otherwise, true, firstIndex)
        }
        if yearFirst.span * 2 < span { return (.yearFirst, true, firstIndex) }
        if span * 2 < yearFirst.span { return (otherwise, true, firstIndex) }
        // The likelier is the one that is less long ago.
        guard let year = yearFirst.max, let latest = usual.compactMap(\.max).max(), latest >= year
        else { return (.yearFirst, false, firstIndex) }
        let isFar = Int(latest.daysSince1970) - Int(year.daysSince1970) > 3 * 366
        return (otherwise, isFar, firstIndex)
    }
}
