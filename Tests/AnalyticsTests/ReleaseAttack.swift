import TestKit
import Testing

@testable import AnalyticsService

/// A random month through several releases, and an attacker who has asked for every table of each.
///
/// They know, too, where nothing has changed: anywhere, or where nothing of the finest table is
/// told, not even which cells there are, in any one of the others and those above it. Neither what
/// few people have in a cell must follow from all that, nor what few people have changed in one
/// between any two releases.
struct ReleaseAttack {
    /// How many people it is about in every release; more are needed from some on.
    static let usersMin = 5
    private typealias State = [[Int]: [Int: Int]]
    let seed: UInt64
    private let table: RandomTable
    private var states: [State] = []
    private(set) var tellings: [Telling] = []
    /// Of each release, who differs from each earlier one.
    private var differences: [[Cube]] = []
    private var usersMins: [Int] = []
    /// What was told and would not have been, had all been taken up that was changed.
    private(set) var keptCount = 0
    /// What an unknown is of: the cell as it was first with a release, and perhaps is again.
    private struct Unknown: Hashable {
        let cell: [Int]
        let since: Int
    }

    init(on seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        table = RandomTable.any(&random)
        var state: State = table.people.mapValues { crowd in
            Dictionary(
                uniqueKeysWithValues: (0..<60).filter { crowd >> UInt64($0) & 1 == 1 }.map {
                    ($0, 1)
                }
            )
        }
        let waits = Bool.random(using: &random)
        for _ in 0..<Int.random(in: 2...4, using: &random) {
            if !states.isEmpty { state = Self.changed(state, table, before: states, &random) }
            let isRaised = !states.isEmpty && Int.random(in: 0..<4, using: &random) == 0
            let raise = isRaised ? Int.random(in: 1...6, using: &random) : 0
            release(state, usersMin: (usersMins.last ?? Self.usersMin) + raise, waits: waits)
        }
    }

    /// - Parameter waits: whether it stays as it is where taking it up costs more than it is worth.
    private mutating func release(_ state: State, usersMin: Int, waits: Bool) {
        let number = states.count
        states.append(state)
        usersMins.append(usersMin)
        let users = counted(state.mapValues { Set($0.keys) })
        let since = (0..<number).map { changes(between: $0, and: number) }
        guard let before = tellings.last else {
            tellings.append(Telling(first: users, usersMin: usersMin))
            differences.append(since)
            return
        }
        let isRaised = usersMins[number - 1] < usersMin
        let next = Telling(users: users, changes: since, before: before, usersMin: usersMin)
        let people = changedPeople(between: number - 1, and: number)
        let lost = next.lost(after: before, of: users)
        let isWorth = Telling.isWorth(losing: lost, changing: people, of: users)
        if !waits || (people >= usersMin && isWorth) {
            tellings.append(isRaised ? next.narrowed(to: users, usersMin: usersMin) : next)
            differences.append(since)
            return
        }
        // It stays, and what has changed waits.
        states[number] = states[number - 1]
        let old = counted(states[number].mapValues { Set($0.keys) })
        let kept = isRaised ? before.narrowed(to: old, usersMin: usersMin) : before
        if !isRaised { keptCount += before.told.subtracting(next.told).count }
        tellings.append(kept)
        differences.append((0..<number).map { changes(between: $0, and: number) })
    }

    private func changedPeople(between earlier: Int, and later: Int) -> Int {
        var people: Set<Int> = []
        for cell in Set(states[earlier].keys).union(states[later].keys) {
            let (old, new) = (states[earlier][cell] ?? [:], states[later][cell] ?? [:])
            people.formUnion(Set(old.keys).union(new.keys).filter { old[$0] != new[$0] })
        }
        return people.count
    }

