import Postgres
import ServiceKit
import WalletProtocol

// Groups, over the whole filter.
extension TransactionListStatements {
    /// What each group comes to in each currency, by key.
    ///
    /// Own transfers are neither income nor expense, nor is what a transaction has beside its
    /// lines. It reads every row of the filter: by `few` where a source leaves few.
    static func groups(
        _ filter: TransactionFilter,
        by grouping: TransactionGrouping,
        few: TransactionFilter.Source?
    ) -> BoundStatement<TransactionSum> {
        var builder = StatementBuilder("with booked as ")
        if let few {
            builder.append("materialized (\n")
            bookedColumns(&builder)
            builder.append(" from (\nselect distinct id, version from (\n")
            let walk = TransactionWalk(order: .newestFirst, place: nil, limit: Int(Int32.max))
            rows(filter, by: few, walk, &builder)
            builder.append(
                """
                ) as each
                ) as found
                join ledger.money_transaction as t on t.id = found.id and t.version = found.version
                """
            )
        } else {
            builder.append("not materialized (\n")
            bookedColumns(&builder)
            if filter.isShared {
                // money_transaction_account_idx.
                builder.append(
                    """
                     from unnest($1::uuid[]) as chosen (id) cross join lateral (
                        select t.* from ledger.money_transaction as t
                        where t.account_id = chosen.id and t.reversed_by is null
                    """,
                    filter.accounts
                )
                conditions(filter, without: .accounts, .plain, .days, &builder)
                builder.append(") as t")
            } else {
                builder.append(
                    """
                     from ledger.money_transaction as t
                    where t.user_id = $1 and t.reversed_by is null
                    """,
                    filter.user
                )
                conditions(filter, without: nil, .plain, .days, &builder)
            }
        }
        builder.append("\n)\nselect ")
        switch grouping {
        case .category: builder.append("category_id::text")
        case .day: builder.append("to_char(day, 'YYYY-MM-DD')")
        case .month: builder.append("to_char(day, 'YYYY-MM')")
        }
        builder.append(
            """
            , currency, sum(rows)::bigint, sum(incoming), sum(outgoing)
            from (
                select category_id, day, account_id, count(*) as rows,
                    coalesce(sum(amount) filter (where amount >= 0 and not own_transfer), 0)
                        as incoming,
                    coalesce(-sum(amount) filter (where amount < 0 and not own_transfer), 0)
                        as outgoing
                from (

            """
        )
        switch grouping {
        case .category:
            builder.append(
                """
                select category_id, null::date as day, account_id, amount, own_transfer
                from booked where not is_split
                union all
                select line.category_id, null, account_id, line.amount, own_transfer
                from booked cross join lateral (
                    select category_id, amount from ledger.transaction_line
                    where transaction_id = booked.id and version = booked.version offset 0
                ) as line
                where is_split
                """
            )
            if !filter.categories.isEmpty {
                builder.append(" and line.category_id = any ($1)", filter.categories)
            }
        case .day, .month:
            builder.append(
                """
                select null::uuid as category_id, day, account_id,
                    case when is_split then coalesce((
                        select sum(line.amount) from ledger.transaction_line as line
                        where line.transaction_id = booked.id and line.version = booked.version
                    ), 0) else amount end as amount,
                    own_transfer
                from booked
                """
            )
        }
        builder.append(
            """

                ) as each
                group by category_id, day, account_id
            ) as summed
            join ledger.account on account.id = summed.account_id
            group by 1, 2 order by 1, 2
            """
        )
        return builder.statement { row in try TransactionSum(row) }
    }

    private static func bookedColumns(_ builder: inout StatementBuilder) {
        builder.append(
            """
            select t.id, t.version, t.category_id, t.day, t.account_id, t.amount, t.own_transfer,
                t.is_split
            """
        )
    }
}

/// What a group comes to in a currency.
struct TransactionSum: Sendable {
    let key: String
    let count: Int64
    let incoming: Total
    let outgoing: Total

    init(_ row: borrowing PostgresRow) throws {
        key = try row.string(0)
        let currency: Currency = try row.value(1)
        count = try row.int64(2)
        incoming = try Total(minorUnits: row.value(3), currency)
        outgoing = try Total(minorUnits: row.value(4), currency)
    }

    var view: TransactionGroup {
        TransactionGroup(key: key, count: Int(count), incoming: incoming, outgoing: outgoing)
    }
}
