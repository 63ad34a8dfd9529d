import TestKit
import Testing

@testable import GroupsService

@Suite struct DivisionTests {
    @Test func sharesSumToTheAmountAndLieWithinOneMinorUnit() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            let count = Int.random(in: 1...20, using: &random)
            let weights = (0..<count).map { _ in random.amount(upTo: 1 << 50) }
            let amount = random.amount(upTo: .max)
            let total = weights.reduce(0, +)
            guard total > 0 else {
                #expect(throws: Division.Failure.noWeight) {
                    try Division.proportional(amount, weights: weights)
                }
                continue
            }
            let shares = try Division.proportional(amount, weights: weights)
            let again = try Division.proportional(amount, weights: weights)
            let place: Comment = "seed \(seed), round \(round)"
            #expect(shares == again, place)
            #expect(shares.reduce(0, +) == amount, place)
            for (share, weight) in zip(shares, weights) {
                // Both times the total, in whole numbers: 128 bits hold them.
                let exact = Int128(amount) * Int128(weight)
                let off = Int128(share) * Int128(total) - exact
                #expect(abs(off) < Int128(total), place)
                // Whoever's share comes out even pays exactly that; nothing weighs nothing.
                if exact % Int128(total) == 0 { #expect(off == 0, place) }
            }
        }
    }

    @Test func equalSharesDifferByOneAndTheFirstPayIt() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...200, using: &random)
            let amount = random.amount(upTo: .max)
            let shares = try Division.equal(amount, among: count)
            let least = amount / Int64(count)
            let more = Int(amount % Int64(count))
            let expected = (0..<count).map { $0 < more ? least + 1 : least }
            #expect(shares == expected, "seed \(seed): \(amount) among \(count)")
        }
    }

    @Test func theOrderOfThePartsDecidesTheRemainderAlone() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...10, using: &random)
            let weights = (0..<count).map { _ in random.amount(upTo: 1_000) + 1 }
            let amount = random.amount(upTo: 1 << 40)
            let order = weights.indices.shuffled(using: &random)
            let shares = try Division.proportional(amount, weights: weights)
            let turned = try Division.proportional(amount, weights: order.map { weights[$0] })
            for (place, index) in order.enumerated() {
                let difference = abs(turned[place] - shares[index])
                #expect(difference <= 1, "seed \(seed)")
            }
        }
    }

    @Test func whatCannotBeDividedIsRefused() {
        #expect(throws: Division.Failure.noWeight) {
            try Division.proportional(1, weights: [])
        }
        #expect(throws: Division.Failure.noWeight) {
            try Division.proportional(1, weights: [0, 0])
        }
        #expect(throws: Division.Failure.negative(index: 1)) {
            try Division.proportional(1, weights: [2, -1])
        }
        #expect(throws: Division.Failure.overflow) {
            try Division.proportional(1, weights: [.max, 1])
        }
    }
}
