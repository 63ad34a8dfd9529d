import WalletProtocol

/// The cells of a month's cube that are told, with their figures: a release keeps no others, so
/// that no answer can depend on one.
struct ToldCells: Sendable {
    struct Row: Sendable {
        let table: Int
        let place: Int
        /// By `CubeTables.dimensions`, an age as a band or several together; nil for a margin.
        let coordinates: [String?]
        let country: String?
        let figures: CellFigures
    }
    let rows: [Row]

    /// - Parameter users: the people of each cell in the release.
    init(_ cube: MonthCube, in release: Int64, users: Cube, telling: Telling) {
        var rows: [Row] = []
        let told = users.users.keys.filter(telling.told.contains)
        let tables = Dictionary(grouping: told, by: users.levels)
        for (levels, cells) in tables {
            let figures = cube.figures(of: levels, in: release, told: cells)
            let order = figures.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (place, cell) in order.enumerated() {
                rows.append(Self.row(cell.key, levels, place, cube.space, cell.value))
            }
        }
        self.rows = rows
    }

    private static func row(
        _ cell: Cube.Cell,
        _ levels: [Int],
        _ place: Int,
        _ space: CubeSpace,
        _ figures: CellFigures
    ) -> Row {
        let paths = cell.indices.map { space.path(cell, $0) }
        return Row(
            table: CubeTables.code(levels),
            place: place,
            coordinates: paths.indices.map { axis in
                // Of an area that is a country's sum, the country alone.
                axis == CubeTables.area && paths[axis].count == 1 ? nil : paths[axis].last
            },
            country: paths[CubeTables.area].first,
            figures: figures
        )
    }
}
