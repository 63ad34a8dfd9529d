import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of the months that are told; each statement names the index that serves it.
enum UsageReleaseStatements {
    /// The months up to this one that are still to be worked out, of which a later day was seen.
    static let months = Statement(
        by: "person_registered_idx, active_month_month_idx, usage_month_pkey",
        """
        select month::date
        from generate_series(
            (
                select date_trunc('month', registered_on::timestamp)
                from analytics.person
                where registered_on is not null
                order by registered_on
                limit 1
            ),
            $1::date::timestamp, interval '1 month'
        ) as month
        where not exists (select from analytics.usage_month u where u.month = month.month::date)
            and (
                select a.month from analytics.active_month a order by a.month desc limit 1
            ) > month.month::date
        order by month
        limit 1200
        """
    ) { row in try row.value(0, as: Day.self) }

    static let usersMin = Statement(
        by: "usage_month_pkey",
        "select users_min from analytics.usage_month where month = $1 limit 1"
    ) { row in try row.int64(0) }

    /// The months of which figures needed fewer people than this.
    static let raised = Statement(
        by: "usage_month_pkey",
        """
        select month
        from analytics.usage_month
        where users_min < $1
        order by month
        limit 12000
        """
    ) { row in try row.value(0, as: Day.self) }

    static let raise = Statement<Void>(
        by: "usage_month_pkey",
        "update analytics.usage_month set users_min = $2 where month = $1"
    )

    /// What is kept of one kind of a month.
    static let kept = Statement(
        by: "usage_cell_pkey",
        """
        select path, country, area, age_band, language, place, users, is_told
        from analytics.usage_cell
        where kind = $1 and month = $2
        order by levels, place
        limit 10000000
        """
    ) { row in try KeptUsageRow(row) }

    /// Tells cells no more.
    static let hide = Statement<Void>(
        by: "usage_cell_pkey",
        """
        update analytics.usage_cell c
        set is_told = false, days = 0, week_days = 0, times = 0
        from unnest($3::int8[], $4::int8[]) as gone (levels, place)
        where c.kind = $1 and c.month = $2 and c.levels = gone.levels and c.place = gone.place
        """
    )

    /// Keeps nothing of tables of which nothing is told.
    static let close = Statement<Void>(
        by: "usage_cell_pkey",
        "delete from analytics.usage_cell where kind = $1 and month = $2 and levels = any ($3)"
    )

    static let insertMonth = Statement<Void>(
        "insert into analytics.usage_month (month, release, users_min) values ($1, $2, $3)"
    )

    /// Settles as whom those are counted that registered between two days; whoever erases one of
    /// them waits for it, so that `count_gone` finds them.
    static let settleCohort = Statement<Void>(
        by: "person_registered_idx, insight_person_pkey, cohort_member_pkey",
        """
        insert into analytics.cohort_member (person, cohort, area, age_band, language)
        select n.number, $1, coalesce(p.area, 'unknown'),
            analytics.age_band(p.date_of_birth, p.registered_on), p.language
        from analytics.person p
        join analytics.insight_person n on n.user_id = p.user_id
        where p.registered_on between $1 and $2
            and not exists (select from analytics.cohort_member m where m.person = n.number)
        for key share of n
        """
    )

    /// How many registered in each month up to this one, those that are erased since among them.
    static let sizes = Statement(
        by: "cohort_member_cohort_idx, cohort_gone_pkey",
        """
        select array[to_char(cohort, 'YYYY-MM')], area, age_band, language, sum(people)::int8,
            0::int8, 0::int8, 0::int8
        from (
            select cohort, area, age_band, language, count(*) as people
            from analytics.cohort_member
            where cohort <= $1
            group by 1, 2, 3, 4
            union all
            select cohort, area, age_band, language, people
            from analytics.cohort_gone
            where cohort <= $1
        ) as registered
        group by cohort, area, age_band, language
        order by cohort, area, age_band, language
        limit 10000000
        """
    ) { row in try UsageRow(row) }

    /// Who was there in a month, by cohort, and on how many days and days of weeks.
    static let active = Statement(
        by: "active_month_month_idx, cohort_member_pkey",
        """
        select array[to_char(m.cohort, 'YYYY-MM')], m.area, m.age_band, m.language, count(*),
            sum(bit_count(a.days::bit(32)))::int8,
            sum((
                select sum(week.length)
                from unnest($2::int4[], $3::int8[]) as week (days, length)
                where a.days & week.days <> 0
            ))::int8,
            0::int8
        from analytics.active_month a
        join analytics.insight_person n on n.user_id = a.user_id
        join analytics.cohort_member m on m.person = n.number
        where a.month = $1
        group by m.cohort, m.area, m.age_band, m.language
        order by m.cohort, m.area, m.age_band, m.language
        limit 10000000
        """
    ) { row in try UsageRow(row) }

