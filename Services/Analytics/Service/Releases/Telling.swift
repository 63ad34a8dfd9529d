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
    init(users: Cube, changes: [Cube], before: Telling, usersMin: Int) {
        let last = changes.last ?? Cube(axes: users.axes)
        let enough = before.told.filter { (users.users[$0] ?? 0) >= usersMin }
        let small = last.users.keys.filter { cell in
            (users.users[cell] ?? 0) < usersMin
                || changes.contains { (1..<usersMin).contains($0.users[cell] ?? 0) }
        }
        let untold = last.users.keys.filter { !before.told.contains($0) }
        let suppression = Suppression(
            last,
            usersMin: usersMin,
            alsoSmall: Set(small),
            hidden: Set(untold)
        )
        // Of a table of which something has been told, it is known what has not changed: hiding
        // what has does not keep it, unless nothing that has changed is told anywhere.
        let tablesToldOf = Set(before.told.map(users.levels))
        if suppression.closedTables.isDisjoint(with: tablesToldOf) {
            told = enough.subtracting(suppression.hidden)
            closed = before.closed.union(suppression.closedTables)
        } else {
            told = enough.filter { last.users[$0] == nil }
            closed = before.closed
        }
    }
}
