import Postgres
import ServiceKit
import WalletProtocol

/// A release of everybody's figures.
struct Release: Sendable, Equatable {
    let number: Int64
    let releasedAt: Instant
    let usersMin: Int
    let currencies: [Currency]
    /// Whether it has been gone through; a part that failed is as it was before.
    var isWhole = false
}

/// The SQL of releases; that of bookings is in `BookingStatements`, of cells in `CellStatements`.
enum ReleaseStatements {
    /// The newest one, be it under way or cut off.
    static let latest = Statement(
        by: "release_pkey",
        """
        select number, released_at, users_min, currencies, is_whole
        from analytics.release
        order by number desc
        limit 1
        """
    ) { row in
        try Release(
            number: row.int64(0),
            releasedAt: row.value(1),
            usersMin: Int(row.int64(2)),
            currencies: row.value(3),
            isWhole: row.value(4)
        )
    }

    /// When the newest one was begun that has been gone through.
    static let latestWhole = Statement(
        by: "release_pkey",
        """
        select released_at
        from analytics.release
        where is_whole
        order by number desc
        limit 1
        """
    ) { row in try row.value(0, as: Instant.self) }

    static let insert = Statement<Void>(
        """
        insert into analytics.release (number, released_at, users_min, currencies)
        values ($1, $2, $3, $4)
        """
    )

    static let finish = Statement<Void>(
        by: "release_pkey",
        "update analytics.release set is_whole = true where number = $1"
    )

    /// Waits for whoever makes a release; it is held until the connection is given back or lost.
    static let begin = Statement<Void>("select pg_advisory_lock(4997393964425)")

    /// False where somebody makes a release.
    static let tryBegin = Statement("select pg_try_advisory_lock(4997393964425)") { row in
        try row.value(0, as: Bool.self)
    }

    /// Waits for whoever releases a month or forgets.
    static let lock = Statement(
        by: "release_lock_pkey",
        "select id from analytics.release_lock where id limit 1 for update"
    ) { row in try row.value(0, as: Bool.self) }

    /// Nothing where somebody releases a month or forgets.
    static let tryLock = Statement(
        by: "release_lock_pkey",
        "select id from analytics.release_lock where id limit 1 for update skip locked"
    ) { row in try row.value(0, as: Bool.self) }

    // MARK: People

