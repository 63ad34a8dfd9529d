import WalletProtocol

/// The cells of a month's cube with their figures, as a release keeps them.
struct ToldCells: Sendable {
    struct Row: Sendable {
        let table: Int
        let place: Int
        /// By `CubeTables.dimensions`, an age as a band or several together; nil for a margin.
        let coordinates: [String?]
        let country: String?
        /// Nil where it is not told.
        let figures: CellFigures?
    }
    let rows: [Row]

    /// - Parameter users: the people of each cell in the release.
    init(_ cube: MonthCube, in release: Int64, users: Cube, telling: Telling) {
        var rows: [Row] = []
        let tables = Dictionary(grouping: users.users.keys, by: users.levels)
        for levels in CubeTables.all {
            guard let cells = tables[levels] else { continue }
            let told = cells.filter(telling.told.contains)
            // Of one dimension the names are kept in any case: whether a filter takes in all of it.
            guard
                !told.isEmpty || levels.count(where: { $0 > 0 }) <= 1
                    || !telling.closed.contains(levels)
            else { continue }
            let figures = cube.figures(of: levels, in: release, told: told)
            let order = cells.sorted { $0.lexicographicallyPrecedes($1) }
            for (place, cell) in order.enumerated() {
                rows.append(Self.row(cell, levels, place, cube.space, figures[cell]))
            }
        }
        self.rows = rows
    }

    private static func row(
        _ cell: Cube.Cell,
        _ levels: [Int],
        _ place: Int,
        _ space: CubeSpace,
        _ figures: CellFigures?
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
