/// What a person has booked of the same content in a month, as releases count it.
struct Booking: Sendable {
    let person: Int64
    /// Its cell in the finest table.
    let leaf: CubeKey
    /// Zero or more: in the month's currency, or of what has no rate, in its own.
    let value: Int128
    let times: Int64
    /// The release from which it counts.
    let from: Int64
    /// The one from which it no longer does.
    let until: Int64

    func counts(in release: Int64) -> Bool { from <= release && release < until }
}

/// People who had something in a cell and are erased: their number, and nothing else of them.
struct ErasedPeople: Sendable {
    let leaf: CubeKey
    let from: Int64
    let until: Int64
    /// No more than there were; zero where it is only known that there may have been some.
    let people: Int

    func differs(between earlier: Int64, and release: Int64) -> Bool {
        (from <= earlier && earlier < until) != (from <= release && release < until)
    }
}

/// A month's bookings one way, of which figures are told in many tables.
struct MonthCube: Sendable {
    let space: CubeSpace
    private let bookings: [Booking]
    private let erased: [ErasedPeople]

    init(space: CubeSpace, bookings: [Booking], erased: [ErasedPeople] = []) {
        self.space = space
        self.bookings = bookings.sorted { ($0.person, $0.leaf) < ($1.person, $1.leaf) }
        self.erased = erased
    }

    /// The people of each cell of each table in a release.
    func users(in release: Int64) -> Cube {
        // Each person once in each of the finest cells.
        var counted: [(person: Int64, leaf: CubeKey)] = []
        for booking in bookings where booking.counts(in: release) {
            if let last = counted.last, last == (booking.person, booking.leaf) { continue }
            counted.append((booking.person, booking.leaf))
        }
        var cube = Cube(axes: space.axes)
        for levels in CubeTables.all {
            var cells: [CubeKey: (users: Int, last: Int64)] = [:]
            for booking in counted {
                let key = space.ancestor(of: booking.leaf, at: levels)
                // People come one after another.
                let known = cells[key]
                guard known?.last != booking.person else { continue }
                cells[key] = ((known?.users ?? 0) + 1, booking.person)
            }
            for (key, found) in cells { cube.set(space.cell(key), users: found.users) }
        }
        return cube
    }

    /// How many people have anything that counts in one of two releases and not in the other.
    func people(between earlier: Int64, and release: Int64) -> Int {
        let changed = bookings.filter { $0.counts(in: earlier) != $0.counts(in: release) }
        let gone = erased.filter { $0.differs(between: earlier, and: release) }
        return Set(changed.map(\.person)).count + (gone.map(\.people).max() ?? 0)
    }

    /// The people of each cell whose bookings in it differ between two releases.
    ///
    /// Who has moved within a cell, or has booked again what was taken back, differs there in
    /// nothing. Of the erased there are no fewer than counted: those of the finest cell of most.
    func changes(between earlier: Int64, and release: Int64) -> Cube {
        struct Content: Hashable {
            let cell: CubeKey
            let person: Int64
            let value: Int128
        }
        let changed = bookings.filter { $0.counts(in: earlier) != $0.counts(in: release) }
        let gone = erased.filter { $0.differs(between: earlier, and: release) }
        var cube = Cube(axes: space.axes)
        guard !changed.isEmpty || !gone.isEmpty else { return cube }
        for levels in CubeTables.all {
            var times: [Content: Int64] = [:]
            for booking in changed {
                let content = Content(
                    cell: space.ancestor(of: booking.leaf, at: levels),
                    person: booking.person,
                    value: booking.value
                )
                times[content, default: 0] +=
                    booking.counts(in: release) ? booking.times : -booking.times
            }
            var people: [CubeKey: Set<Int64>] = [:]
            for (content, difference) in times where difference != 0 {
                people[content.cell, default: []].insert(content.person)
            }
            var goneFrom: [CubeKey: Int] = [:]
            for one in gone {
                let key = space.ancestor(of: one.leaf, at: levels)
                goneFrom[key] = max(goneFrom[key] ?? 0, one.people)
            }
            for key in Set(people.keys).union(goneFrom.keys) {
                let count = (people[key]?.count ?? 0) + (goneFrom[key] ?? 0)
                cube.set(space.cell(key), users: max(count, 1))
            }
        }
        return cube
    }

    /// The figures of the cells of a table that may be told.
    func figures(
        of levels: [Int],
        in release: Int64,
        told: [Cube.Cell]
    ) -> [Cube.Cell: CellFigures] {
        struct Content {
            var users: Int64 = 0
            var last: Int64?
            var values: [Amounts.Step] = []
        }
        var contents: [CubeKey: Content] = [:]
        for cell in told { contents[space.key(of: cell)] = Content() }
        guard !contents.isEmpty else { return [:] }
        for booking in bookings where booking.counts(in: release) {
            let key = space.ancestor(of: booking.leaf, at: levels)
            guard let index = contents.index(forKey: key) else { continue }
            // People come one after another.
            if contents.values[index].last != booking.person {
                contents.values[index].users += 1
                contents.values[index].last = booking.person
            }
            contents.values[index].values.append(
                Amounts.Step(value: booking.value, times: booking.times)
            )
        }
        var figures: [Cube.Cell: CellFigures] = [:]
        for (key, content) in contents {
            figures[space.cell(key)] = CellFigures(users: content.users, values: content.values)
        }
        return figures
    }
}

/// The figures of one cell.
struct CellFigures: Sendable {
    let bookings: Int64
    let users: Int64
    let total: Int128
    /// The two amounts in the middle, the same one twice for an odd count.
    let middle: (low: Int128, high: Int128)
    /// What nine in ten are at most.
    let ninth: Int128

    /// Of all its bookings.
    init(users: Int64, values: [Amounts.Step]) {
        let all = Amounts(values)
        self.init(
            bookings: all.count,
            users: users,
            total: all.total,
            middle: all.middle,
            ninth: all.ninth
        )
    }

    init(
        bookings: Int64,
        users: Int64,
        total: Int128,
        middle: (low: Int128, high: Int128),
        ninth: Int128
    ) {
        (self.bookings, self.users, self.total) = (bookings, users, total)
        (self.middle, self.ninth) = (middle, ninth)
    }
}
