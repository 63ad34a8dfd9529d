import Postgres
import ServiceKit
import WalletProtocol

/// What is looked at one by one of a day.
struct BookedDay: Sendable {
    let day: Day
    /// Whether anything of it is in another currency than the report's.
    let isConverted: Bool
    let bookings: Int64
}

/// The SQL of reports.
///
/// What is booked in the report's currency is read from the cells by report_cell_pkey, the rest
/// from each booking by fact_user_currency_day_idx, or for a group by
/// group_expense_currency_day_idx. Left out is what was booked on wallets of others that the user
/// sees no more (wallet_member_pkey).
enum ReportStatements {
    /// The currencies that an owner has ever booked in, by one look-up each.
    static let currencies = Statement(
        by: "report_cell_pkey",
        """
        with recursive known as (
            (
                select c.currency
                from analytics.report_cell c
                where c.owner_id = $1
                order by c.currency
                limit 1
            )
            union all
            select (
                select c.currency
                from analytics.report_cell c
                where c.owner_id = $1 and c.currency > known.currency
                order by c.currency
                limit 1
            )
            from known
            where known.currency is not null
        )
        select currency
        from known
        where currency is not null
        order by currency
        limit 1000
        """
    ) { row in try row.value(0, as: Currency.self) }

    /// Which of a person's categories stand below which.
    static let parents = Statement(
        by: "category_pkey",
        """
        select category_id, parent_id
        from analytics.category
        where user_id = $1 and parent_id is not null
        order by category_id
        limit 100000
        """
    ) { row in
        (
            child: try row.value(0, as: CategoryID.self),
            parent: try row.value(1, as: CategoryID.self)
        )
    }

    /// The same of a group.
    static let groupParents = Statement(
        by: "group_category_pkey",
        """
        select category_id, parent_id
        from analytics.group_category
        where group_id = $1
        order by category_id
        limit 100000
        """
    ) { row in
        (
            child: try row.value(0, as: CategoryID.self),
            parent: try row.value(1, as: CategoryID.self)
        )
    }

    /// Days on which something was booked in these currencies, of one booking more than may be
    /// looked at one by one.
    static func days(_ scope: ReportScope, in currencies: [Currency]) -> BoundStatement<BookedDay> {
        var builder = StatementBuilder(
            "select f.day, bool_or(f.currency <> $1), count(*)\nfrom (",
            scope.currency
        )
        appendBookings(to: &builder, scope, in: currencies)
        builder.append(
            "\n    limit $1\n) as f\ngroup by f.day\norder by f.day\nlimit 1000000",
            Int64(Reports.bookingsMax + 1)
        )
        return builder.statement { row in
            try BookedDay(day: row.value(0), isConverted: row.bool(1), bookings: row.int64(2))
        }
    }

    /// Sums by interval and way, and by category where they are told apart.
    ///
    /// Days come as whole cells, for a row of each day would be thousands; `ReportCell` adds them
    /// up. One statement, so that cells and what is converted are of one moment.
    /// - Parameters:
    ///   - starts: the first day of each interval.
    ///   - others: the currencies beside the report's; with bounds of amounts all.
    static func sums(
        _ scope: ReportScope,
        of stretches: Stretches,
        from starts: [Day],
        byCategory: Bool,
        others: [Currency]
    ) -> BoundStatement<ReportInput> {
        let cells = scope.isByAmount ? nil : stretches
        var builder = StatementBuilder("")
        var separator: StaticString = ""
        if cells?.months != nil || scope.isByAmount || !others.isEmpty {
            appendSums(to: &builder, scope, cells?.months, starts, byCategory, others)
            separator = "\nunion all\n"
        }
        for days in cells?.days ?? [] {
            builder.append(separator)
            appendDays(to: &builder, scope, days, byCategory)
            separator = "\nunion all\n"
        }
        builder.append("\nlimit 1000000")
        return builder.statement { row in try ReportInput(row) }
    }

