import TestKit
import Testing

@testable import AnalyticsService

@Suite struct SketchTests {
    private func figures(_ people: [Int64], _ values: [Int64] = [1]) -> CellFigures {
        CellFigures(
            people: people,
            values: values.map { Amounts.Step(value: Int128($0), times: 1) }
        )
    }

    @Test func peopleOfSeveralCellsAreCountedOnceEachExactlyUpToSomeThousands() {
        var random = SeededGenerator(seed: .random(in: 0...UInt64.max))
        for _ in 0..<50 {
            let crowds = (0..<Int.random(in: 2...6, using: &random)).map { _ in
                Set(
                    (0..<Int.random(in: 1...800, using: &random)).map { _ in
                        Int64.random(in: 1...5_000, using: &random)
                    }
                )
            }
            let together = CellFigures(crowds.map { figures(Array($0)) })
            #expect(together.users == Int64(crowds.reduce(into: Set()) { $0.formUnion($1) }.count))
            #expect(!together.isApproximate)
        }
    }

    @Test func ofMorePeopleTheUnionIsWithinAFewPercent() {
        let all = [(1, 30_000), (20_000, 60_000), (50_000, 55_000)].map { first, last in
            figures((first...last).map(Int64.init))
        }
        let together = CellFigures(all)
        #expect(together.isApproximate)
        #expect((57_000...63_000).contains(together.users), "\(together.users)")
        #expect(CellFigures([all[0]]).users == 30_000, "one alone is exact")
    }

    @Test func quantilesAreExactUpToTenThousandBookingsAndWithinAPercentAbove() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for count in [1, 2, 9, 10, 3_333, 3_334, 30_000] {
            let parts = (0..<3).map { _ in
                (0..<count).map { _ in
                    Int64.random(
                        in: 0...(1 << Int.random(in: 1...50, using: &random)),
                        using: &random
                    )
                }
            }
            let together = CellFigures(parts.map { figures([1], $0) })
            let all = parts.flatMap { $0 }.sorted()
            #expect(together.isApproximate == (all.count > 10_000), "seed \(seed)")
            let wanted = [
                (together.middle.low, all[(all.count - 1) / 2]),
                (together.middle.high, all[all.count / 2]),
                (together.ninth, all[(all.count * 9 + 9) / 10 - 1]),
            ]
            for (found, exact) in wanted {
                let off = abs(found - Int128(exact))
                #expect(
                    together.isApproximate ? off * 100 <= Int128(exact) : off == 0,
                    "seed \(seed): \(found) for \(exact)"
                )
            }
        }
    }

    @Test func bothComeBackAsTheyWereWritten() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for count in [0, 1, 100, 5_000] {
            let people = PeopleSketch((0..<count).map { Int64($0 * 7 + 1) })
            #expect(PeopleSketch(bytes: people.bytes) == people, "seed \(seed)")
            let steps = (0..<count).map { _ in
                Amounts.Step(
                    value: Int128(Int64.random(in: 0...Int64.max, using: &random)) * 1_000,
                    times: Int64.random(in: 1...1_000, using: &random)
                )
            }
            let amounts = AmountSketch(Amounts(steps))
            #expect(AmountSketch(bytes: amounts.bytes) == amounts, "seed \(seed)")
            let read = Amounts(of: [amounts], bookings: Amounts(steps).count)
            #expect(AmountSketch(read) == amounts, "seed \(seed)")
        }
    }
}
