import WalletProtocol

/// What is counted of a month.
enum UsageKind: String {
    /// Those that registered in it.
    case cohort
    /// The same by how far they had come by the end of the month after it.
    case funnel
    /// Those that were there in it, by the month that they registered in.
    case activity
    /// Those that took files in, by format, be it `several`.
    case imports
    /// Those that took files out, by format, be it `several`.
    case exports
}

/// What is known of the people of a cell.
struct UsageFigures: Sendable, Hashable {
    var users: Int64 = 0
    var days: Int64 = 0
    var weekDays: Int64 = 0
    var times: Int64 = 0

    static func + (left: UsageFigures, right: UsageFigures) -> UsageFigures {
        UsageFigures(
            users: left.users + right.users,
            days: left.days + right.days,
            weekDays: left.weekDays + right.weekDays,
            times: left.times + right.times
        )
    }
}

/// People of one region, age and language; nobody is in two of these.
struct UsageRow: Sendable, Hashable {
    /// The cohort, step or format, from the root.
    let path: [String]
    let area: String
    let ageBand: String
    let language: String
    let figures: UsageFigures

    /// The same people on other paths.
    func on(_ path: [String]) -> UsageRow {
        UsageRow(path: path, area: area, ageBand: ageBand, language: language, figures: figures)
    }

    /// The paths of the cells that it is part of, along region, age and language.
    fileprivate var margins: [[[String]]] {
        let areas = [[], [CubeTables.country(of: area)], [CubeTables.country(of: area), area]]
        return areas.flatMap { area in
            [[], [ageBand]].flatMap { age in
                [[], [language]].map { [path, area, age, $0] }
            }
        }
    }
}

/// The cells of one kind of a month, and which of them may be told: decided once, for good.
///
/// The axes are the kind's own, region, age and language. Each person is in one of the finest
/// cells: of formats with people in common the figures would tell who is in one and not in another,
/// by sums that `Suppression` knows nothing of.
///
/// Kinds are judged apart, though they are of the same people: how many of a place are in a cell of
/// one and in a cell of another, too, has two bounds by what is told, which are one number only
/// where one of the cells is everybody there. So it says no more than the other cell does.
struct UsageCells: Sendable {
    /// A cell by its paths along the axes.
    typealias Place = [[String]]
    let kind: UsageKind
    private(set) var figures: [Place: UsageFigures] = [:]
    private(set) var told: Set<Place> = []
    /// The tables of which nothing is told, by their levels.
    private(set) var closed: Set<[Int]> = []

    /// - Parameter whole: of whom the people of each cell are part, where that is told too: a cell
    ///   that leaves too few of them, and not none, is as one of too few.
    init(
        _ kind: UsageKind,
        _ rows: [UsageRow],
        partOf whole: [Place: UsageFigures] = [:],
        usersMin: Int
    ) {
        self.kind = kind
        figures = Self.sums(of: rows)
        let leaving = leaving(fewerThan: Int64(usersMin), of: whole)
        var cube = Cube(axisCount: 4)
        // In one order, so that what is hidden of equals depends on nothing else.
        let order = figures.keys.sorted(by: Self.precedes)
        for place in order { cube.set(place, users: Int(figures[place]?.users ?? 0)) }
        let cells = Dictionary(
            order.map { place in
                (place, zip(cube.axes, place).map { axis, path in axis.known(path) ?? 0 })
            },
            uniquingKeysWith: { first, _ in first }
        )
        let suppression = Suppression(
            cube,
            usersMin: usersMin,
            alsoSmall: Set(leaving.compactMap { cells[$0] })
        )
        told = Set(cells.filter { !suppression.hidden.contains($0.value) }.keys)
        closed = suppression.closedTables
    }

    /// The cells that leave too few people, and not none, of a whole that is told, and all that
    /// they are the sums of: of a small cell every part is small, too, on which `Suppression`
    /// counts.
    private func leaving(fewerThan usersMin: Int64, of whole: [Place: UsageFigures]) -> Set<Place> {
        guard !whole.isEmpty else { return [] }
        let few = Set(
            figures.filter { place, own in
                // Of a format the whole are those who were there, whatever they took.
                let all = (whole[place] ?? whole[[[]] + place.dropFirst()])?.users
                return all.map { (1..<usersMin).contains($0 - own.users) } ?? false
            }.keys
        )
        guard !few.isEmpty else { return [] }
        return Set(figures.keys.filter { Self.margins(of: $0).contains(where: few.contains) })
    }

    /// The cell and those that it is part of.
    private static func margins(of place: Place) -> [Place] {
        place.reduce([[]]) { known, path in
            (0...path.count).flatMap { count in known.map { $0 + [Array(path.prefix(count))] } }
        }
    }

    /// The figures of each cell that rows are part of.
    static func sums(of rows: [UsageRow]) -> [Place: UsageFigures] {
        var sums: [Place: UsageFigures] = [:]
        for row in rows {
            for count in 0...row.path.count {
                for place in row.on(Array(row.path.prefix(count))).margins {
                    sums[place, default: UsageFigures()] =
                        sums[place, default: UsageFigures()] + row.figures
                }
            }
        }
        return sums
    }

    /// By the tables, the coarse first, and by name.
    private static func precedes(_ left: Place, _ right: Place) -> Bool {
        let counts = (left.map(\.count).reduce(0, +), right.map(\.count).reduce(0, +))
        if counts.0 != counts.1 { return counts.0 < counts.1 }
        for (one, other) in zip(left, right) where one != other {
            return one.lexicographicallyPrecedes(other)
        }
        return false
    }

    /// The number of a table, by which its cells are kept.
    static func code(_ levels: [Int]) -> Int { levels.reduce(0) { $0 * 4 + $1 } }

    /// As the table keeps them: those of closed tables are left out.
    var rows: [(place: Place, figures: UsageFigures?)] {
        figures.keys.filter { !closed.contains($0.map(\.count)) }.sorted(by: Self.precedes).map {
            ($0, told.contains($0) ? figures[$0] : nil)
        }
    }
}
