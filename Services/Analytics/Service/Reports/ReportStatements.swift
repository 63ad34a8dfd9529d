import Postgres
import ServiceKit
import WalletProtocol

/// What a user's report is of, its defaults filled in.
struct ReportScope {
    let user: ID<User>
    let period: Period
    let currency: Currency
    let accounts: [ID<Account>]
    let categories: [CategoryID]
}

/// Sums of one user's transactions: all that have a rate (`currency` nil), or those of a currency
/// that has none.
struct SummaryRow: Sendable {
    let currency: Currency?
    let income: Int128
    let expenses: Int128
    let count: Int64
}

/// One category's sum one way, or that of a currency without a rate.
struct CategoryRow: Sendable {
    let category: CategoryID?
    let currency: Currency?
    let amount: Int128
    let count: Int64
}

/// The SQL of a user's own reports: each reads that user's days by fact_user_day_idx, but for what
/// was booked on wallets of others that the user sees no more (wallet_member_pkey).
enum ReportStatements {
    /// Days on which something was booked in another currency than that of the report.
    static func foreignDays(_ scope: ReportScope) -> BoundStatement<Day> {
        var builder = StatementBuilder(
            """
            select f.day
            from analytics.fact f
            where f.user_id = $1 and not f.is_reversed
                and f.day between $2 and $3 and f.currency <> $4
            """,
            scope.user,
            scope.period.from,
            scope.period.to,
            scope.currency
        )
        filter(&builder, scope)
        builder.append("\ngroup by f.day order by f.day limit 100000")
        return builder.statement { row in try row.value(0) }
    }

    static func summary(_ scope: ReportScope) -> BoundStatement<SummaryRow> {
        var builder = values(scope)
        builder.append(
            """

            )
            select v.missing, coalesce(sum(v.amount) filter (where v.amount > 0), 0),
                coalesce(-sum(v.amount) filter (where v.amount < 0), 0),
                count(distinct v.transaction_id)
            from value v
            group by v.missing
            order by v.missing
            limit 1000
            """
        )
        return builder.statement { row in
            try SummaryRow(
                currency: row.value(0),
                income: row.value(1),
                expenses: row.value(2),
                count: row.int64(3)
            )
        }
    }

    static func byCategory(
        _ scope: ReportScope,
        _ direction: Direction
    ) -> BoundStatement<CategoryRow> {
        var builder = values(scope)
        switch direction {
        case .incoming: builder.append(" and f.amount >= 0")
        case .outgoing: builder.append(" and f.amount < 0")
        }
        builder.append(
            """

            )
            select case when v.missing is null then v.category_id end as category, v.missing,
                abs(sum(v.amount)) as amount, count(*)
            from value v
            group by category, v.missing
            order by amount desc, category, v.missing
            limit 100000
            """
        )
        return builder.statement { row in
            try CategoryRow(
                category: row.value(0),
                currency: row.value(1),
                amount: row.value(2),
                count: row.int64(3)
            )
        }
    }

    /// Each transaction, or part of one, in the report's currency, rounded by itself, so that all
    /// sums agree; where its currency has no rate (`missing`), in its own.
    private static func values(_ scope: ReportScope) -> StatementBuilder {
        var builder = StatementBuilder(
            """
            with value as (
                select f.transaction_id, f.category_id,
                    case
                        when f.currency = $4 or source.day is not null and target.day is not null
                            then null
                        else f.currency
                    end as missing,
                    case
                        when f.currency <> $4 and source.day is not null and target.day is not null
                            then analytics.half_even(
                                round(f.amount * target.minor_units, 24) / source.minor_units)
                        else f.amount
                    end as amount
                from analytics.fact f
                left join analytics.exchange_rate source
                    on source.day = f.day and source.currency = f.currency
                left join analytics.exchange_rate target
                    on target.day = f.day and target.currency = $4
                where f.user_id = $1 and not f.is_reversed
                    and f.day between $2 and $3
            """,
            scope.user,
            scope.period.from,
            scope.period.to,
            scope.currency
        )
        filter(&builder, scope)
        return builder
    }

    private static func filter(_ builder: inout StatementBuilder, _ scope: ReportScope) {
        builder.append(
            """
             and not exists (
                select from analytics.wallet_member as former
                where former.user_id = $1 and former.account_id = f.account_id
                    and not former.is_member)
            """,
            scope.user
        )
        if !scope.accounts.isEmpty {
            builder.append(" and f.account_id = any($1)", scope.accounts)
        }
        if !scope.categories.isEmpty {
            builder.append(" and f.category_id = any($1)", scope.categories)
        }
    }
}
