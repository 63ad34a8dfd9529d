import Postgres
import ServiceKit
import WalletProtocol

/// Which of a month's cubes: one way, in one currency, of what has a rate in it or has none.
struct CubeName: Sendable, Hashable {
    let month: Day
    let target: Currency
    let isIncoming: Bool
    let isConverted: Bool
}

/// A cell as the table has it.
struct CellRow: Sendable {
    let month: Day
    /// By `SpendingDimension`, with the area at its own place and the country behind it all.
    let coordinates: [String?]
    let country: String?
    let isTold: Bool
    /// Of a cell that is told.
    let figures: CellFigures?
}

/// What is kept of a month's cube beside its cells.
struct CubeHeader: Sendable {
    let month: Day
    let closed: Set<[Int]>
}

/// The SQL of a month's cells.
enum CellStatements {
    /// A table with more cells than this is not answered.
    static let cellsMax = 50_000

    static let headers = Statement(
        by: "month_cube_pkey",
        """
        select month, closed
        from analytics.month_cube
        where month between $1 and $2 and target = $3 and is_incoming = $4 and is_converted = $5
        order by month
        limit 100000
        """
    ) { row in
        let codes: [Int] = try row.value(1)
        return try CubeHeader(month: row.value(0), closed: Set(codes.map(CubeTables.levels)))
    }

    /// In which currencies a month's cubes are made.
    static let targets = Statement(
        by: "month_cube_pkey",
        """
        select target
        from analytics.month_cube
        where month = $1
        group by target
        order by target
        limit 1000
        """
    ) { row in try row.value(0, as: Currency.self) }

    /// What was told of a month's cube.
    static let told = Statement(
        by: "cell_pkey",
        """
        select category, country, area, age_band, account_kind, currency
        from analytics.cell
        where target = $1 and is_incoming = $2 and is_converted = $3 and levels = any($4)
            and month = $5 and is_told
        order by levels, place
        limit 10000000
        """
    ) { row in try (0..<6).map { try row.value($0, as: String?.self) } }

    static let deleteHeaders = Statement<Void>(
        by: "month_cube_pkey",
        "delete from analytics.month_cube where month = $1"
    )

    static let deleteCells = Statement<Void>(
        by: "cell_pkey",
        """
        delete from analytics.cell
        where target = $1 and is_incoming = any(array[false, true])
            and is_converted = any(array[false, true]) and levels = any($2) and month = $3
        """
    )

    static let insertHeader = Statement<Void>(
        """
        insert into analytics.month_cube (month, target, is_incoming, is_converted, closed)
        values ($1, $2, $3, $4, $5)
        """
    )

    static let insertCells = Statement<Void>(
        """
        insert into analytics.cell (
            month, target, is_incoming, is_converted, levels, place, category, country, area,
            age_band, account_kind, currency, is_told, bookings, users, total, low, high, ninth,
            people, amounts
        )
        select $1, $2, $3, $4, levels, place, category, country, area, age_band, account_kind,
            currency, is_told, bookings, users, total, low, high, ninth, people, amounts
        from unnest(
            $5::int8[], $6::int8[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::text[], $13::bool[], $14::int8[], $15::int8[], $16::numeric[], $17::numeric[],
            $18::numeric[], $19::numeric[], $20::bytea[], $21::bytea[]
        ) as made (
            levels, place, category, country, area, age_band, account_kind, currency, is_told,
            bookings, users, total, low, high, ninth, people, amounts
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
            select month, category, area, age_band, account_kind, currency, country, is_told,
                bookings, users, total, low, high, ninth,
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
            let isTold: Bool = try row.value(7)
            return try CellRow(
                month: month,
                coordinates: [
                    row.value(1), row.value(2), row.value(3), month.month.text, row.value(4),
                    row.value(5),
                ],
                country: row.value(6),
                isTold: isTold,
                figures: isTold ? figures(row) : nil
            )
        }
    }

    private static func figures(_ row: borrowing PostgresRow) throws -> CellFigures {
        try CellFigures(
            bookings: row.int64(8),
            users: row.int64(9),
            total: row.value(10),
            middle: (row.value(11), row.value(12)),
            ninth: row.value(13),
            people: PeopleSketch(bytes: row.value(14)),
            amounts: AmountSketch(bytes: row.value(15))
        )
    }
}
