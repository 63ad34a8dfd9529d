/// Which cells may not be told, so that no answer gives one person's data away.
///
/// A cell of fewer users than the minimum (a small one) is hidden. Sums over a table's lines are
/// known from coarser tables, so small cells are hidden in company: for each there is a way to
/// change it, whatever it holds, and no other small cell, without a change to anything that is told
/// in this table or in a coarser one. Such a way is a box: the small cell and, along some axes, one
/// other coordinate each; the values at its corners go up and down by turns, which leaves the sums
/// along those axes as they are. Its corners must be hidden too, and so must be the sums that do
/// change, those along the other axes. Hence no sum, difference or other linear combination of what
/// is told says anything of a small cell, nor of several of them together. Where a small cell has
/// no such box, its whole table is hidden, and with it which cells there are. What was hidden for
/// company alone is told again where all that it protected has other company by then.
///
/// Of a table hidden as a whole, nothing that could be asked for follows from coarser ones: what a
/// figure is of is a block (some coordinates along each axis), and the box of one corner inside it
/// and the others outside leaves every coarser sum as it is and changes the block. What is not a
/// block is no figure, and of it coarser tables may tell, which is the limit of this: three tables
/// of two axes each tell the sum of two opposite corners of a table of 2 by 2 by 2, though of
/// neither corner. One of the three would have to be hidden in every answer for the sake of a table
/// that the answer does not have.
///
/// Time is no axis here: each month is a cube of its own (`Disclosure`). Two releases differ by
/// what was booked, and who has moved, in between: `Telling` decides of that by this, too.
/// Source: Willenborg and de Waal, «Elements of Statistical Disclosure Control», 2001, chapter 6;
/// the boxes are the paths of Causey, Cox and Ernst in more than two dimensions.
struct Suppression {
    private let cube: Cube
    private let usersMin: Int
    private let alsoSmall: Set<Cube.Cell>
    /// What is hidden; coarser tables are decided first.
    private(set) var hidden: Set<Cube.Cell> = []
    /// The tables of which nothing is told, by their levels.
    private(set) var closedTables: Set<[Int]> = []
    /// Boxes that may still be tried for this table, a bound on the time of one answer.
    ///
    /// It is of each table anew, for what is hidden of a table must not depend on which others the
    /// same query has.
    private var boxesLeft = 0
    private static let boxesMax = 250_000

    /// Decides for every table of the cube.
    /// - Parameters:
    ///   - alsoSmall: cells that may not be told though they have users enough.
    ///   - hidden: what is told in no case.
    init(
        _ cube: Cube,
        usersMin: Int,
        alsoSmall: Set<Cube.Cell> = [],
        hidden: Set<Cube.Cell> = []
    ) {
        self.cube = cube
        self.usersMin = usersMin
        self.alsoSmall = alsoSmall
        self.hidden = hidden
        let tables = Dictionary(grouping: cube.users.keys) { cube.levels(of: $0) }
        let order = tables.keys.sorted { left, right in
            let sums = (left.reduce(0, +), right.reduce(0, +))
            return sums.0 != sums.1 ? sums.0 < sums.1 : left.lexicographicallyPrecedes(right)
        }
        for levels in order { decide(tables[levels] ?? [], levels) }
    }

    private func users(_ cell: Cube.Cell) -> Int { cube.users[cell] ?? 0 }

    private func isSmall(_ cell: Cube.Cell) -> Bool {
        users(cell) < usersMin || alsoSmall.contains(cell)
    }

    private mutating func decide(_ cells: [Cube.Cell], _ levels: [Int]) {
        boxesLeft = Self.boxesMax
        let small = cells.filter { isSmall($0) }.sorted {
            users($0) != users($1)
                ? users($0) < users($1) : $0.lexicographicallyPrecedes($1)
        }
        guard !small.isEmpty else { return }
        let untold = hidden.union(small)
        hidden.formUnion(small)
        let active = levels.indices.filter { levels[$0] > 0 }
        var boxes: [Cube.Cell: [Cube.Cell]] = [:]
        for cell in small {
            guard let box = cheapestBox(around: cell, levels, active) else {
                hidden.formUnion(cells)
                closedTables.insert(levels)
                return
            }
            boxes[cell] = box
            hidden.formUnion(box)
        }
        let company = Set(boxes.values.joined()).subtracting(untold).sorted {
            users($0) != users($1)
                ? users($0) > users($1) : $0.lexicographicallyPrecedes($1)
        }
        for cell in company { tellAgain(cell, &boxes, levels, active) }
    }

