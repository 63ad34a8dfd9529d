/// The amounts along the side of a chart: from a round one to a round one, 0 within.
struct Axis: Equatable {
    let low: Int128
    let high: Int128
    /// From one tick to the next; 0 where there is nothing to show.
    let step: Int128

    /// About as many steps.
    private static let steps: Int128 = 5

    init(_ values: some Sequence<Int128>) {
        let (least, most) = values.reduce((Int128(0), Int128(0))) { (min($0.0, $1), max($0.1, $1)) }
        guard least < most else {
            (low, high, step) = (0, 1, 0)
            return
        }
        // Each bound by itself: their difference may be beyond what numbers hold.
        let rough = max(most / Self.steps - least / Self.steps, 1)
        var power: Int128 = 1
        while power * 10 < rough { power *= 10 }
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? 10 * power
        self.step = step
        low = least / step * step - (least % step < 0 ? step : 0)
        high = most / step * step + (most % step > 0 ? step : 0)
    }

    /// The round amounts, the lowest first.
    var ticks: [Int128] {
        guard step > 0 else { return [] }
        return Array(sequence(first: low) { $0 < high ? $0 + step : nil })
    }

    /// How far up something stands, from 0 to 1.
    func place(_ value: Int128) -> Double {
        (Double(value) - Double(low)) / (Double(high) - Double(low))
    }
}

extension PrintedChart {
    /// As many lines can be told apart.
    static let linesMax = 8

    /// The series to draw, the largest first as they come; those beyond what can be told apart are
    /// one, exactly their sum.
    var drawn: [PrintedSeries] {
        guard series.count > Self.linesMax else { return series }
        let kept = series.prefix(Self.linesMax - 1)
        var rest = [Int128](repeating: 0, count: names.count)
        for one in series.dropFirst(kept.count) {
            for (index, value) in one.values.enumerated() { rest[index] += value }
        }
        return kept + [PrintedSeries(name: others, colours: [Tint.others.rgb], values: rest)]
    }
}
