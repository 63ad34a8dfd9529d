import Postgres
import WalletProtocol

/// The SQL of what limits refused; each statement names the index that serves it.
enum RefusalStatements {
    /// The largest of those that were refused is told.
    static let note = Statement<Void>(
        by: "allowance_notice_pkey, allowance_pkey",
        """
        insert into ledger.allowance_notice as noticed (account_id, kind, count, amount)
        select listed.id, 'refused', count(*), max(listed.amount)
        from unnest($1::uuid[], $2::bigint[]) as listed (id, amount)
        cross join lateral (
            select from ledger.allowance
            where account_id = listed.id and released_at is null
            limit 1
        ) as made
        group by listed.id
        order by listed.id
        on conflict (account_id, kind) do update
        set count = least(noticed.count::bigint + excluded.count, 2147483647),
            amount = greatest(noticed.amount, excluded.amount)
        """
    )
}
