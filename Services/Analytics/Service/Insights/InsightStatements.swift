import Postgres
import ServiceKit
import WalletProtocol

/// The users of one cell of a month's cube; nil is a margin.
struct CubeRow: Sendable {
    /// By `SpendingDimension`, areas by their country; the month is always there.
    let coordinates: [String?]
    /// The area within its country.
    let area: String?
    let users: Int64
}

/// The figures of one cell of an answer.
struct FigureRow: Sendable {
    /// By `SpendingDimension`; nil for what the answer is not grouped by.
    let coordinates: [String?]
    let total: Int128
    let count: Int64
    let users: Int64
    /// The two amounts in the middle, the same one twice for an odd count.
    let middle: (low: Int128, high: Int128)?
}

/// What an insight counts: what is converted to its currency, or what has no rate.
enum InsightPart {
    case converted
    case unconverted
}

/// The SQL of insights: each reads the period's days by fact_day_idx, and for each of them people
/// and categories by their primary keys.
enum InsightStatements {
    /// A table with more cells than this is not answered.
    static let cellsMax = 50_000

    /// Days on which something was booked in another currency than that of the figures.
    static func foreignDays(_ scope: InsightScope) -> BoundStatement<Day> {
        let builder = StatementBuilder(
            """
            select f.day
            from analytics.fact f
            where f.day between $1 and $2 and not f.is_reversed
                and f.currency <> $3
            group by f.day
            order by f.day
            limit 100000
            """,
            scope.period.from,
            scope.period.to,
            scope.currency
        )
        return builder.statement { row in try row.value(0) }
    }

    /// The users of each month's cells over the answer's dimensions and those that it filters by,
    /// without the filters, and of all margins; of the same rows as the figures.
    static func cube(_ scope: InsightScope, of part: InsightPart) -> BoundStatement<CubeRow> {
        var builder = facts(scope)
        let axes = scope.axes
        builder.append("\n)\nselect ")
        for dimension in SpendingDimension.allCases {
            builder.append(
                !axes.contains(dimension) && dimension != .month
                    ? "null::text, "
                    : dimension == .area ? "g.country, " : column(dimension, thenComma: true)
            )
        }
        let hasAreas = axes.contains(.area) && !scope.hasCountriesOnly
        builder.append(hasAreas ? "g.area" : "null::text")
        builder.append(", count(distinct g.user_id)\nfrom value g")
        only(&builder, part)
        if let months = scope.filters[.month] { builder.append(" and g.month = any($1)", months) }
        builder.append("\ngroup by g.month")
        for dimension in axes {
            switch dimension {
            case .category: builder.append(", cube (g.category)")
            case .area:
                builder.append(hasAreas ? ", rollup (g.country, g.area)" : ", cube (g.country)")
            case .ageBand: builder.append(", cube (g.age_band)")
            case .month: break
            case .accountKind: builder.append(", cube (g.account_kind)")
            case .currency: builder.append(", cube (g.currency)")
            }
        }
        builder.append("\nlimit $1", cellsMax + 1)
        return builder.statement { row in
            try CubeRow(
                coordinates: (0..<6).map { column in try row.value(column) },
                area: row.value(6),
                users: row.int64(7)
            )
        }
    }

    /// The figures of each cell of the answer, of what has a rate.
    static func figures(_ scope: InsightScope) -> BoundStatement<FigureRow> {
        var builder = facts(scope)
        builder.append("\n)\nselect ")
        for dimension in SpendingDimension.allCases {
            builder.append(
                scope.groupBy.contains(dimension)
                    ? column(dimension, thenComma: true) : "null::text, "
            )
        }
        builder.append(
            """
            coalesce(sum(g.amount), 0), count(*), count(distinct g.user_id),
                percentile_disc(0.5) within group (order by g.amount),
                percentile_disc(0.5) within group (order by g.amount desc)
            from value g
            """
        )
        only(&builder, .converted)
        filter(&builder, scope)
        builder.append("\ngroup by ()")
        for dimension in scope.groupBy {
            builder.append(", ")
            builder.append(column(dimension, thenComma: false))
        }
        builder.append("\norder by 1, 2, 3, 4, 5, 6\nlimit $1", cellsMax)
        return builder.statement { row in
            let low: Int128? = try row.value(9)
            let high: Int128? = try row.value(10)
            return try FigureRow(
                coordinates: (0..<6).map { column in try row.value(column) },
                total: row.value(6),
                count: row.int64(7),
                users: row.int64(8),
                middle: low.flatMap { low in high.map { (low, $0) } }
            )
        }
    }

