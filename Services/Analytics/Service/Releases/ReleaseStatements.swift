import Postgres
import ServiceKit
import WalletProtocol

/// A release of everybody's figures.
struct Release: Sendable, Equatable {
    let number: Int64
    let releasedAt: Instant
    let usersMin: Int
    let currencies: [Currency]
}

/// A booking as the table has it, with its worth in a currency.
struct BookingRow: Sendable {
    let id: Int64
    let person: Int64
    let isIncoming: Bool
    let coordinates: [String]
    let amount: Int64
    let times: Int64
    let from: Int64
    let until: Int64
    let worth: Int128?
}

/// Erased people as the table has them.
struct ErasedRow: Sendable {
    let isIncoming: Bool
    let coordinates: [String]
    let from: Int64
    let until: Int64
    let people: Int64
}

/// The SQL of releases but for a month's cells, which is in `CellStatements`.
enum ReleaseStatements {
    static let latest = Statement(
        by: "release_pkey",
        """
        select number, released_at, users_min, currencies
        from analytics.release
        order by number desc
        limit 1
        """
    ) { row in
        try Release(
            number: row.int64(0),
            releasedAt: row.value(1),
            usersMin: Int(row.int64(2)),
            currencies: row.value(3)
        )
    }

    static let insert = Statement<Void>(
        """
        insert into analytics.release (number, released_at, users_min, currencies)
        values ($1, $2, $3, $4)
        """
    )

    /// Waits for whoever releases or forgets.
    static let lock = Statement(
        by: "release_lock_pkey",
        "select id from analytics.release_lock where id limit 1 for update"
    ) { row in try row.value(0, as: Bool.self) }

    /// Nothing where somebody releases or forgets.
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

