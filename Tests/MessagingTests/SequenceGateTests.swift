import TestKit
import Testing

@testable import Messaging

@Suite struct SequenceGateTests {
    @Test func decisionsFollowTheSequence() {
        var gate = SequenceGate(last: 3)
        #expect(gate.decide(3, waits: false, hopeless: false) == .duplicate)
        #expect(gate.decide(5, waits: false, hopeless: false) == .park)
        #expect(gate.decide(4, waits: false, hopeless: false) == .apply)
        #expect(gate.decide(5, waits: true, hopeless: false) == .park)
        #expect(gate.decide(5, waits: false, hopeless: false) == .park, "it failed in this round")
        #expect(gate.last == 4)
    }

    @Test func aHopelessEventIsBuriedInItsTurnOnly() {
        var gate = SequenceGate(last: 0)
        #expect(gate.decide(2, waits: true, hopeless: true) == .park)
        #expect(gate.decide(1, waits: true, hopeless: true) == .bury)
        #expect(gate.decide(2, waits: true, hopeless: true) == .bury)
        #expect(gate.decide(3, waits: false, hopeless: false) == .apply)
    }

    @Test func theLastSequenceThereCanBeEndsNothing() {
        var gate = SequenceGate(last: .max - 1)
        #expect(gate.decide(.max, waits: true, hopeless: true) == .park)
        #expect(gate.decide(.max, waits: false, hopeless: false) == .park)
        gate = SequenceGate(last: 0)
        gate.skip(to: .max)
        #expect(gate.decide(1, waits: false, hopeless: false) == .duplicate)
        #expect(gate.last == .max)
    }

    /// Any arrival of 1…n, doubled, shuffled, in batches, some failing at first: applied once each
    /// and in order.
    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func anyArrivalIsAppliedOnceAndInOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int64.random(in: 1...40, using: &random)
        var arrivals = Array(1...count) + (1...count).filter { _ in Bool.random(using: &random) }
        arrivals.shuffle(using: &random)
        var failures = Dictionary(
            uniqueKeysWithValues: (1...count).map { ($0, Int.random(in: 0...3, using: &random)) }
        )
        let hopeless = (1...count).filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
        var last: Int64 = 0
        var parked: Set<Int64> = []
        var done: [Int64] = []
        while !arrivals.isEmpty || !parked.isEmpty {
            let batch = arrivals.prefix(Int.random(in: 0...5, using: &random))
            arrivals.removeFirst(batch.count)
            var gate = SequenceGate(last: last)
            for sequence in Set(batch).union(parked).sorted() {
                let fails = failures[sequence, default: 0] > 0
                let decision = gate.decide(
                    sequence,
                    waits: fails,
                    hopeless: hopeless.contains(sequence)
                )
                switch decision {
                case .duplicate: parked.remove(sequence)
                case .apply, .bury:
                    done.append(sequence)
                    parked.remove(sequence)
                case .park:
                    parked.insert(sequence)
                    if fails, sequence == gate.last + 1 { failures[sequence, default: 0] -= 1 }
                }
            }
            last = gate.last
        }
        #expect(done == Array(1...count), "seed \(seed)")
    }
}
