import Postgres
import ServiceKit
import WalletProtocol

/// What has become of a month's cube since it was last taken up.
struct CubeChange: Sendable {
    let way: CubeWay
    /// Who differs, erased people by number alone.
    let people: Int
    let isTakenUp: Bool
}

/// A booking as the table has it, with its worth in the month's currency.
struct BookingRow: Sendable {
    let id: Int64
    let person: Int64
    let coordinates: [String]
    let times: Int64
    let from: Int64
    let until: Int64
    /// Nil where it has no rate that had one when it was taken up.
    let worth: Int128?
}

/// Erased people as the table has them.
struct ErasedRow: Sendable {
    let coordinates: [String]
    let from: Int64
    let until: Int64
    let people: Int64
}

/// The SQL of the bookings that releases count.
enum BookingStatements {
    /// Makes the bookings of a month's cubes what its facts are now, of those cubes of which people
    /// enough differ, and answers of every cube that differs.
    ///
    /// What has no rate yet, and whoever has no number, waits for the next release.
    static let takeUp = Statement(
        by: "fact_day_idx, booking_month_idx, released_month_pkey, erased_booking_pkey",
        """
        with wanted as materialized (
            select p.number as person, f.day, f.amount >= 0 as is_incoming,
                f.currency = $7::text or (own.day is not null and base.day is not null)
                    as is_converted,
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
            left join analytics.released_rate own
                on own.day = f.day and own.currency = f.currency
            left join analytics.released_rate base
                on base.day = f.day and base.currency = $7::text
            where f.day between $1 and $2 and not f.is_reversed
                and (
                    f.currency = $7::text
                    or exists (select from analytics.released_day d where d.day = f.day)
                )
            group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
        ), counted as materialized (
            select id, person, day, is_incoming, is_converted, category, area, age_band,
                account_kind, currency, amount, times
            from analytics.booking
            where month = $1 and counts_until is null
        ), same as materialized (
            select c.id, w.person, w.day, w.is_incoming, w.is_converted, w.category, w.area,
                w.age_band, w.account_kind, w.currency, w.amount
            from counted c
            join wanted w using (
                person, day, is_incoming, is_converted, category, area, age_band, account_kind,
                currency, amount, times)
        ), stale as materialized (
            select c.id, c.person, c.is_incoming, c.is_converted
            from counted c
            where not exists (select from same where same.id = c.id)
        ), fresh as materialized (
            select w.*
            from wanted w
            where not exists (
                select from same s
                where s.person = w.person and s.day = w.day and s.is_incoming = w.is_incoming
                    and s.is_converted = w.is_converted and s.category = w.category
                    and s.area = w.area and s.age_band = w.age_band
                    and s.account_kind = w.account_kind and s.currency = w.currency
                    and s.amount = w.amount)
        ), gone as materialized (
            select e.is_incoming, e.is_converted, max(e.people) as people
            from analytics.erased_booking e
            where e.month = $1 and e.counts_until > (
                select r.release
                from analytics.released_month r
                where r.month = $1 and r.is_incoming = e.is_incoming
                    and r.is_converted = e.is_converted
                order by r.release desc
                limit 1)
            group by 1, 2
        ), cube as materialized (
            select d.is_incoming, d.is_converted,
                count(distinct d.person) + coalesce(max(d.gone), 0) as people,
                exists (
                    select from analytics.released_month r
                    where r.month = $1 and r.is_incoming = d.is_incoming
                        and r.is_converted = d.is_converted
                ) as was_released
            from (
                select is_incoming, is_converted, person, 0 as gone from stale
                union all
                select is_incoming, is_converted, person, 0 from fresh
                union all
                select is_incoming, is_converted, null, people from gone
            ) as d
            group by 1, 2
        ), taken as materialized (
            select is_incoming, is_converted
            from cube
            where people >= $4 and (was_released or $5)
                and is_incoming::int * 2 + is_converted::int <> all ($6::int8[])
        ), ended as (
            update analytics.booking b
            set counts_until = $3
            from stale s
            join taken using (is_incoming, is_converted)
            where b.id = s.id
        ), begun as (
            insert into analytics.booking (
                month, person, day, is_incoming, is_converted, category, area, age_band,
                account_kind, currency, amount, times, counts_from
            )
            select $1, f.person, f.day, f.is_incoming, f.is_converted, f.category, f.area,
                f.age_band, f.account_kind, f.currency, f.amount, f.times, $3
            from fresh f
            join taken using (is_incoming, is_converted)
            order by f.person
        )
        select c.is_incoming, c.is_converted, c.people,
            exists (
                select from taken t
                where t.is_incoming = c.is_incoming and t.is_converted = c.is_converted)
        from cube c
        order by c.is_incoming, c.is_converted
        limit 4
        """
    ) { row in
        try CubeChange(
            way: CubeWay(isIncoming: row.value(0), isConverted: row.value(1)),
            people: Int(row.int64(2)),
            isTakenUp: row.value(3)
        )
    }

