/// What a release tells of a month's cube: decided once, with the release.
///
/// A month's first release tells what `Suppression` leaves of it. A later one tells of a cell what
/// an earlier one told of it and what has become of it since, which is the difference between the
/// two; so what is told at any time is the first release, and of each later one the differences.
/// These are tables, too, of the people whose bookings differ, and `Suppression` decides of them
/// in the same way: a difference is small where it is of too few people, against whichever earlier
/// release, or leaves too few; who is told anything has the figures before and after, and nothing
/// between that would tell of less than so many.
///
/// What can be known beside is where nothing has changed. Of a table of which nothing is told it is
/// taken for unknown, as it is which cells there are.
///
/// What a release did not tell, no later one does. Else one could subtract: where a cell of one
/// person was hidden together with a neighbour, their sum told, telling either when the other has
/// grown tells the sum's rest, and what has not changed since gives the one person away.
struct Telling: Sendable, Equatable {
    let told: Set<Cube.Cell>
    /// The tables of which nothing is told, by their levels.
    let closed: Set<[Int]>

    init(told: Set<Cube.Cell>, closed: Set<[Int]>) {
        self.told = told
        self.closed = closed
    }

    /// Decides of a month's first release.
    init(first users: Cube, usersMin: Int) {
        let suppression = Suppression(users, usersMin: usersMin)
        told = Set(users.users.keys).subtracting(suppression.hidden)
        closed = suppression.closedTables
    }

    /// Decides of a later one.
    /// - Parameters:
    ///   - users: the people of each cell now.
    ///   - changes: those who differ from each earlier release of the month, the last at the end.
    ///   - before: what the last one told.
    init(users: Cube, changes: some Sequence<Cube>, before: Telling, usersMin: Int) {
        var last = Cube(axes: users.axes)
        var few: Set<Cube.Cell> = []
        for change in changes {
            few.formUnion(change.users.lazy.filter { $0.value < usersMin }.map(\.key))
            last = change
        }
        few.formUnion(last.users.keys.filter { (users.users[$0] ?? 0) < usersMin })
        let suppression = Suppression(
            last,
            usersMin: usersMin,
            alsoSmall: few,
            hidden: Set(last.users.keys.filter { !before.told.contains($0) })
        )
        // Of a table of which something has been told, it is known what has not changed: so all of
        // it goes, and what is finer, whose sums it is.
        let tablesToldOf = Set(before.told.map(users.levels))
        let lost = suppression.closedTables.intersection(tablesToldOf)
        let gone = tablesToldOf.filter { table in
            lost.contains { zip($0, table).allSatisfy { $0 <= $1 } }
        }
        told = before.told.filter { cell in
            (users.users[cell] ?? 0) >= usersMin && !suppression.hidden.contains(cell)
                && !gone.contains(users.levels(of: cell))
        }
        closed = before.closed.union(suppression.closedTables).union(gone)
    }

    /// What is left of it where people have gone since, or more are needed.
    ///
    /// It is what would be told of it now, in company, too: figures hidden for themselves alone
    /// would follow from the others.
    func narrowed(to users: Cube, usersMin: Int) -> Telling {
        let suppression = Suppression(
            users,
            usersMin: usersMin,
            hidden: Set(users.users.keys.filter { !told.contains($0) })
        )
        return Telling(
            told: told.filter {
                (users.users[$0] ?? 0) >= usersMin && !suppression.hidden.contains($0)
            },
            closed: closed.union(suppression.closedTables)
        )
    }

    /// The share of what was told before, weighed by people, that is told no longer: in millionths.
    func lost(after before: Telling, of users: Cube) -> Int {
        func weight(_ cells: Set<Cube.Cell>) -> Int {
            cells.reduce(0) { $0 + max(users.users[$1] ?? 0, 1) }
        }
        let all = weight(before.told)
        return all > 0 ? weight(before.told.subtracting(told)) * 1_000_000 / all : 0
    }

    /// Whether what some people have changed is worth a share of what was told: no greater one than
    /// they are of everybody.
    static func isWorth(losing lost: Int, changing people: Int, of users: Cube) -> Bool {
        let everybody = max(users.users[users.axes.map { _ in 0 }] ?? 0, people)
        return lost * everybody <= people * 1_000_000
    }
}
