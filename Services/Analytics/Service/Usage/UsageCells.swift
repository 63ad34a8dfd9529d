import WalletProtocol

/// What is counted of a month.
enum UsageKind: String, CaseIterable {
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

/// A cell as a release has kept it, told or not.
struct KeptUsageRow: Sendable {
    let place: UsageCells.Place
    /// Its place in its table.
    let number: Int64
    let users: Int64
    let isTold: Bool
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

    /// Decides of a month.
    /// - Parameters:
    ///   - whole: of whom the people of each cell are part, where that is told too: a cell that
    ///     leaves too few of them, and not none, is as one of too few.
    ///   - cohort: what is told of those that registered, where it was decided before.
    init(
        _ kind: UsageKind,
        _ rows: [UsageRow],
        partOf whole: [Place: UsageFigures] = [:],
        under cohort: Set<Place>? = nil,
        usersMin: Int
    ) {
        self.kind = kind
        figures = Self.sums(of: rows)
        let untold = cohort.map { cohort in
            Set(figures.keys.filter { $0[0].isEmpty && !cohort.contains($0) })
        }
        decide(partOf: whole, untold: untold ?? [], usersMin: usersMin)
    }

    /// What a release has kept of a month.
    init(_ kind: UsageKind, kept rows: [KeptUsageRow]) {
        self.kind = kind
        for row in rows { figures[row.place] = UsageFigures(users: row.users) }
        told = Set(rows.filter(\.isTold).map(\.place))
    }

    /// What is left of what was kept where more people are needed, in company, too: figures hidden
    /// for themselves alone would follow from the others.
    func narrowed(partOf whole: [Place: UsageFigures] = [:], usersMin: Int) -> UsageCells {
        var left = self
        let untold = figures.keys.filter { !told.contains($0) }
        left.decide(partOf: whole, untold: untold + closedPlaces, usersMin: usersMin)
        return left
    }

    /// The cells of tables that are not kept, as far as there is anything below them.
    private var closedPlaces: Set<Place> {
        let kept = Set(figures.keys.map { $0.map(\.count) })
        return Set(figures.keys.flatMap(Self.margins)).filter { !kept.contains($0.map(\.count)) }
    }

    private mutating func decide(
        partOf whole: [Place: UsageFigures],
        untold: some Sequence<Place>,
        usersMin: Int
    ) {
        let few = few(below: Int64(usersMin), of: whole)
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
            alsoSmall: Set(few.compactMap { cells[$0] }),
            hidden: Set(
                untold.compactMap { place in
                    let numbers = zip(cube.axes, place).compactMap { $0.known($1) }
                    return numbers.count == place.count ? numbers : nil
                }
            )
        )
        told = Set(cells.filter { !suppression.hidden.contains($0.value) }.keys)
        closed = suppression.closedTables
    }

    /// The cells that leave too few people, and not none, of a whole that is told, and those of
    /// unknown people; and all that they are the sums of: of a small cell every part is small, too,
    /// on which `Suppression` counts.
    private func few(below usersMin: Int64, of whole: [Place: UsageFigures]) -> Set<Place> {
        let few = Set(
            figures.filter { place, own in
                // Hidden by a release that did not keep of how many (0037).
                guard own.users > 0 else { return true }
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

    /// As the table keeps them, in its order: those of closed tables are left out, and of what is
    /// not told there is of how many people it is, by which it is decided anew.
    var rows: [(place: Place, figures: UsageFigures, isTold: Bool)] {
        figures.filter { !closed.contains($0.key.map(\.count)) }
            .sorted { Self.precedes($0.key, $1.key) }
            .map { place, own in
                let isTold = told.contains(place)
                return (place, isTold ? own : UsageFigures(users: own.users), isTold)
            }
    }
}