    private static func appendSums(
        to builder: inout StatementBuilder,
        _ scope: ReportScope,
        _ months: ClosedRange<Month>?,
        _ starts: [Day],
        _ byCategory: Bool,
        _ others: [Currency]
    ) {
        builder.append("with value as (")
        if let months { appendMonths(to: &builder, scope, months) }
        if scope.isByAmount || !others.isEmpty {
            if months != nil { builder.append("\nunion all\n") }
            appendValues(to: &builder, scope, in: others)
        }
        builder.append("\n)\nselect width_bucket(v.day, $1::date[]) as bucket, ", starts)
        if byCategory {
            builder.append("case when v.missing is null then v.category_id end as category,")
        } else {
            builder.append("null::uuid as category,")
        }
        builder.append(
            """

                v.is_income, v.missing, sum(v.amount) as amount, sum(v.parts)::int8 as parts,
                sum(v.transactions)::int8 as transactions, null::date as month,
                null::int8[] as days
            from value v
            group by 1, 2, 3, 4
            having sum(v.parts) <> 0
            """
        )
    }

    /// How many transactions have a booking between the amounts.
    static func count(_ scope: ReportScope, in all: [Currency]) -> BoundStatement<Int64> {
        var builder = StatementBuilder("select count(distinct v.transaction_id)\nfrom (")
        appendValues(to: &builder, scope, in: all)
        builder.append("\n) as v")
        return builder.statement { row in try row.int64(0) }
    }

    /// How many parts stand beside another of the same transaction.
    ///
    /// By fact_split_idx, and the other by fact_pkey.
    static func furtherParts(_ scope: ReportScope, of user: ID<User>) -> BoundStatement<Int64> {
        var builder = StatementBuilder(
            """
            select count(*)
            from analytics.fact f
            where f.user_id = $1 and f.part > 0 and not f.is_reversed
                and f.day between $2 and $3
            """,
            user,
            scope.period.from,
            scope.period.to
        )
        appendFilter(to: &builder, scope)
        builder.append(
            """

                and exists (
                    select
                    from analytics.fact g
                    where g.user_id = $1 and g.transaction_id = f.transaction_id
                        and g.version = f.version and g.part < f.part and not g.is_reversed
            """,
            user
        )
        if !scope.categories.isEmpty {
            builder.append(" and g.category_id = any($1)", scope.categories)
        }
        switch scope.direction {
        case .incoming: builder.append(" and g.amount >= 0")
        case .outgoing: builder.append(" and g.amount < 0")
        case nil: break
        }
        builder.append(")")
        return builder.statement { row in try row.int64(0) }
    }

    /// Whole months in the report's currency.
    private static func appendMonths(
        to builder: inout StatementBuilder,
        _ scope: ReportScope,
        _ months: ClosedRange<Month>
    ) {
        builder.append(
            """

            select f.month as day, f.category_id, f.is_income, null::text as missing,
                f.amount, f.part_count as parts, f.transaction_count as transactions,
                null::uuid as transaction_id
            from analytics.report_cell f
            where f.owner_id = $1 and f.currency = $2 and f.month between $3 and $4
            """,
            scope.subject.owner,
            scope.currency,
            months.lowerBound.firstDay,
            months.upperBound.firstDay
        )
        appendFilterOfCells(to: &builder, scope)
    }

    /// The cells of the months that a stretch of days is in, at most one more than is allowed.
    ///
    /// They come whole: days outside of the report are in none of its intervals.
    private static func appendDays(
        to builder: inout StatementBuilder,
        _ scope: ReportScope,
        _ days: Period,
        _ byCategory: Bool
    ) {
        builder.append("select null::integer as bucket, ")
        builder.append(byCategory ? "f.category_id as category," : "null::uuid as category,")
        builder.append(
            """

                f.is_income, null::text as missing, null::numeric as amount, null::int8 as parts,
                null::int8 as transactions, f.month, f.days
            from (
                select f.category_id, f.is_income, f.month, f.days
                from analytics.report_cell f
                where f.owner_id = $1 and f.currency = $2 and f.month between $3 and $4
            """,
            scope.subject.owner,
            scope.currency,
            days.from.month.firstDay,
            days.to
        )
        appendFilterOfCells(to: &builder, scope)
        builder.append("\n    limit $1\n) as f", Int64(Reports.cellsMax + 1))
    }

