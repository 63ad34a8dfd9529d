import Postgres
import ServiceKit
import WalletProtocol

/// What of a person's own books counts as income or expense: which, and by what it is summed.
struct CountedFilter: Sendable {
    var scope: ReportScope
    var period: ReportPeriod
    /// That of the report; what is in another comes day by day.
    let currency: Currency
    var direction: Direction?
    /// Magnitudes in the report's currency.
    var least: Int64?
    var most: Int64?
}

/// What sums are told apart by.
enum CountedKey: Sendable {
    case payee, place, nothing
}

/// A sum of what counts.
///
/// In the report's currency there is one for each key; in another one for each day and amount,
/// which has its own rounding, and of what is split for each transaction.
struct CountedRow: Sendable {
    let isIncome: Bool
    /// Another than the report's, with its day and the amount of each.
    let foreign: Foreign?
    let sum: Int128
    /// Parts, and transactions.
    let count: Int64
    let transactions: Int64
    let name: String?
    let label: String?
    /// In thousandths of a degree.
    let north: Int32?
    let east: Int32?

    struct Foreign: Sendable {
        let currency: Currency
        let day: Day
        let each: Int64
        /// Of one that is split.
        let transaction: ID<MoneyTransaction>?
    }
}

/// The SQL of what counts: a walk over the days of each account, by money_transaction_account_idx,
/// or over those that have a location, by money_transaction_located_account_idx; parts of what is
/// split by transaction_line_pkey.
enum CountedStatements {
    /// Parts that a report walks over at most: a person's books of decades.
    static let partsMax: Int64 = 500_000
    /// Sums that it makes at most.
    static let sumsMax = 100_000

    static func sums(
        _ filter: CountedFilter,
        by key: CountedKey
    ) -> BoundStatement<CountedRow> {
        var builder = StatementBuilder("with t as materialized (")
        walk(filter, by: key, &builder)
        builder.append(
            """

            )
            select each.is_income, each.currency, each.day, each.one, each.split, sum(each.amount),
                count(*), count(*) filter (where each.is_first), each.name, max(each.place),
                each.north, each.east
            from (
                select amount >= 0 as is_income, amount, is_first,
                    case when currency <> $1 then currency end as currency,
                    case when currency <> $1 then day end as day,
                    case when currency <> $1 then amount end as one,
                    case when currency <> $1 and is_split then id end as split,
            """,
            filter.currency.code
        )
        switch key {
        case .payee:
            builder.append(
                """
                 name collate "C" as name, null as place, null::integer as north,
                    null::integer as east
                """
            )
        case .place:
            builder.append(
                """
                 null as name, place, round(latitude / 1000.0)::integer as north,
                    round(longitude / 1000.0)::integer as east
                """
            )
        case .nothing:
            builder.append(
                """
                 null as name, null as place, null::integer as north, null::integer as east
                """
            )
        }
        parts(filter, &builder)
        builder.append(
            """
            ) as each
            group by each.name, each.north, each.east, each.is_income, each.currency, each.day,
                each.one, each.split
            limit $1
            """,
            sumsMax + 1
        )
        return builder.statement { row in try counted(row) }
    }

    /// Each transaction of the days, whole.
    private static func walk(
        _ filter: CountedFilter,
        by key: CountedKey,
        _ builder: inout StatementBuilder
    ) {
        // Whose it is, is written so that no index over a person's books serves it.
        builder.append(
            """

                select seen.currency, own.*
                from unnest($1::uuid[], $2::text[]) as seen (id, currency)
                cross join lateral (
                    select id, version, day, amount, is_split, category_id, name, place, latitude,
                        longitude
                    from ledger.money_transaction
                    where account_id = seen.id and day between $4 and $5
                        and (user_id = $3) is true and not own_transfer
            """,
            filter.scope.accounts.map(\.id),
            filter.scope.accounts.map(\.currency.code),
            filter.scope.user,
            filter.period.from,
            filter.period.to
        )
        // Each condition is that of its index as it is made, and serves no other.
        builder.append(
            key == .place
                ? " and (latitude is not null and reversed_by is null) is not false"
                : " and reversed_by is null"
        )
        builder.append("\n        offset 0\n    ) as own\n    limit $1", partsMax + 1)
    }

    /// Each part that counts; of what is not split, all of it.
    private static func parts(_ filter: CountedFilter, _ builder: inout StatementBuilder) {
        builder.append(
            """

                from (
                    select currency, day, id, is_split, name, place, latitude, longitude, amount,
                        true as is_first
                    from t
                    where not is_split
            """
        )
        bounds(filter, &builder)
        builder.append(
            """

                    union all
                    select currency, day, id, is_split, name, t.place, latitude, longitude,
                        line.amount, row_number() over (partition by t.id order by line.place) = 1
                    from t
                    cross join lateral (
                        select amount, place from ledger.transaction_line
                        where transaction_id = t.id and version = t.version
            """
        )
        bounds(filter, &builder)
        builder.append(
            """

                        offset 0
                    ) as line
                    where t.is_split
                    limit $1
                ) as part

            """,
            partsMax + 1
        )
    }

    /// What is bounded in the report's currency; another is once it is converted.
    private static func bounds(_ filter: CountedFilter, _ builder: inout StatementBuilder) {
        if !filter.scope.categories.isEmpty {
            builder.append(" and category_id = any ($1)", filter.scope.categories)
        }
        switch filter.direction {
        case .incoming: builder.append(" and amount >= 0")
        case .outgoing: builder.append(" and amount < 0")
        case nil: break
        }
        if let least = filter.least {
            builder.append(
                " and (currency <> $1 or abs(amount::numeric) >= $2)",
                filter.currency.code,
                Int128(least)
            )
        }
        if let most = filter.most {
            builder.append(
                " and (currency <> $1 or abs(amount::numeric) <= $2)",
                filter.currency.code,
                Int128(most)
            )
        }
    }

    private static func counted(_ row: borrowing PostgresRow) throws -> CountedRow {
        var foreign: CountedRow.Foreign?
        if let currency = try row.value(1, as: Currency?.self) {
            foreign = try CountedRow.Foreign(
                currency: currency,
                day: row.value(2),
                each: row.int64(3),
                transaction: row.value(4)
            )
        }
        return try CountedRow(
            isIncome: row.bool(0),
            foreign: foreign,
            sum: row.value(5),
            count: row.int64(6),
            transactions: row.int64(7),
            name: row.value(8),
            label: row.value(9),
            north: row.value(10),
            east: row.value(11)
        )
    }
}
