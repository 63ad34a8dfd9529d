import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Releases one of a month's cubes.
struct CubeRelease {
    let month: Month
    let way: CubeWay
    let release: Release
    /// The month's currency, in which its figures are kept.
    let base: Currency
    let now: Instant
    let blocking: BlockingPool
    let transaction: Transaction

    /// Tells what its bookings are now.
    /// - Parameter people: how many of them differ from what was told.
    /// - Throws: `TooDear` where that costs more than it is worth.
    func takeUp(people: Int) async throws {
        let earlier = try await transaction.query(
            ReleaseStatements.changes,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        )
        let header = try await header()
        // What was told of it, in another currency, is not known any more: nothing is told again.
        guard header != nil || earlier.isEmpty else { throw TooDear(way: way) }
        let (space, cube) = try await cube()
        guard let cube else { throw TooDear(way: way) }
        let rows = try await toldRows()
        let known = header.map { header in
            TakeUp.Known(
                telling: told(rows, header, space),
                earlier: earlier,
                people: people,
                usersMin: header.usersMin
            )
        }
        let (number, usersMin) = (release.number, release.usersMin)
        let made = try await blocking.run {
            TakeUp(cube, in: number, after: known, usersMin: usersMin)
        }
        guard made.isWorth else { throw TooDear(way: way) }
        try await transaction.execute(
            ReleaseStatements.noteChange,
            month.firstDay,
            way.isIncoming,
            way.isConverted,
            number,
            made.lost
        )
        try await write(
            CubeHeader(
                month: month.firstDay,
                asOf: now,
                usersMin: usersMin,
                closed: made.telling.closed,
                merged: made.merged,
                release: number,
                erased: try await erasedEntries(),
                base: base
            )
        )
        try await transaction.execute(
            CellStatements.deleteCells,
            way.isIncoming,
            way.isConverted,
            CubeTables.all.map(CubeTables.code),
            month.firstDay
        )
        let cells = try await blocking.run {
            ToldCells(cube, in: number, users: made.users, telling: made.telling)
        }
        var rest = cells.rows[...]
        while !rest.isEmpty {
            try await insert(Array(rest.prefix(2_000)))
            rest = rest.dropFirst(2_000)
        }
    }

    /// Leaves it as it was told, but for what may not be told any more: cells whose people are too
    /// few now that some are erased, or more are needed.
    func keep() async throws {
        guard let header = try await header() else { return }
        let entries = try await erasedEntries()
        guard header.erased != entries || header.usersMin < release.usersMin else { return }
        let (space, cube) = try await cube()
        guard let cube else { return }
        let rows = try await toldRows()
        let before = told(rows, header, space)
        let usersMin = max(header.usersMin, release.usersMin)
        let telling = try await blocking.run {
            before.narrowed(to: cube.users(in: header.release), usersMin: usersMin)
        }
        let gone = rows.filter { row in
            space.cell(at: row.paths).map { !telling.told.contains($0) } ?? true
        }
        try await transaction.execute(
            CellStatements.hide,
            way.isIncoming,
            way.isConverted,
            month.firstDay,
            gone.map(\.table),
            gone.map(\.place)
        )
        // What is left is told as it was: of as many people, erased ones, too.
        let people = try await toldRows().reduce(into: [:]) { people, row in
            people[CubeTables.levels(row.table), default: 0] += row.users
        }
        try await write(
            CubeHeader(
                month: month.firstDay,
                asOf: header.asOf,
                usersMin: usersMin,
                closed: telling.closed,
                merged: MergedTables(people: people),
                release: header.release,
                erased: entries,
                base: base
            )
        )
    }

    // MARK: What there is

    private func header() async throws -> CubeHeader? {
        try await transaction.queryOne(
            CellStatements.header,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        )
    }

    private func erasedEntries() async throws -> Int64 {
        try await transaction.queryOne(
            BookingStatements.erasedEntries,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        ) ?? 0
    }

    /// Its bookings; nil where one has no rate that had one when it was taken up.
    private func cube() async throws -> (space: CubeSpace, cube: MonthCube?) {
        let space = CubeSpace(
            try await transaction.query(
                BookingStatements.cells,
                month.firstDay,
                way.isIncoming,
                way.isConverted
            )
        )
        let erased = try await transaction.query(
            BookingStatements.erased,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        ).compactMap { row in
            space.key(of: row.coordinates).map {
                ErasedPeople(leaf: $0, from: row.from, until: row.until, people: Int(row.people))
            }
        }
        guard let bookings = try await bookings(space) else { return (space, nil) }
        let cube = try await blocking.run {
            MonthCube(space: space, bookings: bookings, erased: erased)
        }
        return (space, cube)
    }

    private func bookings(_ space: CubeSpace) async throws -> [Booking]? {
        var (bookings, last) = ([Booking](), Int64(0))
        while true {
            let page = try await transaction.query(
                BookingStatements.some,
                month.firstDay,
                way.isIncoming,
                way.isConverted,
                base.code,
                last
            )
            guard let end = page.last else { return bookings }
            last = end.id
            for row in page {
                guard let value = row.worth else { return nil }
                guard let leaf = space.key(of: row.coordinates) else { continue }
                bookings.append(
                    Booking(
                        person: row.person,
                        leaf: leaf,
                        value: value,
                        times: row.times,
                        from: row.from,
                        until: row.until
                    )
                )
            }
        }
    }

    /// What was told of it, by the coordinates of now.
    private func told(_ rows: [ToldRow], _ header: CubeHeader, _ space: CubeSpace) -> Telling {
        Telling(told: Set(rows.compactMap { space.cell(at: $0.paths) }), closed: header.closed)
    }

    private func toldRows() async throws -> [ToldRow] {
        try await transaction.query(
            CellStatements.told,
            way.isIncoming,
            way.isConverted,
            CubeTables.all.map(CubeTables.code),
            month.firstDay
        )
    }

    // MARK: What is told

    private func write(_ header: CubeHeader) async throws {
        try await transaction.execute(
            CellStatements.upsertHeader,
            month.firstDay,
            way.isIncoming,
            way.isConverted,
            header.closed.map(CubeTables.code).sorted(),
            header.release,
            Int64(header.usersMin),
            header.erased,
            header.merged.codes,
            header.asOf
        )
    }

    private func insert(_ rows: [ToldCells.Row]) async throws {
        try await transaction.execute(
            CellStatements.insertCells,
            month.firstDay,
            way.isIncoming,
            way.isConverted,
            rows.map(\.table),
            rows.map(\.place),
            rows.map { $0.coordinates[0] },
            rows.map(\.country),
            rows.map { $0.coordinates[1] },
            rows.map { $0.coordinates[2] },
            rows.map { $0.coordinates[3] },
            rows.map { $0.coordinates[4] },
            rows.map(\.figures.bookings),
            rows.map(\.figures.total),
            rows.map(\.figures.users),
            rows.map(\.figures.middle.low),
            rows.map(\.figures.middle.high),
            rows.map(\.figures.ninth)
        )
    }
}
