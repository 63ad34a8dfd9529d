import WalletProtocol

/// The tables of a month's cube: a level of each dimension but the month.
enum CubeTables {
    static let dimensions = SpendingDimension.allCases.filter { $0 != .month }
    /// How fine each dimension gets: areas have their countries between, ages bands put together.
    static let depths = dimensions.map { $0 == .area || $0 == .ageBand ? 2 : 1 }
    /// Where areas and ages are among the dimensions.
    static let area = dimensions.firstIndex(of: .area) ?? 0
    static let age = dimensions.firstIndex(of: .ageBand) ?? 0

    /// The way to a coordinate from the root.
    static func path(to name: String, on axis: Int) -> [String] {
        switch dimensions[axis] {
        case .area: [country(of: name), name]
        case .ageBand: [ages(with: name), name]
        default: [name]
        }
    }

    /// The country that an area is in, or is.
    static func country(of area: String) -> String { String(area.prefix { $0 != "-" }) }

    /// Bands that are told together where each by itself is too few.
    static let ages: [(name: String, bands: [AgeBand])] = [
        ("0-17", [.under18]), ("18-34", [.from18, .from25]), ("35-54", [.from35, .from45]),
        ("55+", [.from55, .from65]), ("unknown", [.unknown]),
    ]

    static func ages(with band: String) -> String {
        ages.first { $0.bands.contains { $0.rawValue == band } }?.name ?? band
    }

    /// Every table, by its levels.
    static let all: [[Int]] = depths.reduce([[]]) { tables, depth in
        tables.flatMap { table in (0...depth).map { table + [$0] } }
    }

    /// The number of a table, by which its cells are kept.
    static func code(_ levels: [Int]) -> Int { levels.reduce(0) { $0 * 3 + $1 } }

    /// The table of a number.
    static func levels(_ code: Int) -> [Int] {
        var (rest, levels) = (code, [Int]())
        for _ in dimensions {
            levels.insert(rest % 3, at: 0)
            rest /= 3
        }
        return levels
    }
}

/// A cell of a cube in one number, for tables of hundreds of thousands.
typealias CubeKey = UInt64

/// The coordinates of one month's cube, whichever order they came in.
struct CubeSpace: Sendable {
    private static let shifts: [UInt64] = [56, 32, 24, 16, 0]
    private static let masks: [UInt64] = [0xFF, 0xFF_FFFF, 0xFF, 0xFF, 0xFFFF]
    private(set) var axes: [Cube.Axis]
    private var leaves: [[String: Int]]
    /// The coordinate above each, by axis and level.
    private var ancestors: [[[UInt64]]]

    /// - Parameter cells: a coordinate of each dimension of every cell that there is.
    init(_ cells: [[String]]) {
        axes = Array(repeating: Cube.Axis(), count: CubeTables.dimensions.count)
        leaves = Array(repeating: [:], count: axes.count)
        for axis in axes.indices {
            // By their names, so that what is hidden of equals depends on nothing else.
            for name in Set(cells.map { $0[axis] }).sorted() {
                leaves[axis][name] = axes[axis].number(of: CubeTables.path(to: name, on: axis))
            }
        }
        ancestors = zip(axes, CubeTables.depths).map { axis, depth in
            (0...depth).map { level in
                axis.names.indices.map { UInt64(axis.ancestor(of: $0, at: level)) }
            }
        }
    }

    /// The finest cell of these coordinates; nil where one is unknown here.
    func key(of coordinates: [String]) -> CubeKey? {
        var key: CubeKey = 0
        for (axis, name) in coordinates.enumerated() {
            guard let number = leaves[axis][name] else { return nil }
            key |= UInt64(number) << Self.shifts[axis]
        }
        return key
    }

    /// The cell of a table that a finest cell is part of.
    func ancestor(of leaf: CubeKey, at levels: [Int]) -> CubeKey {
        var key: CubeKey = 0
        for axis in levels.indices {
            let number = Int(leaf >> Self.shifts[axis] & Self.masks[axis])
            key |= ancestors[axis][levels[axis]][number] << Self.shifts[axis]
        }
        return key
    }

    /// The cell of a key.
    func cell(_ key: CubeKey) -> Cube.Cell {
        axes.indices.map { Int(key >> Self.shifts[$0] & Self.masks[$0]) }
    }

    /// The key of a cell.
    func key(of cell: Cube.Cell) -> CubeKey {
        zip(cell, Self.shifts).reduce(0) { $0 | UInt64($1.0) << $1.1 }
    }

    /// The cell at the end of these paths; nil where one of them is not there any more.
    func cell(at paths: [[String]]) -> Cube.Cell? {
        var cell: Cube.Cell = []
        for (axis, path) in zip(axes, paths) {
            guard let number = axis.known(path) else { return nil }
            cell.append(number)
        }
        return cell
    }

    /// The way to a cell's coordinate on an axis from the root.
    func path(_ cell: Cube.Cell, _ axis: Int) -> [String] {
        (0...axes[axis].levels[cell[axis]]).dropFirst().map { level in
            axes[axis].names[axes[axis].ancestor(of: cell[axis], at: level)]
        }
    }
}
