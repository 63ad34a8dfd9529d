import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// A random month with its releases, and what its cells should be, worked out anew for each.
private struct RandomMonth {
    struct Entry {
        let person: Int64
        let coordinates: [String]
        let value: Int128
        let times: Int64
        let from: Int64
        let until: Int64
    }
    let releases: Int64 = 4
    var entries: [Entry] = []
    let space: CubeSpace
    let cube: MonthCube

    init(_ random: inout SeededGenerator) {
        let names = [
            ["01", "07", "none"], ["IT", "IT-RM", "IT-MI", "FR-75", "unknown"], ["18-24", "65+"],
            ["wallet", "current"], ["EUR", "USD"],
        ]
        for _ in 0..<Int.random(in: 20...150, using: &random) {
            let from = Int64.random(in: 1...3, using: &random)
            entries.append(
                Entry(
                    person: Int64.random(in: 1...25, using: &random),
                    coordinates: names.map { $0.randomElement(using: &random) ?? "" },
                    value: Int128(Int64.random(in: 0...5, using: &random)),
                    times: Int64.random(in: 1...2, using: &random),
                    from: from,
                    until: Bool.random(using: &random)
                        ? .max : Int64.random(in: (from + 1)...5, using: &random)
                )
            )
        }
        let space = CubeSpace(entries.map(\.coordinates))
        cube = MonthCube(
            space: space,
            bookings: entries.compactMap { entry in
                space.key(of: entry.coordinates).map { leaf in
                    Booking(
                        person: entry.person,
                        leaf: leaf,
                        value: entry.value,
                        times: entry.times,
                        from: entry.from,
                        until: entry.until
                    )
                }
            }
        )
        self.space = space
    }

    /// Whether a booking is in a cell, by the names on its way.
    func isIn(_ cell: Cube.Cell, _ entry: Entry) -> Bool {
        cell.indices.allSatisfy { axis in
            let path = space.path(cell, axis)
            guard let last = path.last else { return true }
            let name = entry.coordinates[axis]
            let ages = ["18-24": "18-34", "65+": "55+"]
            if ages[name] == last { return true }
            return path.count == CubeTables.depths[axis]
                ? name == last : name == last || name.hasPrefix(last + "-")
        }
    }

    /// Each person's amounts in a cell in a release, in order.
    func amounts(_ cell: Cube.Cell, _ release: Int64) -> [Int64: [Int128]] {
        var all: [Int64: [Int128]] = [:]
        for entry in entries where entry.from <= release && release < entry.until {
            guard isIn(cell, entry) else { continue }
            all[entry.person, default: []] += Array(repeating: entry.value, count: Int(entry.times))
        }
        return all.mapValues { $0.sorted() }
    }

    var allCells: Set<Cube.Cell> {
        var all: Set<Cube.Cell> = []
        for levels in CubeTables.all {
            for entry in entries {
                guard let leaf = space.key(of: entry.coordinates) else { continue }
                all.insert(space.cell(space.ancestor(of: leaf, at: levels)))
            }
        }
        return all
    }
}

@Suite struct MonthCubeTests {
    private static let seeds: [UInt64] =
        Array(1...3) + (0..<3).map { _ in .random(in: 0...UInt64.max) }

    @Test func everyCellOfEveryTableIsWhatItsBookingsAre() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let month = RandomMonth(&random)
            let users = month.cube.users(in: 3)
            let changes = month.cube.changes(between: 1, and: 3)
            var known: [Cube.Cell: [Int64: [Int128]]] = [:]
            for cell in month.allCells {
                let (old, now) = (month.amounts(cell, 1), month.amounts(cell, 3))
                known[cell] = now
                #expect(users.users[cell] ?? 0 == now.count, "seed \(seed): \(cell)")
                let differ = Set(old.keys).union(now.keys).count { old[$0] != now[$0] }
                #expect(changes.users[cell] ?? 0 == differ, "seed \(seed): \(cell)")
            }
            for (levels, cells) in Dictionary(grouping: users.users.keys, by: users.levels) {
                let figures = month.cube.figures(of: levels, in: 3, told: cells)
                for cell in cells {
                    let amounts = known[cell] ?? [:]
                    let all = amounts.values.flatMap { $0 }.sorted()
                    let found = figures[cell]
                    #expect(found?.users == Int64(amounts.count), "seed \(seed): \(cell)")
                    #expect(found?.bookings == Int64(all.count), "seed \(seed): \(cell)")
                    #expect(found?.total == all.reduce(0, +), "seed \(seed): \(cell)")
                    #expect(found?.middle.low == all[(all.count - 1) / 2], "seed \(seed)")
                    #expect(found?.middle.high == all[all.count / 2], "seed \(seed)")
                    #expect(found?.ninth == all[(all.count * 9 + 9) / 10 - 1], "seed \(seed)")
                }
            }
        }
    }

    @Test func oneErasedPersonCountsAsOneHoweverManyCellsTheyWereIn() throws {
        let cells = [
            ["01", "IT-RM", "65+", "wallet", "EUR"], ["07", "IT-RM", "65+", "wallet", "EUR"],
        ]
        let space = CubeSpace(cells)
        let erased = try cells.map { cell in
            ErasedPeople(
                leaf: try #require(space.key(of: cell)),
                from: 1,
                until: 2,
                people: 1
            )
        }
        let cube = MonthCube(space: space, bookings: [], erased: erased)
        let changes = cube.changes(between: 1, and: 2)
        #expect(changes.users[[0, 0, 0, 0, 0]] == 1)
        #expect(cube.changes(between: 2, and: 3).users.isEmpty)
    }
}
