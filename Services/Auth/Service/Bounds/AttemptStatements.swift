import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of attempts that may fail; failed_log_in_pkey serves every statement but those named.
enum AttemptStatements {
    /// Counts an attempt before it is looked at, so that any number at once are that many; while
    /// the subject is blocked it counts none and answers nothing.
    ///
    /// The wait doubles from the first above $2 on, to a quarter of an hour. A day without attempts
    /// forgets; nobody is ever shut out for good, for that would let an attacker shut anyone out.
    /// Each stroke of a clock that strikes every $4 seconds takes one back.
    static let count = Statement(
        by: "failed_log_in_pkey",
        """
        insert into auth.failed_log_in as f (
            subject, failures, last_failed_at, blocked_until, owner)
        values ($1, 1, now(), now(), $3)
        on conflict (subject) do update
        set failures = case
                when f.last_failed_at < now() - interval '1 day' then 1
                else 1 + greatest(0, f.failures - coalesce(
                    floor(extract(epoch from now()) / $4::integer)
                    - floor(extract(epoch from f.last_failed_at) / $4::integer), 0)) end,
            last_failed_at = now(),
            blocked_until = now() + (
                select make_interval(
                    secs => case when above < 0 then 0
                        else least(900, power(2, least(20, above))) end)
                from (
                    select case
                        when f.last_failed_at < now() - interval '1 day' then -1
                        else greatest(0, f.failures - coalesce(
                            floor(extract(epoch from now()) / $4::integer)
                            - floor(extract(epoch from f.last_failed_at) / $4::integer), 0))
                            - $2 end as above
                ) as counted)
        where f.blocked_until <= now()
        returning failures
        """
    ) { row in try row.int32(0) }

    /// Until when a subject is blocked, where it is.
    static let block = Statement(
        by: "failed_log_in_pkey",
        """
        select blocked_until
        from auth.failed_log_in
        where subject = $1 and blocked_until > now()
        limit 1
        """
    ) { row in try row.value(0, as: Instant.self) }

    /// Takes back what was counted and never looked at, which nobody had blocked then.
    static let uncount = Statement<Void>(
        by: "failed_log_in_pkey",
        """
        update auth.failed_log_in
        set failures = greatest(failures - 1, 0), blocked_until = last_failed_at
        where subject = any($1)
        """
    )

    static let forget = Statement<Void>(
        by: "failed_log_in_pkey",
        "delete from auth.failed_log_in where subject = any($1)"
    )

    /// Everything about one account, from wherever it was.
    static let forgetOwner = Statement<Void>(
        by: "failed_log_in_owner_idx",
        "delete from auth.failed_log_in where owner = $1"
    )

    /// A day without failures forgets, for made-up names too.
    static let deleteOld = Statement<Void>(
        by: "failed_log_in_last_failed_at_idx",
        """
        delete from auth.failed_log_in
        where ctid = any(array(
            select ctid
            from auth.failed_log_in
            where last_failed_at < now() - interval '1 day'
            limit 5000))
        """
    )

    /// Whether somebody signed in from there within 30 days.
    static let isKnown = Statement(
        by: "known_network_pkey",
        """
        select exists (
            select from auth.known_network
            where subject = $1 and seen_at > now() - interval '30 days')
        """
    ) { row in try row.bool(0) }

    /// Written once a day.
    static let know = Statement<Void>(
        by: "known_network_pkey",
        """
        insert into auth.known_network as k (subject, user_id)
        values ($1, $2)
        on conflict (subject) do update
        set seen_at = now()
        where k.seen_at < now() - interval '1 day'
        """
    )

    static let forgetNetworks = Statement<Void>(
        by: "known_network_seen_at_idx",
        """
        delete from auth.known_network
        where ctid = any(array(
            select ctid
            from auth.known_network
            where seen_at < now() - interval '30 days'
            limit 5000))
        """
    )
}