    /// Some people book, edit or take back something in some cells, or all is as it once was.
    private static func changed(
        _ state: State,
        _ table: RandomTable,
        before: [State],
        _ random: inout SeededGenerator
    ) -> State {
        if Int.random(in: 0..<8, using: &random) == 0,
            let old = before.randomElement(using: &random)
        {
            return old
        }
        var state = state
        for cell in state.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let shares: [Double] = [0, 0, 0, 0.05, 0.5]
            let share: Double = shares.randomElement(using: &random) ?? 0
            for person in 0..<60 where Double.random(in: 0...1, using: &random) < share {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: state[cell]?[person] = nil
                default: state[cell]?[person, default: 0] += 1
                }
            }
        }
        return state.filter { !$0.value.isEmpty }
    }

    private func changes(between earlier: Int, and later: Int) -> Cube {
        var differ: [[Int]: Set<Int>] = [:]
        for cell in Set(states[earlier].keys).union(states[later].keys) {
            let (old, new) = (states[earlier][cell] ?? [:], states[later][cell] ?? [:])
            let people = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            if !people.isEmpty { differ[cell] = people }
        }
        return counted(differ)
    }

    /// How many people each cell has, finest and coarser, over the coordinates of the whole table.
    private func counted(_ people: [[Int]: Set<Int>]) -> Cube {
        var crowds: [Cube.Cell: Set<Int>] = [:]
        for cell in table.cube.users.keys {
            for part in table.leafCells(of: cell.map { [$0] }) {
                guard let some = people[part] else { continue }
                crowds[cell, default: []].formUnion(some)
            }
        }
        var cube = Cube(axes: table.cube.axes)
        for (cell, crowd) in crowds where !crowd.isEmpty { cube.set(cell, users: crowd.count) }
        return cube
    }

    /// After each release by itself, for what is closed later is open until then.
    func run() {
        for count in 1...states.count { run(first: count) }
    }

    private func run(first count: Int) {
        let finest = table.leaves.map { $0.map(\.count).max() ?? 0 }
        let tellings = tellings.prefix(count)
        let closed = tellings.contains { $0.closed.contains(finest) }
        var cells = table.people.keys.sorted { $0.lexicographicallyPrecedes($1) }
        if closed {
            cells = [[]]
            for leaves in table.leaves {
                cells = cells.flatMap { cell in leaves.indices.map { cell + [$0] } }
            }
        }
        let (numbers, width) = unknowns(in: cells, closed: closed, count)
        var span = LinearSpan(width: width)
        for (release, telling) in tellings.enumerated() {
            for cell in telling.told {
                span.know(table.parts(of: cell.map { [$0] }, in: numbers[release]))
            }
        }
        attackLast(count - 1, numbers, width)
        guard closed else {
            for release in 0..<count { attack(release, numbers, span) }
            return
        }
        let tables = Set(table.cube.users.keys.map(table.cube.levels))
        let open = tables.filter { levels in !tellings.contains { $0.closed.contains(levels) } }
        for levels in open where !open.contains(where: { $0 != levels && isAbove(levels, $0) }) {
            var span = span
            knowUnchanged(above: levels, numbers, &span)
            for release in 0..<count { attack(release, above: levels, numbers, span) }
        }
        for release in 0..<count { attack(release, numbers, span) }
    }

    /// A number for each cell as it was in each release.
    private func unknowns(
        in cells: [[Int]],
        closed: Bool,
        _ count: Int
    ) -> (numbers: [[[Int]: Int]], width: Int) {
        var unknowns: [Unknown: Int] = [:]
        var numbers: [[[Int]: Int]] = []
        for release in 0..<count {
            var known: [[Int]: Int] = [:]
            for cell in cells {
                let since = (0...release).first { earlier in
                    !closed && states[earlier][cell] == states[release][cell]
                }
                let unknown = Unknown(cell: cell, since: since ?? release)
                let number = unknowns[unknown] ?? unknowns.count
                unknowns[unknown] = number
                known[cell] = number
            }
            numbers.append(known)
        }
        return (numbers, unknowns.count)
    }

    /// Whoever knows nothing but the answers of now learns nothing of fewer than are needed now.
    private func attackLast(_ release: Int, _ numbers: [[[Int]: Int]], _ width: Int) {
        var span = LinearSpan(width: width)
        for cell in tellings[release].told {
            span.know(table.parts(of: cell.map { [$0] }, in: numbers[release]))
        }
        let users = counted(states[release].mapValues { Set($0.keys) })
        for (cell, count) in users.users where count < usersMins[release] {
            if span.tells(table.parts(of: cell.map { [$0] }, in: numbers[release])) {
                Issue.record("seed \(seed): \(cell) follows from release \(release) alone")
            }
        }
    }

    private func isAbove(_ coarse: [Int], _ fine: [Int]) -> Bool {
        zip(coarse, fine).allSatisfy { $0 <= $1 }
    }

    /// Where nothing has changed, in a table and in those above it.
    private func knowUnchanged(
        above levels: [Int],
        _ numbers: [[[Int]: Int]],
        _ span: inout LinearSpan
    ) {
        let cells = table.cube.users.keys.filter { isAbove(table.cube.levels(of: $0), levels) }
        for release in numbers.indices {
            for earlier in 0..<release {
                let changes = differences[release][earlier]
                for block in cells.filter({ changes.users[$0] == nil }).map({ $0.map { [$0] } }) {
                    span.know(
                        table.parts(of: block, in: numbers[release]),
                        less: table.parts(of: block, in: numbers[earlier])
                    )
                }
            }
        }
    }

    private func attack(
        _ release: Int,
        above levels: [Int]? = nil,
        _ numbers: [[[Int]: Int]],
        _ span: LinearSpan
    ) {
        let users = counted(states[release].mapValues { Set($0.keys) })
        let isAimedAt = { (cell: Cube.Cell) in
            levels.map { isAbove(table.cube.levels(of: cell), $0) } ?? true
        }
        for (cell, count) in users.users where count < Self.usersMin && isAimedAt(cell) {
            if tellings[release].told.contains(cell) {
                Issue.record("seed \(seed): release \(release) tells \(cell)")
            }
            if span.tells(table.parts(of: cell.map { [$0] }, in: numbers[release])) {
                Issue.record("seed \(seed): \(cell) of release \(release) follows")
            }
        }
        for earlier in 0..<release {
            let changes = differences[release][earlier]
            for (cell, count) in changes.users where count < Self.usersMin && isAimedAt(cell) {
                let block = cell.map { [$0] }
                let isTold = span.tells(
                    table.parts(of: block, in: numbers[release]),
                    less: table.parts(of: block, in: numbers[earlier])
                )
                if isTold {
                    Issue.record("seed \(seed): \(cell) follows from \(earlier) to \(release)")
                }
            }
        }
    }
}