    private static func appendFilterOfCells(
        to builder: inout StatementBuilder,
        _ scope: ReportScope
    ) {
        switch scope.direction {
        case .incoming: builder.append(" and f.is_income")
        case .outgoing: builder.append(" and not f.is_income")
        case nil: break
        }
        appendPlaces(to: &builder, scope)
    }

    /// Each booking in the report's currency, rounded by itself, so that all sums agree; where its
    /// currency has no rate (`missing`), in its own.
    private static func appendValues(
        to builder: inout StatementBuilder,
        _ scope: ReportScope,
        in currencies: [Currency]
    ) {
        builder.append(
            """

            select booked.day, booked.category_id, booked.amount >= 0 as is_income,
                booked.missing, booked.value as amount, 1::int8 as parts,
                (booked.part = 0)::int::int8 as transactions, booked.transaction_id
            from (
                select f.day, f.category_id, f.amount, f.part, f.transaction_id,
                    case
                        when f.currency = $1 or source.day is not null and target.day is not null
                            then null
                        else f.currency
                    end as missing,
                    case
                        when f.currency <> $1 and source.day is not null
                            and target.day is not null
                            then analytics.half_even(
                                round(f.amount * target.minor_units, 24) / source.minor_units)
                        else f.amount
                    end as value
                from (
            """,
            scope.currency
        )
        appendBookings(to: &builder, scope, in: currencies)
        builder.append(
            """

                ) as f
                left join analytics.exchange_rate source
                    on source.day = f.day and source.currency = f.currency
                left join analytics.exchange_rate target
                    on target.day = f.day and target.currency = $1
            ) as booked
            where true
            """,
            scope.currency
        )
        if scope.isByAmount { builder.append(" and booked.missing is null") }
        if let least = scope.least { builder.append(" and abs(booked.value) >= $1", least) }
        if let most = scope.most { builder.append(" and abs(booked.value) <= $1", most) }
    }

    /// The bookings in some currencies that a report counts: a look-up each, by `offset 0`.
    private static func appendBookings(
        to builder: inout StatementBuilder,
        _ scope: ReportScope,
        in currencies: [Currency]
    ) {
        builder.append(
            """

            select booking.day, booking.category_id, booking.currency, booking.amount,
                booking.part, booking.transaction_id
            from unnest($1::text[]) as told (currency)
            cross join lateral (
            """,
            currencies
        )
        switch scope.subject {
        case .person(let user):
            builder.append(
                """

                select f.day, f.category_id, f.currency, f.amount, f.part, f.transaction_id
                from analytics.fact f
                where f.user_id = $1 and not f.is_reversed and f.currency = told.currency
                    and f.day between $2 and $3
                """,
                user,
                scope.period.from,
                scope.period.to
            )
        case .group(let group):
            builder.append(
                """

                select f.day, f.category_id, f.currency, f.amount, f.part, f.transaction_id
                from (
                    select e.day, e.category_id, e.currency, -e.amount as amount, 0 as part,
                        e.expense_id as transaction_id
                    from analytics.group_expense e
                    where e.group_id = $1 and e.currency = told.currency
                        and e.day between $2 and $3
                ) as f
                where true
                """,
                group,
                scope.period.from,
                scope.period.to
            )
        }
        appendFilter(to: &builder, scope)
        builder.append("\n    offset 0\n) as booking")
    }

    private static func appendFilter(to builder: inout StatementBuilder, _ scope: ReportScope) {
        switch scope.direction {
        case .incoming: builder.append(" and f.amount >= 0")
        case .outgoing: builder.append(" and f.amount < 0")
        case nil: break
        }
        appendPlaces(to: &builder, scope)
    }

    /// Accounts and categories; a group has no accounts.
    private static func appendPlaces(to builder: inout StatementBuilder, _ scope: ReportScope) {
        if case .person(let user) = scope.subject {
            builder.append(
                """
                 and f.account_id <> all (array(
                    select former.account_id
                    from analytics.wallet_member former
                    where former.user_id = $1
                """,
                user
            )
            builder.append(scope.isOfChild ? "))" : " and not former.is_member))")
            if !scope.accounts.isEmpty {
                builder.append(" and f.account_id = any($1)", scope.accounts)
            }
        }
        if !scope.categories.isEmpty {
            builder.append(" and f.category_id = any($1)", scope.categories)
        }
    }
}
