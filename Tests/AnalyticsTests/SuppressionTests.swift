import Testing

@testable import AnalyticsService

/// A random table: who is in which of its finest cells, and the cube that the answer is made from.
private struct RandomTable {
    /// The paths of each axis's leaves.
    var leaves: [[[String]]]
    var people: [[Int]: Set<Int>] = [:]
    var cube: Cube

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
            people[cell] = Set((0..<count).map { _ in Int.random(in: 0..<60, using: &random) })
        }
        var margins: [[[String]]: Set<Int>] = [:]
        for (cell, people) in people {
            for paths in self.margins(of: cell) { margins[paths, default: []].formUnion(people) }
        }
        for (paths, people) in margins { cube.set(paths, users: people.count) }
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

    /// Which of the finest cells a cell of the cube is the sum of, by where they are in `finest`.
    func parts(of cell: Cube.Cell, in finest: [[Int]]) -> [Int] {
        finest.indices.filter { index in
            cell.indices.allSatisfy { axis in
                let path = leaves[axis][finest[index][axis]]
                let (coordinates, number) = (cube.axes[axis], cell[axis])
                let level = coordinates.levels[number]
                return level == 0 || path[level - 1] == coordinates.names[number]
            }
        }
    }
}

@Suite struct SuppressionTests {
    static let seeds: [UInt64] =
        Array(1...1_500) + (0..<500).map { _ in .random(in: 0...UInt64.max) }

    private func flat(_ prefix: String, _ count: Int) -> [[String]] {
        (0..<count).map { ["\(prefix)\($0)"] }
    }

    private func tree(_ countries: Int, _ parts: Int) -> [[String]] {
        (0..<countries).flatMap { country in
            (0..<parts).map { ["c\(country)", "c\(country)-\($0)"] }
        }
    }

    private func table(_ random: inout SeededGenerator) -> RandomTable {
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

    @Test func noSmallCellFollowsFromWhatIsTold() {
        for seed in Self.seeds { attack(seed) }
    }

    /// An attacker who has asked for every table and solves for what was not told.
    private func attack(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let table = table(&random)
        let usersMin = 5
        let suppression = Suppression(table.cube, usersMin: usersMin)
        let levels = table.leaves.map { $0.map(\.count).max() ?? 0 }
        // Of a table of which nothing is told, not even is told which cells there are.
        var finest = table.people.keys.sorted { $0.lexicographicallyPrecedes($1) }
        if suppression.closedTables.contains(levels) {
            finest = [[]]
            for (axis, leaves) in table.leaves.enumerated() {
                let present = leaves.indices.filter { leaf in
                    table.people.keys.contains { $0[axis] == leaf }
                }
                finest = finest.flatMap { cell in present.map { cell + [$0] } }
            }
        }
        var known = LinearSpan(width: finest.count)
        for cell in table.cube.users.keys where !suppression.hidden.contains(cell) {
            known.know(table.parts(of: cell, in: finest))
        }
        for (cell, users) in table.cube.users where users < usersMin {
            let isHidden = suppression.hidden.contains(cell)
            #expect(isHidden, "seed \(seed): \(cell) of \(users) users is told")
            let isComputed = known.tells(table.parts(of: cell, in: finest))
            #expect(!isComputed, "seed \(seed): \(cell) of \(users) users can be computed")
        }
        // Several small cells together are one person's data too where they have the same people.
        let small = finest.indices.filter { index in
            (table.people[finest[index]]?.count).map { $0 < usersMin } ?? false
        }.prefix(8)
        for choice in 1..<max(1, 1 << small.count) {
            let some = small.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
            let people = some.reduce(into: Set<Int>()) {
                $0.formUnion(table.people[finest[$1]] ?? [])
            }
            guard people.count < usersMin else { continue }
            let isComputed = known.tells(some)
            #expect(!isComputed, "seed \(seed): the sum of \(some.map { finest[$0] }) is known")
        }
    }

    @Test func everythingIsToldWhereAllCellsHaveUsersEnough() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let table = table(&random)
            let fewest = table.cube.users.values.min() ?? 0
            let suppression = Suppression(table.cube, usersMin: fewest)
            #expect(suppression.hidden.isEmpty, "seed \(seed)")
        }
    }

    @Test func oneSmallCellCostsTheSmallestOfTheOthers() {
        var cube = Cube(axisCount: 1)
        cube.set([[]], users: 12)
        for (name, users) in [("01", 12), ("07", 11), ("10", 3)] {
            cube.set([[name]], users: users)
        }
        let suppression = Suppression(cube, usersMin: 10)
        let names = Set(suppression.hidden.map { cube.axes[0].names[$0[0]] })
        #expect(names == ["07", "10"])
    }

    @Test func aLargeTableIsDecidedInTime() {
        var random = SeededGenerator(seed: 7)
        let table = RandomTable(
            axes: [flat("a", 40), flat("b", 40)],
            peopleMax: 60,
            density: 0.9,
            using: &random
        )
        let clock = ContinuousClock()
        let time = clock.measure { _ = Suppression(table.cube, usersMin: 10) }
        #expect(time < .seconds(20))
    }
}
