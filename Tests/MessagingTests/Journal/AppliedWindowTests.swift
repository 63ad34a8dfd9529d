import TestKit
import Testing
import WalletProtocol

@testable import Messaging

@Suite struct PlaceSetTests {
    private func ranges(_ random: inout SeededGenerator) -> [ClosedRange<Int64>] {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
            let low = Int64.random(in: 1...60, using: &random)
            return low...low + Int64.random(in: 0...6, using: &random)
        }
    }

    /// Against sets of whole numbers.
    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func isASetOfNumbers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (first, second) = (ranges(&random), ranges(&random))
        let (one, other) = (PlaceSet(first), PlaceSet(second))
        let (few, many) = (Set(first.joined()), Set(second.joined()))
        func holds(_ places: PlaceSet, _ numbers: Set<Int64>) {
            #expect(Set(places.runs.joined()) == numbers, "seed \(seed)")
            #expect(places.count == numbers.count, "seed \(seed)")
            for (run, next) in zip(places.runs, places.runs.dropFirst()) {
                #expect(run.upperBound + 1 < next.lowerBound, "next to each other, seed \(seed)")
            }
        }
        holds(one, few)
        holds(one.union(other), few.union(many))
        holds(one.subtracting(other), few.subtracting(many))
        holds(one.within(10...30), few.filter { (10...30).contains($0) })
        let (low, high) = one.parted(after: 25)
        holds(low, few.filter { $0 <= 25 })
        holds(high, few.filter { $0 > 25 })
        #expect((1...70).allSatisfy { one.contains($0) == few.contains($0) }, "seed \(seed)")
    }
}

@Suite struct AppliedWindowTests {
    /// Messages in any order, again, and cut otherwise, against a set of whole numbers.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func whateverArrivesIsWhatWasSettled(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = AppliedWindow()
        var model: Set<Int64> = []
        for _ in 0..<120 {
            let places = PlaceSet(
                (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    let low = Int64.random(in: 1...150, using: &random)
                    return low...low + Int64.random(in: 0...9, using: &random)
                }
            )
            window.add(places)
            model.formUnion(places.runs.joined())
            let mark = (1...Int64.max).first { !model.contains($0) }.map { $0 - 1 }
            #expect(window.mark == mark, "seed \(seed)")
            let highest = model.max() ?? 0
            let missing = (1...highest).filter { !model.contains($0) }
            #expect(Array(window.gaps.runs.joined()) == missing, "seed \(seed)")
            #expect((1...170).allSatisfy { window.contains($0) == model.contains($0) })
        }
    }

    /// Beyond the limit the highest are forgotten, and never one that was not applied is claimed.
    @Test func manyRunsAreForgottenFromTheTop() {
        var window = AppliedWindow()
        let most = Int64(AppliedWindow.runsMax)
        window.add(PlaceSet((1...most + 100).map { $0 * 2...$0 * 2 }))
        #expect(window.above.runs.count == AppliedWindow.runsMax)
        #expect(window.contains(most * 2) && !window.contains(most * 2 + 2))
        window.add(PlaceSet([1...most * 2 + 300]))
        #expect(window.mark == most * 2 + 300 && window.gaps.isEmpty)
    }

    @Test func whatIsMissingForLongIsToldAndNothingElse() {
        var watch = GapWatch()
        func look(_ missing: [ClosedRange<Int64>], _ now: UInt64) -> PlaceSet {
            watch.look(at: PlaceSet(missing), now: now, olderThan: 30)
        }
        #expect(look([1...10], 0).isEmpty)
        #expect(look([1...4, 8...12], 20).isEmpty)
        #expect(look([1...4, 8...12], 31) == PlaceSet([1...4, 8...10]))
        #expect(look([8...12], 51) == PlaceSet([8...12]))
        #expect(look([], 60).isEmpty)
        #expect(look([8...12], 70).isEmpty, "it is missing anew")
    }
}

@Suite struct PostingsPackTests {
    /// Random entries and holes, packed at any size, arrive in any order, some twice: all of them
    /// are applied once the last has come, and none is claimed before.
    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func whatIsPackedSettlesWhatItHolds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rows: [TransactionPosted] = []
        let end = Int64.random(in: 1...80, using: &random)
        for place in 1...end {
            let entry = ID<JournalEntry>.new()
            for _ in 0..<[0, 1, 1, 2, 4].randomElement(using: &random)! {
                rows.append(posting(JournalLine(entryID: entry, place: place)))
            }
        }
        let packs = PostingsPack.packs(
            of: rows,
            settling: PlaceSet([1...end]),
            from: .ledger,
            bytesMax: Int.random(in: 0...20_000, using: &random),
            postingsMax: Int.random(in: 1...40, using: &random)
        )
        #expect(packs.flatMap(\.rows) == rows, "seed \(seed)")
        #expect(Set(packs.map(\.message.id)).count == packs.count)
        var window = AppliedWindow()
        var seen: Set<Int64> = []
        for pack in (packs + packs.prefix(3)).shuffled(using: &random) {
            let event = try EventEnvelope.read(pack.message.body)
            let batch = try PostingBatch(try event.body(as: Postings.self))
            #expect(batch.rows == pack.rows && batch.covers == pack.covers)
            window.add(batch.covers)
            seen.formUnion(batch.rows.map(\.source.place))
            let claimed = rows.filter { window.contains($0.source.place) }
            #expect(claimed.allSatisfy { seen.contains($0.source.place) }, "seed \(seed)")
        }
        #expect(window.mark == end && window.gaps.isEmpty, "seed \(seed)")
    }

    @Test func aBatchInHalvesIsTheWhole() {
        var rows: [TransactionPosted] = []
        for place in [3, 3, 4, 7, 7, 7, 9] as [Int64] {
            rows.append(posting(JournalLine(entryID: .new(), place: place)))
        }
        let batch = PostingBatch(covers: PlaceSet([1...12]), rows: rows)
        let entries = batch.entries
        #expect(entries.map { $0.rows.map(\.source.place) } == [[3, 3], [4], [7, 7, 7], [9]])
        #expect(entries.flatMap(\.rows) == rows)
        #expect(PlaceSet(entries.flatMap(\.covers.runs)) == batch.covers)
        #expect(entries.reduce(0) { $0 + $1.covers.count } == 12, "no place twice")
    }

    /// What covers more has another name, or the broker would drop it.
    @Test func anotherContentHasAnotherName() {
        let rows = (1...3).map { posting(JournalLine(entryID: .new(), place: $0)) }
        let names = [
            PostingsPack.name(of: rows, PlaceSet([1...3])),
            PostingsPack.name(of: rows, PlaceSet([1...4])),
            PostingsPack.name(of: Array(rows.dropLast()), PlaceSet([1...2])),
            PostingsPack.name(of: rows, PlaceSet([1...1, 3...3])),
            PostingsPack.name(of: [], PlaceSet([1...3])),
        ]
        #expect(Set(names).count == names.count)
        #expect(names[0] == PostingsPack.name(of: rows, PlaceSet([1...3])))
    }
}
