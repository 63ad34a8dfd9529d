/// Taking a month's cube up: what is told of it then, what that costs, and whether it is worth it.
///
/// Otherwise the month stays as it was told, and with it nothing is lost: whoever books late, or
/// moves, blanks nothing. And however often the same people change something, they blank no greater
/// share in all than they are of everybody.
struct TakeUp: Sendable {
    /// What a release took up before.
    struct Earlier: Sendable, Equatable {
        let release: Int64
        /// The share of what was told until then that it told no longer, in millionths.
        let lost: Int
    }

    /// What a cube is before it is taken up again.
    struct Known: Sendable {
        let telling: Telling
        /// With which releases it was taken up so far.
        let earlier: [Earlier]
        /// How many people differ from the last of them.
        let people: Int
        let usersMin: Int
    }

    let users: Cube
    let telling: Telling
    let merged: MergedTables
    /// In millionths of what was told before.
    let lost: Int
    let isWorth: Bool

    /// - Parameters:
    ///   - cube: its bookings.
    ///   - known: nil for the first time.
    init(_ cube: MonthCube, in number: Int64, after known: Known?, usersMin: Int) {
        let users = cube.users(in: number)
        var told = Telling(first: users, usersMin: usersMin)
        var (lost, isWorth) = (0, true)
        if let known {
            told = Telling(
                users: users,
                changes: known.earlier.lazy.map { cube.changes(between: $0.release, and: number) },
                before: known.telling,
                usersMin: usersMin
            )
            lost = told.lost(after: known.telling, of: users)
            let since = known.earlier.first.map { cube.people(between: $0.release, and: number) }
            let all = known.earlier.reduce(lost) { $0 + $1.lost }
            // Where nothing is lost by it nothing is to be weighed: what was lost before stays so.
            isWorth =
                lost == 0
                || Telling.isWorth(losing: lost, changing: known.people, of: users)
                    && Telling.isWorth(losing: all, changing: since ?? known.people, of: users)
            if known.usersMin < usersMin { told = told.narrowed(to: users, usersMin: usersMin) }
        }
        (self.users, telling, self.lost, self.isWorth) = (users, told, lost, isWorth)
        merged = MergedTables(users, told)
    }
}
