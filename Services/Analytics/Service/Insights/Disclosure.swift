import WalletProtocol

/// Which figures of an answer may be told: those that are sums of cells that may be told.
///
/// Each calendar month is decided by itself, and a figure of several months is told where each of
/// them may be. Were a period decided as a whole, two that overlap could be subtracted: what is of
/// one month alone, or of one day, would follow though it is hidden. Hence days stand for their
/// months, and no answer for longer tells more than the answers for its months together.
struct Disclosure: Sendable {
    /// What is decided of one month.
    private struct Decision {
        /// Nothing of the answer's table is told, not even which cells nobody is in.
        let isClosed: Bool
        /// The answer's cells in which there is a cell that is not told.
        let closed: Set<[String?]>
    }

    private static let monthIndex = SpendingDimension.allCases.firstIndex(of: .month) ?? 0
    private let scope: InsightScope
    /// By the month's text; nobody is in the others.
    private var months: [String: Decision] = [:]

    /// Decides by the users of every cell and margin of each month, before filters.
    init(_ scope: InsightScope, users rows: [CubeRow], usersMin: Int) {
        self.scope = scope
        // By their names, so that what is hidden of equals depends on nothing else.
        let sorted = rows.sorted { left, right in
            let (mine, others) = (left.coordinates + [left.area], right.coordinates + [right.area])
            return mine.lexicographicallyPrecedes(others) { ($0 ?? "") < ($1 ?? "") }
        }
        for (month, rows) in Dictionary(grouping: sorted, by: { $0.coordinates[Self.monthIndex] }) {
            guard let month else { continue }
            months[month] = Self.decide(scope, rows, usersMin)
        }
    }

    /// Whether the figure of a cell may be told, by the answer's keys; nil for what it is not
    /// grouped by.
    func tells(_ key: [String?]) -> Bool {
        guard let month = key[Self.monthIndex] else {
            return months.values.allSatisfy { !$0.isClosed && !$0.closed.contains(key) }
        }
        guard let decision = months[month] else { return false }
        var key = key
        key[Self.monthIndex] = nil
        return !decision.isClosed && !decision.closed.contains(key)
    }

    /// Decides for one month.
    ///
    /// A filter's cells are sums of cells of the table that has the filter's dimension too; one
    /// with a hidden cell in it is not told, or overlapping filters would give hidden cells away. A
    /// filter that takes in everything is none.
    private static func decide(
        _ scope: InsightScope,
        _ rows: [CubeRow],
        _ usersMin: Int
    ) -> Decision {
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
        return Decision(isClosed: suppression.closedTables.contains(levels), closed: closed)
    }

    private static func path(_ row: CubeRow, _ dimension: SpendingDimension) -> [String] {
        let index = SpendingDimension.allCases.firstIndex(of: dimension)
        guard let coordinate = index.flatMap({ row.coordinates[$0] }) else { return [] }
        if dimension == .area, let area = row.area { return [coordinate, area] }
        return [coordinate]
    }
}
