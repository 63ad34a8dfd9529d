import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Releases one of a month's cubes in all currencies.
struct CubeRelease {
    let month: Month
    let way: CubeWay
    let release: Release
    /// The currencies in which it is told.
    let rated: Set<Currency>
    let now: Instant
    let blocking: BlockingPool
    let transaction: Transaction

    /// Tells what its bookings are now.
    /// - Parameter people: how many of them differ from what was told.
    /// - Throws: `TooDear` where that costs more than it is worth.
    func takeUp(people: Int) async throws {
        let day = month.firstDay
        let earlier = try await transaction.query(
            ReleaseStatements.changes,
            day,
            way.isIncoming,
            way.isConverted
        )
        let headers = try await headers()
        let (space, erased) = try await base()
        // What was told in one currency is known in another, nearly.
        let known = try await Self.shown(headers).asyncMap { header in
            TakeUp.Known(
                telling: try await told(header, space),
                earlier: earlier,
                people: people,
                usersMin: headers.map(\.usersMin).min() ?? header.usersMin
            )
        }
        let cubes = try await cubes(space, erased)
        guard !cubes.isEmpty else { throw TooDear(way: way) }
        let (number, usersMin) = (release.number, release.usersMin)
        let made = try await blocking.run {
            TakeUp(cubes.map(\.cube), in: number, after: known, usersMin: usersMin)
        }
        guard made.isWorth else { throw TooDear(way: way) }
        try await transaction.execute(
            ReleaseStatements.noteChange,
            day,
            way.isIncoming,
            way.isConverted,
            number,
            made.lost
        )
        try await clear(headers)
        let entries = try await erasedEntries()
        for target in release.currencies {
            let cube = cubes.first { $0.target == target }?.cube
            let telling = cube == nil ? Telling.none : made.telling
            try await insertHeader(target, telling, usersMin, entries, made.merged)
            if let cube { try await insertCells(cube, in: target, made.users, telling, number) }
        }
    }

    /// Leaves it as it was told, but for what may not be told any more: cells whose people are too
    /// few now that some are erased, or more are needed; and in no currency without rates.
    func keep() async throws {
        let known = try await headersOfRated()
        guard let first = Self.shown(known) else { return }
        let entries = try await erasedEntries()
        let missing = release.currencies.filter { target in
            guard let header = known.first(where: { $0.target == target }) else { return true }
            // Its rates have come since; figures of who is left would tell of who is erased.
            return header.isSilent && !first.isSilent && rated.contains(target) && entries == 0
        }
        let isNarrowed = first.erased != entries || first.usersMin < release.usersMin
        guard isNarrowed || !missing.isEmpty else { return }
        let (space, erased) = try await base()
        guard let cube = try await cube(in: first.target, space, erased) else { return }
        let before = try await told(first, space)
        let (number, usersMin) = (first.release, max(first.usersMin, release.usersMin))
        let made = try await blocking.run {
            let users = cube.users(in: number)
            let left = isNarrowed ? before.narrowed(to: users, usersMin: usersMin) : before
            return (
                users: users,
                telling: left,
                merged: MergedTables(users, left, usersMin: usersMin)
            )
        }
        if isNarrowed {
            for header in known {
                try await hide(header, made.telling, space)
                let closed = header.closed.union(made.telling.closed)
                try await narrow(header, closed, usersMin, entries, made.merged)
            }
        }
        // Figures of who is left, beside those of all in another currency, tell of the others.
        let isWhole = !erased.contains { $0.until > number }
        for target in missing {
            let isTold = isWhole && rated.contains(target)
            let cube = try await isTold ? self.cube(in: target, space, erased) : nil
            let telling = cube == nil ? Telling.none : made.telling
            try await insertHeader(target, telling, usersMin, entries, made.merged, as: first)
            if let cube { try await insertCells(cube, in: target, made.users, telling, number) }
        }
    }

    // MARK: What there is

    /// The currency in which most is told.
    private static func shown(_ known: [TargetHeader]) -> TargetHeader? {
        known.min { $0.closed.count < $1.closed.count }
    }

    private func headers() async throws -> [TargetHeader] {
        try await transaction.query(
            CellStatements.targets,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        )
    }

    /// What was told so far, but in no currency without rates.
    private func headersOfRated() async throws -> [TargetHeader] {
        let known = try await headers()
        let unrated = known.filter { header in
            release.currencies.contains(header.target) && !rated.contains(header.target)
                && !header.isSilent
        }
        guard !unrated.isEmpty else { return known }
        for header in unrated {
            try await deleteCells(header)
            let (usersMin, erased) = (header.usersMin, header.erased)
            let merged = MergedTables(codes: [])
            try await narrow(header, Telling.none.closed, usersMin, erased, merged)
        }
        return try await headers()
    }

    private func erasedEntries() async throws -> Int64 {
        try await transaction.queryOne(
            BookingStatements.erasedEntries,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        ) ?? 0
    }

    private func base() async throws -> (CubeSpace, [ErasedPeople]) {
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
        return (space, erased)
    }

