import Postgres
import ServiceKit

/// What of somebody's use is held; each statement names the index that serves it.
enum UsageExportStatements {
    static let parts = [
        ExportPart("usage-months", from: "0001-01-01", months),
        ExportPart("usage-steps", from: " ", steps),
        ExportPart("usage-files", from: "0001-01-01", files),
        ExportPart("usage-cohort", from: "0", cohort),
    ]

    /// The days of each month.
    static let months = Statement(
        by: "active_month_pkey",
        """
        select month::text, json_build_object(
            'month', to_char(month, 'YYYY-MM'), 'days', (
                select json_agg(day order by day)
                from generate_series(1, 31) as day
                where days & (1 << (day - 1)) <> 0))::text
        from analytics.active_month
        where user_id = $1 and month > $2::text::date
        order by month
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let steps = Statement(
        by: "first_step_pkey",
        """
        select step, json_build_object('step', step, 'day', day)::text
        from analytics.first_step
        where user_id = $1 and step > $2::text
        order by step
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let files = Statement(
        by: "file_use_pkey",
        """
        select concat_ws(' ', day, kind, format),
            json_build_object('day', day, 'kind', kind, 'format', format)::text
        from analytics.file_use
        where user_id = $1 and (day, kind, format) > (
            split_part($2::text, ' ', 1)::date, split_part($2::text, ' ', 2),
            split_part($2::text, ' ', 3))
        order by day, kind, format
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// As whom they are counted in everybody's figures.
    static let cohort = Statement(
        by: "insight_person_pkey, cohort_member_pkey",
        """
        select m.person::text, json_build_object(
            'month', to_char(m.cohort, 'YYYY-MM'), 'area', m.area, 'ageBand', m.age_band,
            'language', m.language)::text
        from analytics.insight_person p
        join analytics.cohort_member m on m.person = p.number
        where p.user_id = $1 and m.person > $2::text::int8
        limit $3
        """
    ) { row in try ExportRow(row) }
}