    /// The finest cells of a month's cube, of whoever was ever counted in it.
    static let cells = Statement(
        by: "booking_month_idx, erased_booking_pkey",
        """
        select category, area, age_band, account_kind, currency
        from analytics.booking
        where month = $1 and is_incoming = $2 and is_converted = $3
        union
        select category, area, age_band, account_kind, currency
        from analytics.erased_booking
        where month = $1 and is_incoming = $2 and is_converted = $3
        order by 1, 2, 3, 4, 5
        limit 10000000
        """
    ) { row in try (0..<5).map { try row.string($0) } }

    /// Some bookings of a month's cube, each with its worth in the month's currency, rounded by
    /// itself; what has no rate is worth what it is in its own.
    static let some = Statement(
        by: "booking_month_idx, released_rate_pkey",
        """
        select b.id, b.person, b.category, b.area, b.age_band, b.account_kind, b.currency,
            b.times, b.counts_from, coalesce(b.counts_until, 9223372036854775807),
            case
                when not b.is_converted or b.currency = $4 then b.amount::numeric
                else analytics.half_even(
                    round(b.amount::numeric * target.minor_units, 24) / source.minor_units)
            end
        from analytics.booking b
        left join analytics.released_rate source
            on source.day = b.day and source.currency = b.currency
        left join analytics.released_rate target
            on target.day = b.day and target.currency = $4
        where b.month = $1 and b.is_incoming = $2 and b.is_converted = $3 and b.id > $5
        order by b.id
        limit 20000
        """
    ) { row in
        try BookingRow(
            id: row.int64(0),
            person: row.int64(1),
            coordinates: (2..<7).map { try row.string($0) },
            times: row.int64(7),
            from: row.int64(8),
            until: row.int64(9),
            worth: row.value(10)
        )
    }

    // MARK: Erased people

    static let erased = Statement(
        by: "erased_booking_pkey",
        """
        select category, area, age_band, account_kind, currency, counts_from, counts_until, people
        from analytics.erased_booking
        where month = $1 and is_incoming = $2 and is_converted = $3
        order by category, area, age_band, account_kind, currency, counts_from, counts_until
        limit 10000000
        """
    ) { row in
        try ErasedRow(
            coordinates: (0..<5).map { try row.string($0) },
            from: row.int64(5),
            until: row.int64(6),
            people: row.int64(7)
        )
    }

    /// A number that grows with each entry of an erased person.
    static let erasedEntries = Statement(
        by: "erased_booking_pkey",
        """
        select coalesce(sum(people), 0)::int8
        from analytics.erased_booking
        where month = $1 and is_incoming = $2 and is_converted = $3
        """
    ) { row in try row.int64(0) }

    /// Takes a person's number, so that what is booked under it is nobody's.
    static let loseNumber = Statement<Void>(
        by: "insight_person_pkey",
        """
        with person as (
            delete from analytics.insight_person where user_id = $1 returning number
        )
        insert into analytics.gone_person (number)
        select number from person
        """
    )

    static let someGone = Statement(
        by: "gone_person_pkey",
        "select number from analytics.gone_person order by number limit 1"
    ) { row in try row.int64(0) }

    /// Keeps of those who are gone how many they were, in what cells, and takes the rest.
    ///
    /// They counted until the next release of the cube, whichever that will be.
    static let forgetGone = Statement<Void>(
        by: "gone_person_pkey, booking_person_idx, released_month_pkey",
        """
        with person as (
            delete from analytics.gone_person
            where number = any (array(
                select number from analytics.gone_person order by number limit 10000))
            returning number
        ), gone as (
            delete from analytics.booking
            where person = any (array(select number from person))
            returning person, month, is_incoming, is_converted, category, area, age_band,
                account_kind, currency, counts_from, counts_until
        ), counted as (
            select month, is_incoming, is_converted, category, area, age_band, account_kind,
                currency, counts_from, counts_until, count(distinct person) as people
            from gone
            group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
        )
        insert into analytics.erased_booking as kept (
            month, is_incoming, is_converted, category, area, age_band, account_kind, currency,
            counts_from, counts_until, people
        )
        select c.month, c.is_incoming, c.is_converted, c.category, c.area, c.age_band,
            c.account_kind, c.currency, c.counts_from,
            coalesce(
                c.counts_until,
                (
                    select r.release + 1
                    from analytics.released_month r
                    where r.month = c.month and r.is_incoming = c.is_incoming
                        and r.is_converted = c.is_converted
                    order by r.release desc
                    limit 1
                )),
            c.people
        from counted c
        on conflict on constraint erased_booking_pkey do update
        set people = kept.people + excluded.people
        """
    )
}