    private func cubes(
        _ space: CubeSpace,
        _ erased: [ErasedPeople]
    ) async throws -> [(target: Currency, cube: MonthCube)] {
        var cubes: [(target: Currency, cube: MonthCube)] = []
        for target in release.currencies where rated.contains(target) {
            guard let cube = try await cube(in: target, space, erased) else { continue }
            cubes.append((target, cube))
        }
        return cubes
    }

    /// Its bookings in a currency; nil where one has no rate in it.
    private func cube(
        in target: Currency,
        _ space: CubeSpace,
        _ erased: [ErasedPeople]
    ) async throws -> MonthCube? {
        var (bookings, last) = ([Booking](), Int64(0))
        while true {
            let page = try await transaction.query(
                BookingStatements.some,
                month.firstDay,
                way.isIncoming,
                way.isConverted,
                target.code,
                last
            )
            guard let end = page.last else { break }
            last = end.id
            for row in page {
                // Of a day that was still to come when a release kept its rates.
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
        let all = bookings
        return try await blocking.run { MonthCube(space: space, bookings: all, erased: erased) }
    }

    /// What was told of it, by the coordinates of now.
    private func told(_ header: TargetHeader, _ space: CubeSpace) async throws -> Telling {
        let cells = try await toldRows(header).compactMap { space.cell(at: $0.paths) }
        return Telling(told: Set(cells), closed: header.closed)
    }

    private func toldRows(_ header: TargetHeader) async throws -> [ToldRow] {
        try await transaction.query(
            CellStatements.told,
            header.target.code,
            way.isIncoming,
            way.isConverted,
            CubeTables.all.map(CubeTables.code),
            month.firstDay
        )
    }

    // MARK: What is told

    private func clear(_ known: [TargetHeader]) async throws {
        try await transaction.execute(
            CellStatements.deleteHeaders,
            month.firstDay,
            way.isIncoming,
            way.isConverted
        )
        for header in known { try await deleteCells(header) }
    }

    private func deleteCells(_ header: TargetHeader) async throws {
        try await transaction.execute(
            CellStatements.deleteCells,
            header.target.code,
            way.isIncoming,
            way.isConverted,
            CubeTables.all.map(CubeTables.code),
            month.firstDay
        )
    }

    private func narrow(
        _ header: TargetHeader,
        _ closed: Set<[Int]>,
        _ usersMin: Int,
        _ entries: Int64,
        _ merged: MergedTables
    ) async throws {
        try await transaction.execute(
            CellStatements.narrow,
            month.firstDay,
            header.target.code,
            way.isIncoming,
            way.isConverted,
            closed.map(CubeTables.code).sorted(),
            Int64(usersMin),
            entries,
            merged.codes
        )
    }

    private func hide(
        _ header: TargetHeader,
        _ telling: Telling,
        _ space: CubeSpace
    ) async throws {
        let gone = try await toldRows(header).filter { row in
            space.cell(at: row.paths).map { !telling.told.contains($0) } ?? true
        }
        try await transaction.execute(
            CellStatements.hide,
            header.target.code,
            way.isIncoming,
            way.isConverted,
            month.firstDay,
            gone.map(\.table),
            gone.map(\.place)
        )
    }

    /// - Parameter other: whose release it tells of, if not this one.
    private func insertHeader(
        _ target: Currency,
        _ telling: Telling,
        _ usersMin: Int,
        _ entries: Int64,
        _ merged: MergedTables,
        as other: TargetHeader? = nil
    ) async throws {
        try await transaction.execute(
            CellStatements.insertHeader,
            month.firstDay,
            target.code,
            way.isIncoming,
            way.isConverted,
            telling.closed.map(CubeTables.code).sorted(),
            other?.release ?? release.number,
            Int64(usersMin),
            entries,
            merged.codes,
            other?.asOf ?? now
        )
    }

    private func insertCells(
        _ cube: MonthCube,
        in target: Currency,
        _ users: Cube,
        _ telling: Telling,
        _ number: Int64
    ) async throws {
        let cells = try await blocking.run {
            ToldCells(cube, in: number, users: users, telling: telling)
        }
        var rest = cells.rows[...]
        while !rest.isEmpty {
            try await insert(Array(rest.prefix(2_000)), in: target)
            rest = rest.dropFirst(2_000)
        }
    }

    private func insert(_ rows: [ToldCells.Row], in target: Currency) async throws {
        try await transaction.execute(
            CellStatements.insertCells,
            month.firstDay,
            target.code,
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
            rows.map(\.figures.users),
            rows.map(\.figures.total),
            rows.map(\.figures.middle.low),
            rows.map(\.figures.middle.high),
            rows.map(\.figures.ninth),
            rows.map(\.figures.people.bytes),
            rows.map(\.figures.amounts.bytes)
        )
    }
}

extension Optional {
    /// What an effect makes of it, where it is there.
    fileprivate func asyncMap<Value>(
        _ effect: (Wrapped) async throws -> Value
    ) async throws -> Value? {
        guard let self else { return nil }
        return try await effect(self)
    }
}
