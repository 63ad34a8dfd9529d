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
    let merged: MergedTables
    /// With which it was taken up.
    let release: Int64
    /// A number that grows with each entry of an erased person, as it was.
    let erased: Int64
    /// In which the month's figures are kept.
    let base: Currency
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
    let users: Int64

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

    /// Those of a period's months that can be told in a currency; what has no rate is told in its
    /// own.
    static let headers = Statement(
        by: "month_cube_pkey, month_base_pkey, month_rate_pkey",
        """
        select c.month, c.as_of, c.users_min, c.closed, c.merged, c.release, c.erased, b.currency
        from analytics.month_cube c
        join analytics.month_base b on b.month = c.month
        left join analytics.month_rate r on r.month = c.month and r.currency = $3
        where c.month between $1 and $2 and c.is_incoming = $4 and c.is_converted = $5
            and (r.rate is not null or not c.is_converted)
        order by c.month
        limit 100000
        """
    ) { row in try header(row) }

    static let header = Statement(
        by: "month_cube_pkey, month_base_pkey",
        """
        select c.month, c.as_of, c.users_min, c.closed, c.merged, c.release, c.erased, b.currency
        from analytics.month_cube c
        join analytics.month_base b on b.month = c.month
        where c.month = $1 and c.is_incoming = $2 and c.is_converted = $3
        """
    ) { row in try header(row) }

    private static func header(_ row: borrowing PostgresRow) throws -> CubeHeader {
        let closed: [Int] = try row.value(3)
        return try CubeHeader(
            month: row.value(0),
            asOf: row.value(1),
            usersMin: Int(row.int64(2)),
            closed: Set(closed.map(CubeTables.levels)),
            merged: MergedTables(codes: row.value(4)),
            release: row.int64(5),
            erased: row.int64(6),
            base: row.value(7)
        )
    }

    /// What was told of a month's cube.
    static let told = Statement(
        by: "cell_pkey",
        """
        select levels, place, category, country, area, age_band, account_kind, currency, users
        from analytics.cell
        where is_incoming = $1 and is_converted = $2 and levels = any($3) and month = $4
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
            currency: row.value(7),
            users: row.int64(8)
        )
    }

    static let deleteCells = Statement<Void>(
        by: "cell_pkey",
        """
        delete from analytics.cell
        where is_incoming = $1 and is_converted = $2 and levels = any($3) and month = $4
        """
    )

    /// Tells no longer of these cells.
    static let hide = Statement<Void>(
        by: "cell_pkey",
        """
        delete from analytics.cell c
        using unnest($4::int8[], $5::int8[]) as hidden (levels, place)
        where c.is_incoming = $1 and c.is_converted = $2 and c.levels = hidden.levels
            and c.month = $3 and c.place = hidden.place
        """
    )

    static let upsertHeader = Statement<Void>(
        by: "month_cube_pkey",
        """
        insert into analytics.month_cube (
            month, is_incoming, is_converted, closed, release, users_min, erased, merged, as_of
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict on constraint month_cube_pkey do update
        set closed = excluded.closed, release = excluded.release, users_min = excluded.users_min,
            erased = excluded.erased, merged = excluded.merged, as_of = excluded.as_of
        """
    )

    static let insertCells = Statement<Void>(
        """
        insert into analytics.cell (
            month, is_incoming, is_converted, levels, place, category, country, area, age_band,
            account_kind, currency, bookings, total, users, low, high, ninth
        )
        select $1, $2, $3, levels, place, category, country, area, age_band, account_kind,
            currency, bookings, total, users, low, high, ninth
        from unnest(
            $4::int8[], $5::int8[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
            $11::text[], $12::int8[], $13::numeric[], $14::int8[], $15::numeric[], $16::numeric[],
            $17::numeric[]
        ) as made (
            levels, place, category, country, area, age_band, account_kind, currency, bookings,
            total, users, low, high, ninth
        )
        """
    )

    /// A table's cells in these months.
    /// - Parameters:
    ///   - currency: in which they are told, each at its month's rate; nil as they are kept.
    ///   - names: of each dimension, in their order, those that a cell may be of; nil for all. A
    ///     country's is that of its regions, too.
    static func cells(
        _ way: CubeWay,
        in currency: Currency?,
        of levels: [Int],
        in months: [Day],
        named names: [[String]?]
    ) -> BoundStatement<CellRow> {
        var builder = StatementBuilder(
            """
            select c.month, c.category, c.area, c.age_band, c.account_kind, c.currency, c.country,
                c.bookings, c.users,
            """
        )
        if let currency {
            builder.append(
                """
                 analytics.half_even(c.total * r.rate), analytics.half_even(c.low * r.rate),
                    analytics.half_even(c.high * r.rate), analytics.half_even(c.ninth * r.rate)
                from analytics.cell c
                join analytics.month_rate r on r.month = c.month and r.currency = $1
                """,
                currency.code
            )
        } else {
            builder.append(" c.total, c.low, c.high, c.ninth\nfrom analytics.cell c")
        }
        builder.append(
            """

            where c.is_incoming = $1 and c.is_converted = $2 and c.levels = $3
                and c.month = any($4)
            """,
            way.isIncoming,
            way.isConverted,
            CubeTables.code(levels),
            months
        )
        for (dimension, names) in zip(CubeTables.dimensions, names) {
            guard let names else { continue }
            switch dimension {
            case .category: builder.append("\n    and c.category = any($1)", names)
            case .area: builder.append("\n    and (c.area = any($1) or c.country = any($1))", names)
            case .ageBand: builder.append("\n    and c.age_band = any($1)", names)
            case .accountKind: builder.append("\n    and c.account_kind = any($1)", names)
            case .currency: builder.append("\n    and c.currency = any($1)", names)
            case .month: break
            }
        }
        builder.append("\norder by c.month, c.place\nlimit $1", cellsMax + 1)
        return builder.statement { row in
            let month: Day = try row.value(0)
            return try CellRow(
                month: month,
                coordinates: [
                    row.value(1), row.value(2), row.value(3), month.month.text, row.value(4),
                    row.value(5),
                ],
                country: row.value(6),
                figures: CellFigures(
                    bookings: row.int64(7),
                    users: row.int64(8),
                    total: row.value(9),
                    middle: (row.value(10), row.value(11)),
                    ninth: row.value(12)
                )
            )
        }
    }
}
