import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what a group has spent, and where.
enum GroupReportStatements {
    /// Sums of one currency, and of what they are told apart by.
    struct Sums: Sendable {
        let currency: Currency
        let key: String?
        /// The text that they come in the order of.
        var place: String { key ?? "" }
        let count: Int64
        let group: Int128
        let mine: Int128
        let share: Int128
    }

    /// By expense_day_idx, and for each expense one's own claims by their key: of money that came
    /// back, what one owes the others of it.
    static func totals(
        _ query: GroupTotalsQuery,
        of group: ID<Group>,
        for member: ID<Member>
    ) throws -> BoundStatement<Sums> {
        var builder =
            switch query.groupBy {
            case nil: StatementBuilder("select e.currency, null::text as key, ")
            case .category:
                StatementBuilder(
                    "select e.currency, coalesce(e.category_id, e.group_id)::text as key, "
                )
            case .month: StatementBuilder("select e.currency, to_char(e.day, 'YYYY-MM') as key, ")
            }
        builder.append(
            """
            count(*), sum(e.amount), sum(coalesce(p.amount, 0) - claimed.amount),
                coalesce(sum(s.amount), 0)
            from groups.expense e
            left join lateral unnest(e.payer_ids, e.paid) as p (member_id, amount)
                on p.member_id = $2
            left join lateral unnest(e.bearer_ids, e.borne) as s (member_id, amount)
                on s.member_id = $2
            cross join lateral (
                select coalesce(sum(d.amount) * sign(e.amount)::integer, 0) as amount
                from groups.expense_debt d
                where d.group_id = e.group_id and d.expense_id = e.id
                    and case when e.amount > 0 then d.creditor_id else d.debtor_id end = $2
            ) claimed
            where e.group_id = $1 and e.removed_at is null
            """,
            group,
            member
        )
        if let from = query.from { builder.append(" and e.day >= $1", from) }
        if let to = query.to { builder.append(" and e.day <= $1", to) }
        builder.append(" group by 1, 2")
        if let place = try query.cursor?.decode(TotalsPlace.self) {
            behind(place, by: query.groupBy, &builder)
        }
        builder.append(" order by 1, 2 limit $1", GroupTotalsView.countMax + 1)
        return builder.statement { row in
            try Sums(
                currency: row.value(0),
                key: row.value(1),
                count: row.int64(2),
                group: row.value(3),
                mine: row.value(4),
                share: row.value(5)
            )
        }
    }

    /// By expense_located_idx.
    static func located(
        _ query: ExpensePositionQuery,
        by filter: ExpenseFilter
    ) throws -> BoundStatement<ExpenseRow> {
        var builder = StatementBuilder(
            """
            select id, name, description, amount, currency, day, split_kind, added_by, version,
                created_at, category_id, tags, latitude, longitude, place_name, recurrence_id
            from groups.expense as t
            where group_id = $1 and latitude is not null and removed_at is null
            """,
            filter.group
        )
        ExpenseStatements.append(filter, to: &builder)
        if let place = try query.cursor?.decode(ExpensePlace.self) {
            builder.append(" and (day, id) < ($1, $2)", place.day, place.id)
        }
        builder.append(" order by day desc, id desc limit $1", query.limit + 1)
        return builder.statement { row in try ExpenseStatements.expense(row) }
    }

    /// What was spent at a place in one currency.
    struct PlaceSum: Sendable {
        let latitude: Double
        let longitude: Double
        let label: String?
        let currency: Currency
        let count: Int64
        let amount: Int128
    }

    private static func behind(
        _ place: TotalsPlace,
        by grouping: GroupTotalsGrouping?,
        _ builder: inout StatementBuilder
    ) {
        builder.append(" having (e.currency, ")
        switch grouping {
        case nil: builder.append("''")
        case .category: builder.append("coalesce(e.category_id, e.group_id)::text")
        case .month: builder.append("to_char(e.day, 'YYYY-MM')")
        }
        builder.append(") > ($1, $2)", place.currency, place.key)
    }

    /// How many sums are read at once: those of one place are fewer, for currencies are.
    static let placeSumsMax = 4_000

    /// By expense_located_idx; a place is a thousandth of a degree.
    ///
    /// As many as one answer holds, and one more.
    static func places(
        by filter: ExpenseFilter,
        behind place: MapPlace?
    ) -> BoundStatement<PlaceSum> {
        var builder = StatementBuilder(
            """
            select north, east, label, currency, count, amount
            from (
                select round(latitude / 1000.0)::float8 / 1000 as north,
                    round(longitude / 1000.0)::float8 / 1000 as east, max(place_name) as label,
                    currency, count(*) as count, sum(amount) as amount,
                    dense_rank() over (order by round(latitude / 1000.0), round(longitude / 1000.0))
                        as place
                from groups.expense as t
                where group_id = $1 and latitude is not null and removed_at is null
            """,
            filter.group
        )
        ExpenseStatements.append(filter, to: &builder)
        if let place {
            builder.append(
                """
                 and (round(latitude / 1000.0), round(longitude / 1000.0))
                    > ($1::bigint, $2::bigint)
                """,
                place.north,
                place.east
            )
        }
        builder.append(
            """
             group by round(latitude / 1000.0), round(longitude / 1000.0), currency
            ) sums
            where place <= $1
            order by north, east, currency
            limit $2
            """,
            GroupReports.placesMax + 1,
            placeSumsMax
        )
        return builder.statement { row in
            try PlaceSum(
                latitude: row.value(0),
                longitude: row.value(1),
                label: row.value(2),
                currency: row.value(3),
                count: row.int64(4),
                amount: row.value(5)
            )
        }
    }
}

/// Where a page of totals begins: behind these.
struct TotalsPlace: JSONObject, Hashable {
    let currency: Currency
    /// The category or month; empty where totals are not told apart.
    let key: String

    static let json = Object(
        TotalsPlace.init,
        Field("currency", \.currency),
        Field("key", \.key)
    )
}

/// Where a page of places begins: behind this one, in thousandths of a degree.
struct MapPlace: JSONObject, Hashable {
    let north: Int64
    let east: Int64

    static let json = Object(
        MapPlace.init(north:east:),
        Field("north", \.north, .range(-90_000...90_000)),
        Field("east", \.east, .range(-180_000...180_000))
    )

    init(north: Int64, east: Int64) {
        self.north = north
        self.east = east
    }

    init(_ sum: GroupReportStatements.PlaceSum) {
        north = Int64((sum.latitude * 1_000).rounded())
        east = Int64((sum.longitude * 1_000).rounded())
    }
}
