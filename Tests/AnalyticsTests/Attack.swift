import TestKit
import Testing

@testable import AnalyticsService

/// An attacker who has asked for every table and solves for what was not told.
///
/// Small cells, and sums of them, must not follow from what is told. In a table of which nothing is
/// told the sums are those that a figure can be of: any cells that filters choose together.
struct Attack {
    static let usersMin = 5
    let seed: UInt64
    let table: RandomTable
    let suppression: Suppression
    /// The unknowns: of a table of which nothing is told, not even is told which cells there are.
    let finest: [[Int]: Int]
    let known: LinearSpan
    private var random: SeededGenerator

    init(on seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let table = RandomTable.any(&random)
        let suppression = Suppression(table.cube, usersMin: Self.usersMin)
        var cells = table.people.keys.sorted { $0.lexicographicallyPrecedes($1) }
        if suppression.closedTables.contains(table.leaves.map { $0.map(\.count).max() ?? 0 }) {
            cells = [[]]
            for (axis, leaves) in table.leaves.enumerated() {
                let present = leaves.indices.filter { leaf in
                    table.people.keys.contains { $0[axis] == leaf }
                }
                cells = cells.flatMap { cell in present.map { cell + [$0] } }
            }
        }
        let finest = Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($1, $0) })
        var known = LinearSpan(width: cells.count)
        for cell in table.cube.users.keys where !suppression.hidden.contains(cell) {
            known.know(table.parts(of: cell.map { [$0] }, in: finest))
        }
        (self.seed, self.random, self.table) = (seed, random, table)
        (self.suppression, self.finest, self.known) = (suppression, finest, known)
    }

    mutating func run() {
        for (levels, cells) in Dictionary(grouping: table.cube.users.keys, by: table.cube.levels) {
            let small = cells.filter { (table.cube.users[$0] ?? 0) < Self.usersMin }
                .sorted { $0.lexicographicallyPrecedes($1) }
            guard !small.isEmpty else { continue }
            for cell in small where !suppression.hidden.contains(cell) {
                Issue.record("seed \(seed): \(cell) is told")
            }
            if suppression.closedTables.contains(levels) {
                for cell in small { attempt([cell.map { [$0] }]) }
                for _ in 0..<20 { attempt([block(around: small, levels)]) }
            } else {
                let some = Array(small.shuffled(using: &random).prefix(6))
                for choice in 1..<1 << some.count {
                    attempt(
                        some.indices.filter { choice >> $0 & 1 == 1 }.map { at in
                            some[at].map { [$0] }
                        }
                    )
                }
            }
        }
    }

    /// Tries to compute what these blocks hold together, where that is of too few people.
    private func attempt(_ blocks: [Block]) {
        let parts = blocks.flatMap { table.parts(of: $0, in: finest) }
        guard people(in: blocks) < Self.usersMin, known.tells(parts) else { return }
        Issue.record("seed \(seed): \(blocks) follows from what is told")
    }

    private func people(in blocks: [Block]) -> Int {
        blocks.reduce(into: UInt64(0)) { all, block in
            for cell in table.leafCells(of: block) { all |= table.people[cell] ?? 0 }
        }.nonzeroBitCount
    }

    /// A block of coordinates of these levels, grown from a small cell while it is of few people.
    private mutating func block(around small: [Cube.Cell], _ levels: [Int]) -> Block {
        var block = small.randomElement(using: &random)?.map { [$0] } ?? []
        for _ in 0..<6 {
            guard let axis = block.indices.randomElement(using: &random) else { break }
            let names = table.cube.axes[axis]
            let others = names.names.indices.filter {
                names.levels[$0] == levels[axis] && !block[axis].contains($0)
            }
            guard let other = others.randomElement(using: &random) else { continue }
            var grown = block
            grown[axis].append(other)
            if people(in: [grown]) < Self.usersMin { block = grown }
        }
        return block
    }
}