    /// Who took files in, or out, between two days, and on how many of them: each in one format, or
    /// in several.
    static let files = Statement(
        by: "file_use_day_idx, insight_person_, cohort_member_pkey",
        """
        select array[own.format], m.area, m.age_band, m.language, count(*), 0::int8, 0::int8,
            sum(own.days)::int8
        from (
            select user_id,
                case when min(format) = max(format) then min(format) else 'several' end as format,
                count(distinct day) as days
            from analytics.file_use
            where day between $1 and $2 and kind = $3
            group by user_id
        ) as own
        join analytics.insight_person n on n.user_id = own.user_id
        join analytics.cohort_member m on m.person = n.number
        group by own.format, m.area, m.age_band, m.language
        order by own.format, m.area, m.age_band, m.language
        limit 10000000
        """
    ) { row in try UsageRow(row) }

    /// How far those that registered in a month had come by a day; who is erased since, not far.
    static let steps = Statement(
        by: "cohort_member_, insight_person_number_key, first_step_pkey",
        """
        select case
                when not transaction then array['none', 'none', 'none']
                when not "group" then array['transaction', 'none', 'none']
                when not transfer then array['transaction', 'group', 'none']
                else array['transaction', 'group', 'transfer']
            end,
            area, age_band, language, sum(people)::int8, 0::int8, 0::int8, 0::int8
        from (
            select m.area, m.age_band, m.language, s.transaction, s."group", s.transfer, 1 as people
            from analytics.cohort_member m
            join analytics.insight_person n on n.number = m.person
            cross join lateral (
                select coalesce(bool_or(f.step = 'transaction'), false) as transaction,
                    coalesce(bool_or(f.step = 'group'), false) as "group",
                    coalesce(bool_or(f.step = 'transfer'), false) as transfer
                from analytics.first_step f
                where f.user_id = n.user_id and f.day <= $2
            ) as s
            where m.cohort = $1
            union all
            select g.area, g.age_band, g.language, false, false, false, g.people
            from analytics.cohort_gone g
            where g.cohort = $1
        ) as registered
        group by 1, 2, 3, 4
        order by 1, 2, 3, 4
        limit 10000000
        """
    ) { row in try UsageRow(row) }

    // MARK: Of months that were told long ago

    static let forget = [forgetDays, forgetFiles]

    private static let forgetDays = Statement<Void>(
        by: "active_month_month_idx, usage_month_pkey",
        """
        delete from analytics.active_month
        where ctid = any (array(
            select a.ctid
            from analytics.active_month a
            where a.month < $1 and exists (
                select from analytics.usage_month u where u.month = a.month)
            limit $2
        ))
        """
    )

    private static let forgetFiles = Statement<Void>(
        by: "file_use_day_idx, usage_month_pkey",
        """
        delete from analytics.file_use
        where ctid = any (array(
            select f.ctid
            from analytics.file_use f
            where f.day < $1 and exists (
                select from analytics.usage_month u
                where u.month = date_trunc('month', f.day::timestamp)::date)
            limit $2
        ))
        """
    )

    static let insertCells = Statement<Void>(
        """
        insert into analytics.usage_cell (
            kind, month, levels, place, path, country, area, age_band, language, is_told, users,
            days, week_days, times
        )
        select $1, $2, levels, $3 + number, path, country, area, age_band, language, is_told,
            users, days, week_days, times
        from unnest(
            $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bool[],
            $11::int8[], $12::int8[], $13::int8[], $14::int8[]
        ) with ordinality as made (
            levels, path, country, area, age_band, language, is_told, users, days, week_days,
            times, number
        )
        """
    )
}

extension KeptUsageRow {
    fileprivate init(_ row: borrowing PostgresRow) throws {
        let path = try row.string(0).split(separator: "/").map(String.init)
        let columns: [String?] = try [row.value(1), row.value(2), row.value(3), row.value(4)]
        let axes = [Array(columns[..<2]), [columns[2]], [columns[3]]]
        place = [path] + axes.map { $0.compactMap(\.self) }
        number = try row.int64(5)
        users = try row.int64(6)
        isTold = try row.bool(7)
    }
}

extension UsageRow {
    fileprivate init(_ row: borrowing PostgresRow) throws {
        path = try row.value(0)
        area = try row.string(1)
        ageBand = try row.string(2)
        language = try row.string(3)
        figures = try UsageFigures(
            users: row.int64(4),
            days: row.int64(5),
            weekDays: row.int64(6),
            times: row.int64(7)
        )
    }
}
