/// How many distinct users there are in each cell of a table, and in each of its margins.
///
/// Each axis is a tree: its root is the margin (the dimension left out), its leaves are the finest
/// coordinates; areas have their countries between. A cell is one coordinate for each axis; the
/// cells whose coordinates have the same levels are one table. What a table shows beside another is
/// a matter of all tables at or above its levels, for each of them can be asked for alone.
struct Cube: Sendable {
    /// A coordinate for each axis, by its number there; 0 is the root.
    typealias Cell = [Int]

    /// The coordinates of one dimension.
    struct Axis: Sendable {
        private(set) var names = [""]
        private(set) var parents = [0]
        private(set) var levels = [0]
        private var numbers: [[String]: Int] = [[]: 0]

        /// The number of the coordinate at the end of a path from the root.
        mutating func number(of path: [String]) -> Int {
            if let known = numbers[path] { return known }
            let parent = number(of: Array(path.dropLast()))
            let number = names.count
            names.append(path.last ?? "")
            parents.append(parent)
            levels.append(path.count)
            numbers[path] = number
            return number
        }

        /// The number of the coordinate at the end of a path, where there is one.
        func known(_ path: [String]) -> Int? { numbers[path] }

        /// The coordinate above that is so many levels below the root.
        func ancestor(of number: Int, at level: Int) -> Int {
            var number = number
            while levels[number] > level { number = parents[number] }
            return number
        }
    }

    private(set) var axes: [Axis]
    private(set) var users: [Cell: Int] = [:]

    /// An empty table of so many axes.
    init(axisCount: Int) {
        axes = Array(repeating: Axis(), count: axisCount)
    }

    /// An empty table over these axes.
    init(axes: [Axis]) { self.axes = axes }

    /// Sets the users of a cell.
    mutating func set(_ cell: Cell, users count: Int) { users[cell] = count }

    /// Sets the users of the cell at the end of these paths.
    mutating func set(_ paths: [[String]], users count: Int) {
        let cell = paths.indices.map { axes[$0].number(of: paths[$0]) }
        users[cell] = count
    }

    /// How far each coordinate of a cell is from the root: the table that the cell is in.
    func levels(of cell: Cell) -> [Int] {
        cell.indices.map { axes[$0].levels[cell[$0]] }
    }
}
