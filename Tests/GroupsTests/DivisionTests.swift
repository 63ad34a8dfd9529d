import TestKit
import Testing
import WalletProtocol

/// The rule of odd units, as a client would write it: a unit at a time, by fractions.
private struct DivisionModel {
    let weights: [Int64]
    let amount: Int64
    let day: Int

    /// nil where there is nothing to divide by.
    var shares: [Int64]? {
        let total = weights.reduce(Int128(0)) { $0 + Int128($1) }
        guard total > 0 else { return nil }
        let magnitude = amount < 0 ? -Int128(amount) : Int128(amount)
        var shares = weights.map { magnitude * Int128($0) / total }
        var lost = weights.map { magnitude * Int128($0) % total }
        let count = Int128(weights.count)
        let start = ((Int128(day) + magnitude) % count + count) % count
        while shares.reduce(0, +) < magnitude {
            var best: Int?
            for step in 0..<count {
                let index = Int((start + step) % count)
                if lost[index] > (best.map { lost[$0] } ?? 0) { best = index }
            }
            guard let best else { return nil }
            lost[best] = 0
            shares[best] += 1
        }
        return shares.map { Int64(amount < 0 ? -$0 : $0) }
    }
}

@Suite struct DivisionTests {
    private func day(_ number: Int) throws -> Day { try #require(Day(daysSince1970: number)) }

    @Test func documentedExamplesAreWhatIsDivided() throws {
        #expect(DivisionExample.all.count == 6)
        for example in DivisionExample.all {
            let units = example.amount.minorUnits
            let turn = Division.Turn(on: example.day, units)
            let shares = try Division.proportional(units, weights: example.weights, turn: turn)
            #expect(shares == example.shares, "\(example.about)")
        }
    }

    @Test func sharesAreThoseOfAPlainModel() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            let place: Comment = "seed \(seed), round \(round)"
            let count = Int.random(in: 1...20, using: &random)
            let weights = (0..<count).map { _ in random.amount(upTo: 1 << 50) }
            let amount = random.amount(upTo: .max) * (Bool.random(using: &random) ? 1 : -1)
            let number = Int.random(in: -719_162...2_932_896, using: &random)
            let turn = Division.Turn(on: try day(number), amount)
            let model = DivisionModel(weights: weights, amount: amount, day: number)
            guard let expected = model.shares else {
                #expect(throws: Division.Failure.noWeight, place) {
                    try Division.proportional(amount, weights: weights, turn: turn)
                }
                continue
            }
            let shares = try Division.proportional(amount, weights: weights, turn: turn)
            #expect(shares == expected, place)
            #expect(shares.reduce(0, +) == amount, place)
            let total = weights.reduce(Int128(0)) { $0 + Int128($1) }
            for (share, weight) in zip(shares, weights) {
                // Both times the total, in whole numbers: 128 bits hold them.
                let off = Int128(share) * total - Int128(amount) * Int128(weight)
                #expect(abs(off) < total, place)
            }
        }
    }

    @Test func dinnersOfAMonthAreFairWithinOneUnit() throws {
        for count in [2, 3, 4, 5, 6, 7] {
            for units in [1_000, 1_001, 2_999] as [Int64] {
                var borne = [Int64](repeating: 0, count: count)
                for number in 20_785..<(20_785 + 30) {
                    let turn = Division.Turn(on: try day(number), units)
                    let shares = try Division.equal(units, among: count, turn: turn)
                    for (index, share) in shares.enumerated() { borne[index] += share }
                }
                let least = try #require(borne.min())
                let most = try #require(borne.max())
                // No more than the odd units of one dinner: one unit where there is one.
                #expect(most - least <= units % Int64(count), "\(count): \(borne)")
            }
        }
    }

    @Test func leastAmountIsDivided() throws {
        let turn = Division.Turn(on: try day(-719_162), .min)
        #expect(try Division.equal(.min, among: 1, turn: turn) == [.min])
        let halves = try Division.equal(.min, among: 2, turn: turn)
        #expect(halves == [.min / 2, .min / 2])
    }

    @Test func whatCannotBeDividedIsRefused() throws {
        let turn = Division.Turn(on: try day(0), 1)
        func divide(_ weights: [Int64]) throws {
            _ = try Division.proportional(1, weights: weights, turn: turn)
        }
        #expect(throws: Division.Failure.noWeight) { try divide([]) }
        #expect(throws: Division.Failure.noWeight) { try divide([0, 0]) }
        #expect(throws: Division.Failure.negative(index: 1)) { try divide([2, -1]) }
        #expect(throws: Division.Failure.overflow) { try divide([.max, 1]) }
    }
}
