import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of active days; each statement names the index that serves it.
enum ActiveDayStatements {
    /// Nothing where the day was begun before, or for whoever is going; the person's row stays
    /// until the transaction's end, so that nothing is told behind an erasure.
    static let begin = Statement(
        by: "user_account_pkey, active_day_pkey",
        """
        insert into auth.active_day as known (user_id, day)
        select u.id, (now() at time zone 'UTC')::date
        from auth.user_account u
        where u.id = $1 and u.enabled and 'user' = any (u.roles) and not exists (
            select from auth.active_day a
            where a.user_id = u.id and a.day >= (now() at time zone 'UTC')::date)
        for key share of u
        on conflict (user_id) do update set day = excluded.day where known.day < excluded.day
        returning day
        """
    ) { row in try row.value(0, as: Day.self) }

    /// Some of those who have been away for long.
    static let deleteOld = Statement<Void>(
        by: "active_day_day_idx",
        """
        delete from auth.active_day
        where ctid = any(array(
            select ctid
            from auth.active_day
            where day < (now() at time zone 'UTC')::date - interval '25 months'
            limit 5000))
        """
    )
}
