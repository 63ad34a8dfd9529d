import TestKit

@testable import AnalyticsService

/// What one figure can be of: some coordinates along each axis, as filters choose them.
typealias Block = [[Int]]

/// A random table: who is in which of its finest cells, and the cube that the answer is made from.
struct RandomTable {
    /// The paths of each axis's leaves.
    var leaves: [[[String]]]
    /// A bit for each of sixty people.
    var people: [[Int]: UInt64] = [:]
    var cube: Cube
    /// The leaves below each coordinate of the cube.
    private(set) var leavesBelow: [[[Int]]] = []

    init(
        axes: [[[String]]],
        peopleMax: Int,
        density: Double,
        using random: inout SeededGenerator
    ) {
        leaves = axes
        cube = Cube(axisCount: axes.count)
        var cells: [[Int]] = [[]]
        for axis in axes { cells = cells.flatMap { cell in axis.indices.map { cell + [$0] } } }
        for cell in cells where Double.random(in: 0..<1, using: &random) < density {
            let count =
                Bool.random(using: &random)
                ? Int.random(in: 1...4, using: &random)
                : Int.random(in: 1...peopleMax, using: &random)
            var crowd: UInt64 = 0
            for _ in 0..<count { crowd |= 1 << Int.random(in: 0..<60, using: &random) }
            people[cell] = crowd
        }
        var margins: [[[String]]: UInt64] = [:]
        for (cell, crowd) in people {
            for paths in self.margins(of: cell) { margins[paths, default: 0] |= crowd }
        }
        for (paths, crowd) in margins { cube.set(paths, users: crowd.nonzeroBitCount) }
        leavesBelow = zip(cube.axes, leaves).map { axis, leaves in
            axis.names.indices.map { coordinate in
                let level = axis.levels[coordinate]
                return leaves.indices.filter { leaf in
                    level == 0 || leaves[leaf][level - 1] == axis.names[coordinate]
                }
            }
        }
    }

    /// The cell itself and every sum that it is part of, as paths.
    private func margins(of cell: [Int]) -> [[[String]]] {
        var all: [[[String]]] = [[]]
        for (axis, leaf) in cell.enumerated() {
            let path = leaves[axis][leaf]
            all = all.flatMap { known in (0...path.count).map { known + [Array(path.prefix($0))] } }
        }
        return all
    }

    /// The finest cells of a block, whether anybody is there or not.
    func leafCells(of block: Block) -> [[Int]] {
        var cells: [[Int]] = [[]]
        for (axis, coordinates) in block.enumerated() {
            let below = coordinates.flatMap { leavesBelow[axis][$0] }
            cells = cells.flatMap { known in below.map { known + [$0] } }
        }
        return cells
    }

    /// Which of the finest cells a block is the sum of, by their numbers.
    func parts(of block: Block, in finest: [[Int]: Int]) -> [Int] {
        leafCells(of: block).compactMap { finest[$0] }
    }
}

extension RandomTable {
    static func flat(_ prefix: String, _ count: Int) -> [[String]] {
        (0..<count).map { ["\(prefix)\($0)"] }
    }

    static func tree(_ countries: Int, _ parts: Int) -> [[String]] {
        (0..<countries).flatMap { country in
            (0..<parts).map { ["c\(country)", "c\(country)-\($0)"] }
        }
    }

    static func any(_ random: inout SeededGenerator) -> RandomTable {
        let first = Int.random(in: 1...5, using: &random)
        let second = Int.random(in: 1...5, using: &random)
        let axes: [[[String]]]
        switch Int.random(in: 0..<7, using: &random) {
        case 0: axes = [flat("a", first * 2)]
        case 1: axes = [tree(first, second)]
        case 2: axes = [tree(2, second), flat("b", 2)]
        case 3: axes = [flat("a", first), flat("b", 2), flat("c", 2)]
        default: axes = [flat("a", first), flat("b", second)]
        }
        return RandomTable(
            axes: axes,
            peopleMax: Int.random(in: 4...40, using: &random),
            density: Double.random(in: 0.3...1, using: &random),
            using: &random
        )
    }
}
