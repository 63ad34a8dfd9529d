import Postgres
import ServiceKit
import WalletProtocol

/// Which of a month's cubes: what is spent or earned, of what has a rate or has none.
///
/// They have no booking in common.
struct CubeWay: Sendable, Hashable {
    let isIncoming: Bool
    let isConverted: Bool

    static let all = [
        CubeWay(isIncoming: false, isConverted: true), CubeWay(isIncoming: true, isConverted: true),
        CubeWay(isIncoming: false, isConverted: false),
        CubeWay(isIncoming: true, isConverted: false),
    ]

    var code: Int { (isIncoming ? 2 : 0) + (isConverted ? 1 : 0) }
}

/// A cell as the table has it.
struct CellRow: Sendable {
    let month: Day
    /// By `SpendingDimension`, with the area at its own place and the country behind it all.
    let coordinates: [String?]
    let country: String?
    let figures: CellFigures
}

/// What is kept of a month's cube beside its cells; none before it was first taken up.
struct CubeHeader: Sendable {
    let month: Day
    /// When it was taken up.
    let asOf: Instant
    let usersMin: Int
    /// The tables of which nothing is told.
    let closed: Set<[Int]>
    /// The tables that others are answered from, of which too little is told.
    let merged: [[Int]: [Int]]
}

/// The same in one currency, as the next release needs it.
struct TargetHeader: Sendable {
    let target: Currency
    let closed: Set<[Int]>
    let release: Int64
    let usersMin: Int
    let erased: Int64
    let asOf: Instant

    /// Whether nothing is told in it.
    var isSilent: Bool { closed.count == CubeTables.all.count }
}

/// A cell that is told, by its place.
struct ToldRow: Sendable {
    let table: Int
    let place: Int
    let category: String?
    let country: String?
    let area: String?
    let ageBand: String?
    let accountKind: String?
    let currency: String?

    /// The way to each coordinate.
    var paths: [[String]] {
        let isBand = CubeTables.levels(table)[CubeTables.age] == 2
        let ages = ageBand.map { isBand ? CubeTables.path(to: $0, on: CubeTables.age) : [$0] }
        let known = [category, country, area, accountKind, currency].map { [$0].compactMap { $0 } }
        return [known[0], known[1] + known[2], ages ?? [], known[3], known[4]]
    }
}

/// The SQL of a month's cells.
enum CellStatements {
    /// A table with more cells than this is not answered.
    static let cellsMax = 50_000

    static let headers = Statement(
        by: "month_cube_pkey",
        """
        select month, as_of, users_min, closed, merged
        from analytics.month_cube
        where month between $1 and $2 and target = $3 and is_incoming = $4 and is_converted = $5
        order by month
        limit 100000
        """
    ) { row in
        let closed: [Int] = try row.value(3)
        return try CubeHeader(
            month: row.value(0),
            asOf: row.value(1),
            usersMin: Int(row.int64(2)),
            closed: Set(closed.map(CubeTables.levels)),
            merged: MergedTables(codes: row.value(4)).tables
        )
    }

    /// A cube in each of its currencies.
    static let targets = Statement(
        by: "month_cube_pkey",
        """
        select target, closed, release, users_min, erased, as_of
        from analytics.month_cube
        where month = $1 and is_incoming = $2 and is_converted = $3
        order by target
        limit 1000
        """
    ) { row in
        let codes: [Int] = try row.value(1)
        return try TargetHeader(
            target: row.value(0),
            closed: Set(codes.map(CubeTables.levels)),
            release: row.int64(2),
            usersMin: Int(row.int64(3)),
            erased: row.int64(4),
            asOf: row.value(5)
        )
    }

    /// What was told of a month's cube.
    static let told = Statement(
        by: "cell_pkey",
        """
        select levels, place, category, country, area, age_band, account_kind, currency
        from analytics.cell
        where target = $1 and is_incoming = $2 and is_converted = $3 and levels = any($4)
            and month = $5
        order by levels, place
        limit 10000000
        """
    ) { row in
        try ToldRow(
            table: Int(row.int64(0)),
            place: Int(row.int64(1)),
            category: row.value(2),
            country: row.value(3),
            area: row.value(4),
            ageBand: row.value(5),
            accountKind: row.value(6),
            currency: row.value(7)
        )
    }

