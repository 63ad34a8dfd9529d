import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Releases one month: takes up what its bookings are now, and works out what is told of them.
struct MonthRelease {
    let month: Month
    let release: Release
    let blocking: BlockingPool
    let transaction: Transaction

    /// - Parameters:
    ///   - isDue: whether it may be told for the first time.
    ///   - makesAnew: whether its cells are made anew even though nothing has changed.
    func run(isDue: Bool, makesAnew: Bool) async throws {
        let day = month.firstDay
        let earlier = try await transaction.query(ReleaseStatements.changes, day)
        guard isDue || !earlier.isEmpty else { return }
        let changed = try await transaction.queryOne(
            ReleaseStatements.takeUp,
            day,
            month.lastDay,
            release.number,
            release.currencies.map(\.code)
        )
        let hasErased = try await transaction.queryOne(
            ReleaseStatements.hasErased,
            day,
            release.number
        )
        let hasChanged = (changed ?? 0) > 0 || hasErased == true
        guard hasChanged || (makesAnew && !earlier.isEmpty) else { return }
        if hasChanged {
            try await transaction.execute(ReleaseStatements.noteChange, day, release.number)
        }
        let space = CubeSpace(try await transaction.query(ReleaseStatements.cells, day))
        let erased = try await transaction.query(ReleaseStatements.erased, day)
        let targetsBefore = try await transaction.query(CellStatements.targets, day)
        var made: [(name: CubeName, cells: ToldCells)] = []
        for target in release.currencies {
            let rows = try await bookings(in: target, space)
            // What was told in one currency is known in another, nearly.
            let before = targetsBefore.contains(target) ? target : targetsBefore.first
            for name in CubeName.all(of: day, in: target) {
                let cube = Self.cube(name, space, rows, erased)
                let known = try await before.asyncMap { try await told(name, in: $0, space) }
                let (number, usersMin) = (release.number, release.usersMin)
                let cells = try await blocking.run {
                    ToldCells(cube, in: number, after: earlier, known, usersMin: usersMin)
                }
                made.append((name, cells))
            }
        }
        try await replace(made, targetsBefore)
    }

    private struct Row {
        let row: BookingRow
        let leaf: CubeKey
    }

    private func bookings(in target: Currency, _ space: CubeSpace) async throws -> [Row] {
        var (all, last) = ([Row](), Int64(0))
        while true {
            let page = try await transaction.query(
                ReleaseStatements.bookings,
                month.firstDay,
                target.code,
                last
            )
            guard let end = page.last else { return all }
            last = end.id
            all += page.compactMap { row in
                space.key(of: row.coordinates).map { Row(row: row, leaf: $0) }
            }
        }
    }

    private static func cube(
        _ name: CubeName,
        _ space: CubeSpace,
        _ rows: [Row],
        _ erased: [ErasedRow]
    ) -> MonthCube {
        MonthCube(
            space: space,
            bookings: rows.compactMap { found in
                let row = found.row
                guard row.isIncoming == name.isIncoming,
                    (row.worth != nil) == name.isConverted
                else { return nil }
                return Booking(
                    person: row.person,
                    leaf: found.leaf,
                    value: row.worth ?? Int128(row.amount),
                    times: row.times,
                    from: row.from,
                    until: row.until
                )
            },
            erased: erased.compactMap { row in
                // Whether there was a rate is known of the figures' own currency alone.
                let isOwn = row.coordinates.last == name.target.code
                guard row.isIncoming == name.isIncoming, !isOwn || name.isConverted,
                    let leaf = space.key(of: row.coordinates)
                else { return nil }
                return ErasedPeople(
                    leaf: leaf,
                    from: row.from,
                    until: row.until,
                    people: isOwn ? Int(row.people) : 0
                )
            }
        )
    }

    /// What the last release told of a cube, by the coordinates of now; nil where there was none.
    private func told(
        _ name: CubeName,
        in target: Currency,
        _ space: CubeSpace
    ) async throws -> Telling? {
        let headers = try await transaction.query(
            CellStatements.headers,
            name.month,
            name.month,
            target.code,
            name.isIncoming,
            name.isConverted
        )
        guard let header = headers.first else { return nil }
        let rows = try await transaction.query(
            CellStatements.told,
            target.code,
            name.isIncoming,
            name.isConverted,
            CubeTables.all.map(CubeTables.code),
            name.month
        )
        let cells = rows.compactMap { row -> Cube.Cell? in
            let area = [row[1], row[2]].compactMap { $0 }
            let paths = [row[0], nil, row[3], row[4], row[5]].map { [$0].compactMap { $0 } }
            return space.cell(at: [paths[0], area] + paths[2...])
        }
        return Telling(told: Set(cells), closed: header.closed)
    }

    private func replace(
        _ made: [(name: CubeName, cells: ToldCells)],
        _ targetsBefore: [Currency]
    ) async throws {
        let (day, codes) = (month.firstDay, CubeTables.all.map(CubeTables.code))
        try await transaction.execute(CellStatements.deleteHeaders, day)
        for target in targetsBefore {
            try await transaction.execute(CellStatements.deleteCells, target.code, codes, day)
        }
        for (name, cells) in made {
            try await transaction.execute(
                CellStatements.insertHeader,
                day,
                name.target.code,
                name.isIncoming,
                name.isConverted,
                cells.telling.closed.map(CubeTables.code).sorted()
            )
            var rest = cells.rows[...]
            while !rest.isEmpty {
                try await insert(Array(rest.prefix(2_000)), name)
                rest = rest.dropFirst(2_000)
            }
        }
    }

    private func insert(_ rows: [ToldCells.Row], _ name: CubeName) async throws {
        try await transaction.execute(
            CellStatements.insertCells,
            month.firstDay,
            name.target.code,
            name.isIncoming,
            name.isConverted,
            rows.map(\.table),
            rows.map(\.place),
            rows.map { $0.coordinates[0] },
            rows.map(\.country),
            rows.map { $0.coordinates[1] },
            rows.map { $0.coordinates[2] },
            rows.map { $0.coordinates[3] },
            rows.map { $0.coordinates[4] },
            rows.map { $0.figures != nil },
            rows.map { $0.figures?.bookings ?? 0 },
            rows.map { $0.figures?.users ?? 0 },
            rows.map { $0.figures?.total ?? 0 },
            rows.map { $0.figures?.middle.low ?? 0 },
            rows.map { $0.figures?.middle.high ?? 0 },
            rows.map { $0.figures?.ninth ?? 0 },
            rows.map { $0.figures?.people.bytes ?? [] },
            rows.map { $0.figures?.amounts.bytes ?? [] }
        )
    }
}

extension CubeName {
    /// A month's cubes in a currency.
    static func all(of month: Day, in target: Currency) -> [CubeName] {
        [(false, true), (true, true), (false, false), (true, false)].map { way in
            CubeName(month: month, target: target, isIncoming: way.0, isConverted: way.1)
        }
    }
}

extension Optional {
    /// What an effect makes of it, where it is there.
    fileprivate func asyncMap<Value>(
        _ effect: (Wrapped) async throws -> Value?
    ) async throws -> Value? {
        guard let self else { return nil }
        return try await effect(self)
    }
}
