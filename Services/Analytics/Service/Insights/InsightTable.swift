import WalletProtocol

/// Puts an answer's cells together: figures where they may be told, and keys alone where not.
struct InsightTable: Sendable {
    let scope: InsightScope
    let usersMin: Int

    /// A table of which nothing is told lists every combination of its keys, so that not even is
    /// told which of them there are; but no more of them than this.
    static let combinationsMax = 5_000

    /// The cells, by their keys.
    /// - Parameters:
    ///   - users: the users of every cell and margin, before filters.
    ///   - figures: the figures of the answer's cells, after filters.
    func cells(users: [CubeRow], figures: [FigureRow]) -> [SpendingCell] {
        let closed = closedCells(users)
        let isOpen = figures.map { row in
            row.users >= Int64(usersMin) && !closed.contains(row.coordinates)
        }
        if scope.groupBy.count > 1, !isOpen.contains(true) {
            return combinations(figures).map { cell($0, nil) }
        }
        return zip(figures, isOpen).map { row, isOpen in cell(row.coordinates, isOpen ? row : nil) }
    }

    /// The answer's cells in which there is a cell that is not told.
    ///
    /// A filter's cells are sums of cells of the table that has the filter's dimension too; one
    /// with a hidden cell in it is not told, or overlapping filters would give hidden cells away. A
    /// filter that takes in everything is none.
    private func closedCells(_ rows: [CubeRow]) -> Set<[String?]> {
        let axes = scope.axes
        var cube = Cube(axisCount: axes.count)
        for row in rows { cube.set(axes.map { path(row, $0) }, users: Int(row.users)) }
        let suppression = Suppression(cube, usersMin: usersMin)

        var levels: [Int] = []
        var isAccepted: [[Bool]] = []
        for (axis, dimension) in zip(cube.axes, axes) {
            let depth = axis.levels.max() ?? 0
            let leaves = axis.names.indices.filter { axis.levels[$0] == depth }
            let accepted = axis.names.map { scope.accepts($0, of: dimension) }
            let isWhole = !scope.groupBy.contains(dimension) && leaves.allSatisfy { accepted[$0] }
            levels.append(isWhole ? 0 : depth)
            isAccepted.append(isWhole ? axis.names.map { _ in true } : accepted)
        }
        var closed: Set<[String?]> = []
        for cell in suppression.hidden where cube.levels(of: cell) == levels {
            guard cell.indices.allSatisfy({ isAccepted[$0][cell[$0]] }) else { continue }
            closed.insert(
                SpendingDimension.allCases.map { dimension in
                    guard scope.groupBy.contains(dimension),
                        let axis = axes.firstIndex(of: dimension)
                    else { return nil }
                    return cube.axes[axis].names[cell[axis]]
                }
            )
        }
        return closed
    }

    private func path(_ row: CubeRow, _ dimension: SpendingDimension) -> [String] {
        let index = SpendingDimension.allCases.firstIndex(of: dimension)
        guard let coordinate = index.flatMap({ row.coordinates[$0] }) else { return [] }
        if dimension == .area, let area = row.area { return [coordinate, area] }
        return [coordinate]
    }

    private func combinations(_ figures: [FigureRow]) -> [[String?]] {
        var all: [[String?]] = [[]]
        for index in SpendingDimension.allCases.indices {
            let seen = Set(figures.compactMap { $0.coordinates[index] }).sorted()
            let choices: [String?] = seen.isEmpty ? [nil] : seen
            guard all.count * choices.count <= Self.combinationsMax else { return [] }
            all = all.flatMap { known in choices.map { known + [$0] } }
        }
        return figures.isEmpty ? [] : all
    }

    private func cell(_ keys: [String?], _ row: FigureRow?) -> SpendingCell {
        let currency = scope.currency
        return SpendingCell(
            category: keys[0].flatMap { CategoryKey(word: $0) },
            area: keys[1],
            ageBand: keys[2].flatMap { AgeBand(rawValue: $0) },
            month: keys[3].flatMap { Month($0) },
            accountKind: keys[4].flatMap { AccountKind(rawValue: $0) },
            currency: keys[5].flatMap { Currency($0) },
            isSuppressed: row == nil,
            total: row.map { Money(minorUnits: $0.total, currency) },
            count: row.map { Int($0.count) },
            users: row.map { Int($0.users) },
            mean: row.map {
                Money(minorUnits: halfEven(Int128($0.total), over: Int128($0.count)), currency)
            },
            median: row?.middle.map {
                Money(minorUnits: halfEven(Int128($0.low) + Int128($0.high), over: 2), currency)
            }
        )
    }
}

/// A quotient of numbers that are not negative; halves go to the even neighbour.
func halfEven(_ value: Int128, over divisor: Int128) -> Int64 {
    precondition(value >= 0 && divisor > 0, "a mean of nothing, or of less")
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    let goesUp = rest * 2 > divisor || (rest * 2 == divisor && quotient % 2 == 1)
    return Int64(quotient + (goesUp ? 1 : 0))
}