    static let deleteHeaders = Statement<Void>(
        by: "month_cube_pkey",
        """
        delete from analytics.month_cube
        where month = $1 and is_incoming = $2 and is_converted = $3
        """
    )

    static let deleteCells = Statement<Void>(
        by: "cell_pkey",
        """
        delete from analytics.cell
        where target = $1 and is_incoming = $2 and is_converted = $3 and levels = any($4)
            and month = $5
        """
    )

    /// Tells no longer of these cells.
    static let hide = Statement<Void>(
        by: "cell_pkey",
        """
        delete from analytics.cell c
        using unnest($5::int8[], $6::int8[]) as hidden (levels, place)
        where c.target = $1 and c.is_incoming = $2 and c.is_converted = $3
            and c.levels = hidden.levels and c.month = $4 and c.place = hidden.place
        """
    )

    /// Notes by what a cube was decided anew, without its having been taken up.
    static let narrow = Statement<Void>(
        by: "month_cube_pkey",
        """
        update analytics.month_cube
        set closed = $5, users_min = $6, erased = $7, merged = $8
        where month = $1 and target = $2 and is_incoming = $3 and is_converted = $4
        """
    )

    /// Of one in which nothing is told yet, too.
    static let insertHeader = Statement<Void>(
        by: "month_cube_pkey",
        """
        insert into analytics.month_cube (
            month, target, is_incoming, is_converted, closed, release, users_min, erased, merged,
            as_of
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict on constraint month_cube_pkey do update
        set closed = excluded.closed, release = excluded.release, users_min = excluded.users_min,
            erased = excluded.erased, merged = excluded.merged, as_of = excluded.as_of
        """
    )

    static let insertCells = Statement<Void>(
        """
        insert into analytics.cell (
            month, target, is_incoming, is_converted, levels, place, category, country, area,
            age_band, account_kind, currency, bookings, users, total, low, high, ninth, people,
            amounts
        )
        select $1, $2, $3, $4, levels, place, category, country, area, age_band, account_kind,
            currency, bookings, users, total, low, high, ninth, people, amounts
        from unnest(
            $5::int8[], $6::int8[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::text[], $13::int8[], $14::int8[], $15::numeric[], $16::numeric[], $17::numeric[],
            $18::numeric[], $19::bytea[], $20::bytea[]
        ) as made (
            levels, place, category, country, area, age_band, account_kind, currency, bookings,
            users, total, low, high, ninth, people, amounts
        )
        """
    )

    /// A table's cells in these months.
    /// - Parameter hasSketches: whether figures will be put together.
    static func cells(
        _ name: (target: Currency, isIncoming: Bool, isConverted: Bool),
        of levels: [Int],
        in months: [Day],
        hasSketches: Bool
    ) -> BoundStatement<CellRow> {
        var builder = StatementBuilder(
            """
            select month, category, area, age_band, account_kind, currency, country, bookings,
                users, total, low, high, ninth,
            """
        )
        builder.append(hasSketches ? " people, amounts" : " ''::bytea, ''::bytea")
        builder.append(
            """

            from analytics.cell
            where target = $1 and is_incoming = $2 and is_converted = $3 and levels = $4
                and month = any($5)
            order by month, place
            limit $6
            """,
            name.target,
            name.isIncoming,
            name.isConverted,
            CubeTables.code(levels),
            months,
            cellsMax + 1
        )
        return builder.statement { row in
            let month: Day = try row.value(0)
            return try CellRow(
                month: month,
                coordinates: [
                    row.value(1), row.value(2), row.value(3), month.month.text, row.value(4),
                    row.value(5),
                ],
                country: row.value(6),
                figures: figures(row)
            )
        }
    }

    private static func figures(_ row: borrowing PostgresRow) throws -> CellFigures {
        try CellFigures(
            bookings: row.int64(7),
            users: row.int64(8),
            total: row.value(9),
            middle: (row.value(10), row.value(11)),
            ninth: row.value(12),
            people: PeopleSketch(bytes: row.value(13)),
            amounts: AmountSketch(bytes: row.value(14))
        )
    }
}