    /// Sums of what has no rate, whether they may be told or not.
    static func unconverted(_ scope: InsightScope) -> BoundStatement<Total> {
        var builder = facts(scope)
        builder.append(
            """

            )
            select g.currency, sum(g.own_amount)
            from value g
            """
        )
        only(&builder, .unconverted)
        filter(&builder, scope)
        builder.append("\ngroup by g.currency order by g.currency limit 1000")
        return builder.statement { row in
            try Total(minorUnits: row.value(1), row.value(0))
        }
    }

    private static func only(_ builder: inout StatementBuilder, _ part: InsightPart) {
        switch part {
        case .converted: builder.append("\nwhere g.amount is not null")
        case .unconverted: builder.append("\nwhere g.amount is null")
        }
    }

    private static func column(
        _ dimension: SpendingDimension,
        thenComma: Bool
    ) -> StaticString {
        switch dimension {
        case .category: thenComma ? "g.category, " : "g.category"
        case .area: thenComma ? "g.area, " : "g.area"
        case .ageBand: thenComma ? "g.age_band, " : "g.age_band"
        case .month: thenComma ? "g.month, " : "g.month"
        case .accountKind: thenComma ? "g.account_kind, " : "g.account_kind"
        case .currency: thenComma ? "g.currency, " : "g.currency"
        }
    }

    /// Each transaction with its dimensions and its amount in the answer's currency, zero or more,
    /// rounded by itself; null where it has no rate.
    private static func facts(_ scope: InsightScope) -> StatementBuilder {
        var builder = StatementBuilder(
            """
            with value as (
                select f.user_id, abs(f.amount::numeric) as own_amount, f.currency, f.account_kind,
                    to_char(f.day, 'YYYY-MM') as month,
                    coalesce(
                        case when c.category_id is null then f.coicop else c.coicop end, 'none'
                    ) as category,
                    coalesce(p.area, 'unknown') as area,
                    split_part(coalesce(p.area, 'unknown'), '-', 1) as country,
                    case
                        when p.date_of_birth <= f.day then
                            (array['0-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+'])[
                                1 + width_bucket(
                                    extract(year from age(f.day, p.date_of_birth))::int,
                                    array[18, 25, 35, 45, 55, 65])]
                        else 'unknown'
                    end as age_band,
                    case
                        when f.currency = $3 then abs(f.amount::numeric)
                        else analytics.half_even(
                            round(abs(f.amount::numeric) * target.minor_units, 24)
                                / source.minor_units)
                    end as amount
                from analytics.fact f
                left join analytics.category c
                    on c.user_id = f.user_id and c.category_id = f.category_id
                left join analytics.person p on p.user_id = f.user_id
                left join analytics.exchange_rate source
                    on source.day = f.day and source.currency = f.currency
                left join analytics.exchange_rate target
                    on target.day = f.day and target.currency = $3
                where f.day between $1 and $2 and not f.is_reversed
            """,
            scope.period.from,
            scope.period.to,
            scope.currency
        )
        switch scope.direction {
        case .incoming: builder.append(" and f.amount >= 0")
        case .outgoing: builder.append(" and f.amount < 0")
        }
        return builder
    }

    private static func filter(_ builder: inout StatementBuilder, _ scope: InsightScope) {
        for dimension in SpendingDimension.allCases {
            guard let words = scope.filters[dimension] else { continue }
            switch dimension {
            case .category: builder.append(" and g.category = any($1)", words)
            case .area:
                builder.append(" and (g.area = any($1) or g.country = any($2))", words, words)
            case .ageBand: builder.append(" and g.age_band = any($1)", words)
            case .month: builder.append(" and g.month = any($1)", words)
            case .accountKind: builder.append(" and g.account_kind = any($1)", words)
            case .currency: builder.append(" and g.currency = any($1)", words)
            }
        }
    }
}
