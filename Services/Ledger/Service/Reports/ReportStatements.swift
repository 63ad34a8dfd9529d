import Postgres
import ServiceKit
import WalletProtocol

/// An account that a report may be of.
struct ReportAccount: Sendable {
    let id: ID<Account>
    let name: String
    let currency: Currency
    /// Whether it is the person's, and not one that is shared with them.
    let isOwn: Bool
    let isClosed: Bool
}

/// The SQL of what reports are of.
enum ReportStatements {
    /// Every account that somebody sees, closed ones as well.
    static let accounts = Statement(
        by: "account_user_id_idx, account_member_, account_pkey",
        """
        select id, coalesce(name, ''), currency, true, state = 'closed' from ledger.account
        where user_id = $1 and kind <> 'receivable'
        union all
        select account.id, coalesce(account.name, ''), currency, false, state = 'closed'
        from ledger.account_member as member
        join ledger.account on account.id = member.account_id
        where member.user_id = $1 and left_at is null
        order by 1
        limit 10000
        """
    ) { row in
        try ReportAccount(
            id: row.value(0),
            name: row.string(1),
            currency: row.value(2),
            isOwn: row.bool(3),
            isClosed: row.bool(4)
        )
    }

    /// Which of these are somebody's, also those that are gone: what was booked in them stays.
    static let categories = Statement(
        by: "category_",
        "select id from ledger.category where id = any ($2) and user_id = $1 limit 1000"
    ) { row in try row.value(0, as: CategoryID.self) }

    /// Of each account what it holds, and what was booked on it from a day on, by the periods that
    /// begin on the days of a list; a row without a period where that is nothing.
    ///
    /// Before the day up to which an account's sums are kept, those are read.
    static let balances = Statement(
        by: "balance_pkey, money_transaction_account_idx, report_day_pkey",
        """
        select chosen.id, coalesce(balance.amount, 0), booked.period, coalesce(booked.amount, 0)
        from unnest($1::uuid[], $4::date[]) as chosen (id, closed)
        left join ledger.balance on balance.account_id = chosen.id
        left join lateral (
            select width_bucket(line.day, $2::date[]) as period, sum(line.amount) as amount
            from (
                select day, amount from ledger.money_transaction
                where account_id = chosen.id and reversed_by is null
                    and day >= greatest($3, chosen.closed)
                union all
                select day, amount from ledger.report_day
                where account_id = chosen.id and day >= $3 and day < chosen.closed
            ) as line
            group by 1
        ) as booked on true
        """
    ) { row in
        try AccountMovements(
            account: row.value(0),
            balance: row.value(1),
            period: row.value(2, as: Int32?.self).map(Int.init),
            amount: row.value(3)
        )
    }
}

/// What was booked on an account in a period; none where nothing was.
struct AccountMovements: Sendable {
    let account: ID<Account>
    /// All that it holds.
    let balance: Int128
    /// From 1 on, in the order of the days that periods begin on.
    let period: Int?
    let amount: Int128
}
