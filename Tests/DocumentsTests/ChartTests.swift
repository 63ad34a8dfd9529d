import TestKit
import Testing

@testable import Documents

/// Slices of a pie, whatever the values are.
@Suite struct PieTests {
    /// Values of every size, refunds and nothing among them, and tenths that add to a thousand.
    static func values(_ random: inout SeededGenerator) -> [Int128] {
        let count = Int.random(in: 0...300, using: &random)
        return (0..<count).map { _ in
            let size = Int128(1) << Int128.random(in: 0...100, using: &random)
            return Int128.random(in: -size / 8...size, using: &random)
        }
    }

    @Test func slicesAreTheWholeInTheirOrder() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let values = Self.values(&random)
            let tenths = values.map { $0 > 0 ? Int.random(in: 0...50, using: &random) : 0 }
            let slices = Pie(values, tenths: tenths).slices
            let positive = values.filter { $0 > 0 }
            let total = positive.reduce(0, +)
            #expect(slices.reduce(0) { $0 + $1.value } == total, "seed \(seed)")
            #expect(slices.reduce(0) { $0 + $1.tenths } == tenths.reduce(0, +), "seed \(seed)")
            #expect(slices.count <= Pie.slicesMax, "seed \(seed)")
            #expect(slices.isEmpty == positive.isEmpty, "seed \(seed)")
            let kept = slices.compactMap(\.index)
            // Each value is itself or in the rest, once; those that are left out are the smallest.
            #expect(Set(kept).count == kept.count, "seed \(seed)")
            #expect(slices.allSatisfy { $0.index == nil || values[$0.index ?? 0] == $0.value })
            #expect(
                kept.map { values[$0] } == positive.sorted(by: >).prefix(kept.count).map(\.self)
            )
            // The rest is the last, and of two at least.
            #expect(slices.dropLast().allSatisfy { $0.index != nil }, "seed \(seed)")
            #expect(slices.last?.index != nil || kept.count + 2 <= positive.count || total == 0)
            #expect(slices.first?.start ?? 0 == 0, "seed \(seed)")
            #expect(slices.last?.end ?? Pie.turn == Pie.turn, "seed \(seed)")
            for (slice, next) in zip(slices, slices.dropFirst()) {
                #expect(slice.end == next.start && slice.start <= slice.end, "seed \(seed)")
            }
            for slice in slices {
                let share = Double(slice.value) / Double(total)
                #expect(abs((slice.end - slice.start) / Pie.turn - share) < 1e-9, "seed \(seed)")
            }
        }
    }

    @Test func nothingAndRefundsAreNoSlices() {
        #expect(Pie([], tenths: []).slices.isEmpty)
        #expect(Pie([0, -5, 0], tenths: [0, 0, 0]).slices.isEmpty)
        let one = Pie([0, 7, -5], tenths: [0, 1_000, 0]).slices
        #expect(one == [.init(index: 1, value: 7, tenths: 1_000, start: 0, end: Pie.turn)])
    }

    @Test func manyOfOneSizeAreSomeAndTheRest() {
        let slices = Pie(
            [Int128](repeating: 1, count: 500),
            tenths: .init(repeating: 2, count: 500)
        )
        .slices
        #expect(slices.count == Pie.slicesLeast + 1)
        #expect(slices.last?.value == 494 && slices.last?.tenths == 988)
    }
}

/// Axes and what is put together on them.
@Suite struct AxisTests {
    @Test func everyValueStandsBetweenRoundTicks() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let values = PieTests.values(&random)
            let axis = Axis(values)
            guard axis.step > 0 else {
                #expect(values.allSatisfy { $0 == 0 }, "seed \(seed)")
                continue
            }
            let ticks = axis.ticks
            #expect(ticks.contains(0) && (2...12).contains(ticks.count), "seed \(seed)")
            #expect(ticks.first == axis.low && ticks.last == axis.high, "seed \(seed)")
            let isWithin = values.allSatisfy { (0...1).contains(axis.place($0)) }
            #expect(isWithin, "seed \(seed)")
        }
    }

    @Test func whatCannotBeToldApartIsOneExactly() {
        let series = (0..<40).map { index in
            PrintedSeries(name: "\(index)", colours: [0], values: [Int128(index), 1 << 90, -3])
        }
        let chart = PrintedChart(
            .lines,
            title: "",
            names: ["a", "b", "c"],
            series: series,
            others: "rest"
        )
        let drawn = chart.drawn
        #expect(drawn.count == PrintedChart.linesMax && drawn.last?.name == "rest")
        for index in 0..<3 {
            let sum = series.reduce(Int128(0)) { $0 + $1.values[index] }
            #expect(drawn.reduce(Int128(0)) { $0 + $1.values[index] } == sum)
        }
    }
}

/// Colours that people have chosen.
@Suite struct TintTests {
    @Test func whatStandsSideBySideDiffers() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let few = (0..<3).map { _ in Tint(.random(in: 0...0xff_ffff, using: &random)) }
            let tints = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                few[Int.random(in: 0..<3, using: &random)]
            }
            let apart = Tint.apart(tints, isRing: true)
            #expect(apart.count == tints.count)
            let differs = zip(apart, apart.dropFirst()).allSatisfy { one, two in
                one.distance(to: two) >= Tint.distanceLeast
            }
            #expect(differs, "seed \(seed)")
            if apart.count > 2, let first = apart.first, let last = apart.last {
                #expect(first.distance(to: last) >= Tint.distanceLeast, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [0xff_ffff, 0xff_ff00, 0xff_7f0e, 0, 0x1f_77b4] as [UInt32])
    func linesStandOutAgainstWhite(_ colour: UInt32) {
        #expect(Tint(colour).readable.contrast >= Tint.contrastLeast)
    }

    @Test func whatIsReadableStaysAsItIs() { #expect(Tint(0x1f_77b4).readable == Tint(0x1f_77b4)) }
}