    /// Some who have booked something, by a skip scan.
    static let someUsers = Statement(
        by: "fact_user_currency_day_idx",
        """
        with recursive someone as (
            (
                select user_id
                from analytics.fact
                where user_id > $1::text::uuid and not is_reversed
                order by user_id
                limit 1
            )
            union all
            select (
                select f.user_id
                from analytics.fact f
                where f.user_id > s.user_id and not f.is_reversed
                order by f.user_id
                limit 1
            )
            from someone s
            where s.user_id is not null
        )
        select user_id
        from someone
        where user_id is not null
        limit 500
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Gives those a number who have none; each is a lock until the transaction ends.
    static let number = Statement<Void>(
        by: "insight_person_pkey",
        """
        insert into analytics.insight_person (user_id)
        select told.user_id
        from unnest($1::uuid[]) as told (user_id)
        where not exists (
            select from analytics.insight_person p where p.user_id = told.user_id)
        on conflict (user_id) do nothing
        """
    )

    // MARK: Months

    /// The months that something is booked in, or was when they were released.
    static let months = Statement(
        by: "fact_day_idx",
        """
        with recursive later as (
            (
                select date_trunc('month', day)::date as month
                from analytics.fact
                where not is_reversed
                order by day
                limit 1
            )
            union all
            select (
                select date_trunc('month', f.day)::date
                from analytics.fact f
                where not f.is_reversed and f.day >= (l.month + interval '1 month')::date
                order by f.day
                limit 1
            )
            from later l
            where l.month is not null
        )
        select month from later where month is not null
        union
        select month from analytics.released_month
        order by month
        limit 100000
        """
    ) { row in try row.value(0, as: Day.self) }

    static let lastReleased = Statement(
        by: "released_month_pkey",
        "select month from analytics.released_month order by month desc limit 1"
    ) { row in try row.value(0, as: Day.self) }

    /// The releases with which a month's cube was taken up.
    static let changes = Statement(
        by: "released_month_pkey",
        """
        select release, lost
        from analytics.released_month
        where month = $1 and is_incoming = $2 and is_converted = $3
        order by release
        limit 100000
        """
    ) { row in try TakeUp.Earlier(release: row.int64(0), lost: Int(row.int64(1))) }

    static let noteChange = Statement<Void>(
        """
        insert into analytics.released_month (month, is_incoming, is_converted, release, lost)
        values ($1, $2, $3, $4, $5)
        """
    )

    /// Days of whose bookings some are in another currency than their month's, and of which a rate
    /// of theirs, or of the month's, has not been released.
    static let foreignDays = Statement(
        by: "fact_day_idx, month_base_pkey, released_rate_pkey",
        """
        select f.day
        from (
            select day, currency, date_trunc('month', day)::date as month
            from analytics.fact
            where day between $1 and $2 and not is_reversed
            group by day, currency
        ) as f
        left join analytics.month_base b on b.month = f.month
        where f.currency <> coalesce(b.currency, $3) and (
            select count(*)
            from analytics.released_rate r
            where r.day = f.day and r.currency in (f.currency, coalesce(b.currency, $3))
        ) < 2
        group by f.day
        order by f.day
        limit 100000
        """
    ) { row in try row.value(0, as: Day.self) }

    /// Whether on each of the days of a period that begins a month some currencies have a rate that
    /// has been released, and its own has where it is none of them.
    static let isRated = Statement(
        by: "month_base_pkey, released_rate_pkey",
        """
        select not exists (
            select
            from unnest($4::text[]) as other (currency)
            cross join (
                select coalesce(
                    (select b.currency from analytics.month_base b where b.month = $1), $5::text
                ) as currency
            ) as own
            where other.currency <> own.currency and (
                select count(*)
                from analytics.released_rate r
                where r.day between $1 and $2 and r.currency in (own.currency, other.currency)
            ) < 2 * $3)
        """
    ) { row in try row.value(0, as: Bool.self) }

    /// Settles, when a month is first due, in which currency its figures are kept.
    static let chooseBase = Statement<Void>(
        by: "month_base_pkey",
        """
        insert into analytics.month_base (month, currency)
        values ($1, $2)
        on conflict on constraint month_base_pkey do nothing
        """
    )

    static let base = Statement(
        by: "month_base_pkey",
        "select currency from analytics.month_base where month = $1"
    ) { row in try row.value(0, as: Currency.self) }

    /// Works out a month's rates: the mean of its days, those until a day, where each has one; of a
    /// currency that one has none of there is none.
    ///
    /// It is a matter of the calendar and not of what is booked. Were a currency told but where
    /// something is booked on a day without its rate, that would tell of it.
    static let rateMonth = Statement<Void>(
        by: "month_base_pkey, released_rate_pkey, month_rate_pkey",
        """
        with base as materialized (
            select month, currency from analytics.month_base where month = $1
        ), rated as (
            select r.currency, round(avg(r.minor_units / own.minor_units), 12) as rate
            from base
            join analytics.released_rate own
                on own.day between $1 and $2 and own.currency = base.currency
            join analytics.released_rate r on r.day = own.day and r.currency = any($4)
            where r.currency <> base.currency
            group by r.currency
            having count(*) >= $3 and round(avg(r.minor_units / own.minor_units), 12) > 0
            union all
            select currency, 1 from base
        ), gone as (
            delete from analytics.month_rate
            where month = $1 and currency = any($4)
                and not exists (select from rated r where r.currency = month_rate.currency)
        )
        insert into analytics.month_rate as kept (month, currency, rate)
        select $1, currency, rate from rated
        on conflict on constraint month_rate_pkey do update
        set rate = excluded.rate
        where kept.rate <> excluded.rate
        """
    )

    /// Keeps the rates of days, those there are, for good; one that comes later is kept then.
    static let freezeRates = Statement<Void>(
        by: "released_day_pkey, released_rate_pkey, exchange_rate_pkey",
        """
        with frozen as (
            insert into analytics.released_day (day)
            select day from unnest($1::date[]) as told (day)
            on conflict (day) do nothing
        )
        insert into analytics.released_rate (day, currency, minor_units)
        select day, currency, minor_units
        from analytics.exchange_rate
        where day = any($1::date[])
        on conflict (day, currency) do nothing
        """
    )
}