    /// Tells a cell after all, the one of most people first, where each that it was company to has
    /// another box in what is hidden by now.
    private mutating func tellAgain(
        _ cell: Cube.Cell,
        _ boxes: inout [Cube.Cell: [Cube.Cell]],
        _ levels: [Int],
        _ active: [Int]
    ) {
        hidden.remove(cell)
        var others: [Cube.Cell: [Cube.Cell]] = [:]
        let small = boxes.filter { $0.value.contains(cell) }.keys
        for one in small.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let box = cheapestBox(around: one, levels, active, amongHidden: true)
            guard let box else {
                hidden.insert(cell)
                return
            }
            others[one] = box
        }
        boxes.merge(others) { $1 }
    }

    /// The corners of a box that protects the cell, with the fewest cells that are told so far.
    /// - Parameter amongHidden: whether it may have none that is told.
    private mutating func cheapestBox(
        around cell: Cube.Cell,
        _ levels: [Int],
        _ active: [Int],
        amongHidden: Bool = false
    ) -> [Cube.Cell]? {
        let choices = active.map { axis in
            others(than: cell, along: axis, of: active.count, levels).filter { coordinate in
                guard amongHidden, let coordinate else { return true }
                var neighbour = cell
                neighbour[axis] = coordinate
                return hidden.contains(neighbour)
            }
        }
        var best: (box: [Cube.Cell], price: (Int, Int))?
        var at = Array(repeating: 0, count: active.count)
        while boxesLeft > 0 {
            boxesLeft -= 1
            let opposite = zip(choices, at).map { $0[$1] }
            if let box = corners(cell, opposite, active),
                sumsAreHidden(cell, opposite, active, levels)
            {
                let told = box.filter { !hidden.contains($0) }
                let price = (told.count, told.reduce(0) { $0 + users($1) })
                if !amongHidden || price.0 == 0, best.map({ price < $0.price }) ?? true {
                    best = (box, price)
                }
                if price.0 == 0 { break }
            }
            guard let next = at.indices.last(where: { at[$0] + 1 < choices[$0].count }) else {
                break
            }
            at[next] += 1
            for later in at.indices where later > next { at[later] = 0 }
        }
        return best?.box
    }

    /// Other coordinates along an axis at which the cell's neighbour is not small, and none at all
    /// (nil); those first whose sums are hidden anyway, then those of few users.
    private func others(
        than cell: Cube.Cell,
        along axis: Int,
        of axisCount: Int,
        _ levels: [Int]
    ) -> [Int?] {
        var found: [(Int, Int, Int, coordinate: Int)] = []
        let names = cube.axes[axis]
        for coordinate in names.names.indices
        where names.levels[coordinate] == levels[axis] && coordinate != cell[axis] {
            var neighbour = cell
            neighbour[axis] = coordinate
            let count = users(neighbour)
            guard !isSmall(neighbour) else { continue }
            var margin = Array(repeating: 0, count: cell.count)
            margin[axis] = coordinate
            let isTold = hidden.contains(neighbour) ? 0 : 1
            found.append((hidden.contains(margin) ? 0 : 1, isTold, count, coordinate))
        }
        found.sort { $0 < $1 }
        let most = axisCount == 1 ? 200 : axisCount == 2 ? 24 : axisCount == 3 ? 9 : 4
        return [nil] + found.prefix(most).map { $0.coordinate }
    }

    /// All corners of the box; nil where another one than the cell is small or is not there.
    private func corners(
        _ cell: Cube.Cell,
        _ opposite: [Int?],
        _ active: [Int]
    ) -> [Cube.Cell]? {
        var box = [cell]
        for (axis, other) in zip(active, opposite) {
            guard let other else { continue }
            for corner in box {
                var moved = corner
                moved[axis] = other
                guard !isSmall(moved) else { return nil }
                box.append(moved)
            }
        }
        return box
    }

    /// Whether all sums in coarser tables that change with the box are hidden.
    private func sumsAreHidden(
        _ cell: Cube.Cell,
        _ opposite: [Int?],
        _ active: [Int],
        _ levels: [Int]
    ) -> Bool {
        // For each axis the coordinates, at whatever level, at which something changes.
        var changed = [cell]
        for (axis, other) in zip(active, opposite) {
            var coordinates: [Int] = []
            for level in 0...levels[axis] {
                let own = cube.axes[axis].ancestor(of: cell[axis], at: level)
                let others = other.map { cube.axes[axis].ancestor(of: $0, at: level) }
                // Up here and down there within the same sum: it stays as it is.
                if own == others { continue }
                coordinates.append(own)
                if let others { coordinates.append(others) }
            }
            changed = changed.flatMap { known in
                coordinates.map { coordinate in
                    var sum = known
                    sum[axis] = coordinate
                    return sum
                }
            }
        }
        return changed.allSatisfy { cube.levels(of: $0) == levels || hidden.contains($0) }
    }
}
