import TestKit
import Testing

@testable import Messaging

/// A database's outbox as far as the window sees it: ids, transaction ids, commits, snapshots.
private struct ModelOutbox {
    struct Writer {
        var xid: UInt64
        var ids: [Int64]
        var left: Int
        var commits: Bool
    }
    var nextID: Int64 = 1
    var nextXID: UInt64 = 700
    var completedMax: UInt64 = 699
    var open: [Writer] = []
    var visible: Set<Int64> = []

    /// What PostgreSQL answers: xmax is one past the highest *completed* id, so that an open writer
    /// above it does not show in xmin.
    var xmin: UInt64 {
        let xmax = completedMax + 1
        return open.map(\.xid).filter { $0 < xmax }.min() ?? xmax
    }

    mutating func begin(rows: Int, commits: Bool) {
        open.append(Writer(xid: nextXID, ids: [], left: rows, commits: commits))
        nextXID += 1
    }
    mutating func draw(_ index: Int) {
        open[index].ids.append(nextID)
        open[index].left -= 1
        nextID += 1
    }
    mutating func end(_ index: Int) {
        let writer = open.remove(at: index)
        if writer.commits { visible.formUnion(writer.ids) }
        completedMax = max(completedMax, writer.xid)
    }
    mutating func bound() -> UInt64 {
        let xid = nextXID
        nextXID += 1
        completedMax = max(completedMax, xid)
        return xid
    }
    mutating func step(_ random: inout SeededGenerator, mayBegin: Bool) {
        let action = Int.random(in: 0..<3, using: &random)
        if action == 0, mayBegin, open.count < 12 {
            begin(
                rows: Int.random(in: 1...4, using: &random),
                commits: Int.random(in: 0..<5, using: &random) > 0
            )
        } else if let index = open.indices.randomElement(using: &random) {
            if open[index].left > 0 { draw(index) } else if action < 2 || !mayBegin { end(index) }
        }
    }
}

@Suite struct RelayWindowTests {
    @Test func rowsWithoutGapsMoveTheMark() {
        var window = RelayWindow(mark: 10)
        window.publishedHead([11, 12, 13])
        #expect(window.mark == 13)
        #expect(!window.wantsBound)
    }

    @Test func aGapHoldsTheMarkUntilXminReachesItsBound() {
        var window = RelayWindow(mark: 0)
        window.publishedHead([1, 2, 5])
        #expect(window.mark == 2)
        #expect(window.wantsBound)
        window.publishedInHoles([], xmin: 900)
        #expect(window.mark == 2, "a hole without a bound stays, whatever xmin says")
        window.bind(800)
        window.publishedInHoles([], xmin: 799)
        #expect(window.mark == 2)
        window.publishedInHoles([4], xmin: 799)
        #expect(window.holes == [RelayWindow.Hole(low: 3, high: 3, bound: 800)])
        window.publishedInHoles([], xmin: 800)
        #expect(window.mark == 5)
    }

    @Test func oneSnapshotMayShowARowAndCloseItsHole() {
        var window = RelayWindow(mark: 0)
        window.publishedHead([4, 9])
        window.bind(50)
        window.publishedInHoles([2, 6, 7], xmin: 60)
        #expect(window.holes.isEmpty)
        #expect(window.mark == 9)
    }

    /// Random writers, most of which commit late and some never: every row is published once, and
    /// the mark never passes one that is still to appear.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func randomHistoriesLoseNothing(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var outbox = ModelOutbox()
        var window = RelayWindow(mark: 0)
        var published: Set<Int64> = []
        var covered = PlaceSet()
        let limit = Int.random(in: 1...6, using: &random)
        for round in 0..<600 {
            outbox.step(&random, mayBegin: round < 400)
            guard Int.random(in: 0..<3, using: &random) == 0 || round >= 400 else { continue }
            let highest = window.highest
            var head = outbox.visible.filter { $0 > highest }.sorted().prefix(limit).map { $0 }
            if Bool.random(using: &random) { outbox.step(&random, mayBegin: round < 400) }
            var found: [Int64] = []
            var xmin: UInt64 = 0
            if !window.holes.isEmpty {
                let holes = window.holes
                found = outbox.visible.filter { id in
                    holes.contains { $0.low <= id && id <= $0.high }
                }.sorted().prefix(limit).map { $0 }
                if found.count < limit { xmin = outbox.xmin } else { head = [] }
            }
            for id in found + head {
                #expect(published.insert(id).inserted, "published twice, seed \(seed)")
            }
            covered = covered.union(window.settled(head: head, inHoles: found, xmin: xmin))
            window.publishedHead(head)
            window.publishedInHoles(found, xmin: xmin)
            if Bool.random(using: &random) { outbox.step(&random, mayBegin: round < 400) }
            if window.wantsBound { window.bind(outbox.bound()) }
            let mark = window.mark
            #expect(outbox.open.allSatisfy { $0.ids.allSatisfy { $0 > mark } || !$0.commits })
            #expect(outbox.visible.allSatisfy { $0 > mark || published.contains($0) })
            // What is told to hold nothing never will, and below the mark all is told of.
            let open = outbox.open.filter(\.commits).flatMap(\.ids)
            #expect(!open.contains { covered.contains($0) }, "seed \(seed)")
            #expect(outbox.visible.allSatisfy { published.contains($0) == covered.contains($0) })
            #expect(mark == 0 || PlaceSet([1...mark]).subtracting(covered).isEmpty)
        }
        while !outbox.open.isEmpty { outbox.step(&random, mayBegin: false) }
        for _ in 0..<2_000 where window.mark < window.highest || published != outbox.visible {
            let (highest, holes) = (window.highest, window.holes)
            let head = outbox.visible.filter { $0 > highest }.sorted()
            let found = outbox.visible.filter { id in
                holes.contains { $0.low <= id && id <= $0.high }
            }.sorted()
            published.formUnion(head + found)
            window.publishedHead(head)
            window.publishedInHoles(found, xmin: outbox.xmin)
            if window.wantsBound { window.bind(outbox.bound()) }
        }
        #expect(published == outbox.visible, "seed \(seed)")
        #expect(window.mark == window.highest, "seed \(seed)")
    }
}

@Suite struct StreamMemoryTests {
    private let checkpoint = RelayCheckpoint(
        mark: 40,
        streamCreated: 7,
        sequence: 100,
        eventID: "mine"
    )
    private func state(_ first: UInt64, _ last: UInt64, created: Int64 = 7) -> StreamState {
        StreamState(created: created, firstSequence: first, lastSequence: last, messages: 1)
    }

    @Test func whatLiesWhereItLayIsIntact() {
        #expect(verdict(on: checkpoint, state(1, 120), idAtSequence: "mine") == .intact)
    }
    @Test func anotherStreamIsReplaced() {
        #expect(verdict(on: checkpoint, state(1, 200, created: 8), idAtSequence: nil) == .replaced)
    }
    @Test func aShorterStreamIsTruncated() {
        #expect(verdict(on: checkpoint, state(1, 99), idAtSequence: nil) == .truncated)
    }
    @Test func anothersEventAtOurPlaceIsALossThatWasFilledUp() {
        #expect(verdict(on: checkpoint, state(1, 300), idAtSequence: "theirs") == .truncated)
        #expect(verdict(on: checkpoint, state(1, 300), idAtSequence: nil) == .truncated)
    }
    @Test func whatHasAgedOutIsNoLoss() {
        #expect(verdict(on: checkpoint, state(101, 300), idAtSequence: nil) == .intact)
    }
}