    /// Keeps of a person how many they are, one, in what cells, and takes the rest.
    static let forget = Statement<Void>(
        by: "insight_person_pkey, booking_person_idx, release_pkey",
        """
        with person as (
            delete from analytics.insight_person where user_id = $1 returning number
        ), gone as (
            delete from analytics.booking
            where person = (select number from person)
            returning month, is_incoming, category, area, age_band, account_kind, currency,
                counts_from,
                coalesce(
                    counts_until,
                    (select number + 1 from analytics.release order by number desc limit 1)
                ) as counts_until
        )
        insert into analytics.erased_booking as kept (
            month, is_incoming, category, area, age_band, account_kind, currency, counts_from,
            counts_until, people
        )
        select month, is_incoming, category, area, age_band, account_kind, currency, counts_from,
            counts_until, 1
        from gone
        group by 1, 2, 3, 4, 5, 6, 7, 8, 9
        on conflict on constraint erased_booking_pkey do update set people = kept.people + 1
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

    /// The releases with which a month's bookings changed.
    static let changes = Statement(
        by: "released_month_pkey",
        """
        select release
        from analytics.released_month
        where month = $1
        order by release
        limit 100000
        """
    ) { row in try row.int64(0) }

    static let noteChange = Statement<Void>(
        "insert into analytics.released_month (month, release) values ($1, $2)"
    )

    /// Whether people were erased who counted in the month until this release.
    static let hasErased = Statement(
        by: "erased_booking_pkey",
        """
        select exists (
            select from analytics.erased_booking where month = $1 and counts_until = $2)
        """
    ) { row in try row.value(0, as: Bool.self) }

    /// Days of whose bookings some are in another currency than all figures, and whose rates have
    /// not been released.
    static let foreignDays = Statement(
        by: "fact_day_idx",
        """
        select f.day
        from analytics.fact f
        where f.day between $1 and $2 and not f.is_reversed
            and not (cardinality($3::text[]) = 1 and f.currency = ($3::text[])[1])
            and not exists (select from analytics.released_day d where d.day = f.day)
        group by f.day
        order by f.day
        limit 100000
        """
    ) { row in try row.value(0, as: Day.self) }

    /// Keeps the rates of days, those there are, for good.
    static let freezeRates = Statement<Void>(
        by: "released_day_pkey, exchange_rate_pkey",
        """
        with frozen as (
            insert into analytics.released_day (day)
            select day from unnest($1::date[]) as told (day)
            on conflict (day) do nothing
            returning day
        )
        insert into analytics.released_rate (day, currency, minor_units)
        select r.day, r.currency, r.minor_units
        from frozen
        join analytics.exchange_rate r on r.day = frozen.day
        """
    )

    // MARK: Bookings

    /// Makes a month's bookings what its facts are now; answers how many rows differ.
    ///
    /// What has no rate yet, and whoever has no number, waits for the next release.
    static let takeUp = Statement(
        by: "fact_day_idx, booking_month_idx",
        """
        with wanted as materialized (
            select p.number as person, f.day, f.amount >= 0 as is_incoming,
                coalesce(
                    case when c.category_id is null then f.coicop else c.coicop end, 'none'
                ) as category,
                coalesce(o.area, 'unknown') as area,
                case
                    when o.date_of_birth <= f.day then
                        (array['0-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+'])[
                            1 + width_bucket(
                                extract(year from age(f.day, o.date_of_birth))::int,
                                array[18, 25, 35, 45, 55, 65])]
                    else 'unknown'
                end as age_band,
                f.account_kind, f.currency, abs(f.amount) as amount, count(*) as times
            from analytics.fact f
            join analytics.insight_person p on p.user_id = f.user_id
            left join analytics.category c
                on c.user_id = f.user_id and c.category_id = f.category_id
            left join analytics.person o on o.user_id = f.user_id
            where f.day between $1 and $2 and not f.is_reversed
                and (
                    (cardinality($4::text[]) = 1 and f.currency = ($4::text[])[1])
                    or exists (select from analytics.released_day d where d.day = f.day)
                )
            group by 1, 2, 3, 4, 5, 6, 7, 8, 9
        ), counted as materialized (
            select id, person, day, is_incoming, category, area, age_band, account_kind, currency,
                amount, times
            from analytics.booking
            where month = $1 and counts_until is null
        ), same as materialized (
            select c.id, w.person, w.day, w.is_incoming, w.category, w.area, w.age_band,
                w.account_kind, w.currency, w.amount
            from counted c
            join wanted w using (
                person, day, is_incoming, category, area, age_band, account_kind, currency,
                amount, times)
        ), ended as (
            update analytics.booking b
            set counts_until = $3
            from counted c
            where b.id = c.id and not exists (select from same where same.id = c.id)
            returning b.id
        ), begun as (
            insert into analytics.booking (
                month, person, day, is_incoming, category, area, age_band, account_kind, currency,
                amount, times, counts_from
            )
            select $1, w.person, w.day, w.is_incoming, w.category, w.area, w.age_band,
                w.account_kind, w.currency, w.amount, w.times, $3
            from wanted w
            where not exists (
                select from same s
                where s.person = w.person and s.day = w.day and s.is_incoming = w.is_incoming
                    and s.category = w.category and s.area = w.area and s.age_band = w.age_band
                    and s.account_kind = w.account_kind and s.currency = w.currency
                    and s.amount = w.amount)
            order by w.person
            returning id
        )
        select (select count(*) from ended) + (select count(*) from begun)
        """
    ) { row in try row.int64(0) }

    /// The finest cells of a month, of whoever was ever counted in it.
    static let cells = Statement(
        by: "booking_month_idx, erased_booking_pkey",
        """
        select category, area, age_band, account_kind, currency
        from analytics.booking
        where month = $1
        union
        select category, area, age_band, account_kind, currency
        from analytics.erased_booking
        where month = $1
        order by 1, 2, 3, 4, 5
        limit 10000000
        """
    ) { row in try (0..<5).map { try row.string($0) } }

    /// Some of a month's bookings, each with its worth in a currency, rounded by itself.
    static let bookings = Statement(
        by: "booking_month_idx, released_rate_pkey",
        """
        select b.id, b.person, b.is_incoming, b.category, b.area, b.age_band, b.account_kind,
            b.currency, b.amount, b.times, b.counts_from,
            coalesce(b.counts_until, 9223372036854775807),
            case
                when b.currency = $2 then b.amount::numeric
                else analytics.half_even(
                    round(b.amount::numeric * target.minor_units, 24) / source.minor_units)
            end
        from analytics.booking b
        left join analytics.released_rate source
            on source.day = b.day and source.currency = b.currency
        left join analytics.released_rate target
            on target.day = b.day and target.currency = $2
        where b.month = $1 and b.id > $3
        order by b.id
        limit 20000
        """
    ) { row in
        try BookingRow(
            id: row.int64(0),
            person: row.int64(1),
            isIncoming: row.value(2),
            coordinates: (3..<8).map { try row.string($0) },
            amount: row.int64(8),
            times: row.int64(9),
            from: row.int64(10),
            until: row.int64(11),
            worth: row.value(12)
        )
    }

    static let erased = Statement(
        by: "erased_booking_pkey",
        """
        select is_incoming, category, area, age_band, account_kind, currency, counts_from,
            counts_until, people
        from analytics.erased_booking
        where month = $1
        order by is_incoming, category, area, age_band, account_kind, currency, counts_from,
            counts_until
        limit 10000000
        """
    ) { row in
        try ErasedRow(
            isIncoming: row.value(0),
            coordinates: (1..<6).map { try row.string($0) },
            from: row.int64(6),
            until: row.int64(7),
            people: row.int64(8)
        )
    }
}
