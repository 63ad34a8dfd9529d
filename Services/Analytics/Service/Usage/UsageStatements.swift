import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of how the suite is used, by person; each statement names the index that serves it.
enum UsageStatements {
    /// Of a person that is there.
    static let register = Statement<Void>(
        by: "person_pkey",
        """
        update analytics.person
        set registered_on = $2
        where user_id = $1
        """
    )

    /// Adds a day to those of its month.
    static let beActive = Statement<Void>(
        by: "active_month_pkey",
        """
        insert into analytics.active_month as known (user_id, month, days)
        values ($1, $2, $3)
        on conflict (user_id, month) do update
        set days = known.days | excluded.days
        where known.days & excluded.days = 0
        """
    )

    /// Each of a person and step once; what is known and no later is only looked up.
    static let step = Statement(
        by: "first_step_pkey",
        """
        insert into analytics.first_step as known (user_id, step, day)
        select told.user_id, told.step, told.day
        from unnest($1::uuid[], $2::text[], $3::date[]) as told (user_id, step, day)
        where not exists (
            select from analytics.first_step f
            where f.user_id = told.user_id and f.step = told.step and f.day <= told.day)
        order by told.user_id, told.step
        on conflict (user_id, step) do update
        set day = excluded.day
        where excluded.day < known.day
        returning user_id
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// Each format once a day, however many files there were.
    static let useFile = Statement<Void>(
        by: "file_use_pkey",
        """
        insert into analytics.file_use (user_id, day, kind, format)
        values ($1, $2, $3, $4)
        on conflict (user_id, day, kind, format) do nothing
        """
    )

    static let forgetDays = Statement<Void>(
        by: "active_month_pkey",
        "delete from analytics.active_month where user_id = $1"
    )

    static let forgetSteps = Statement<Void>(
        by: "first_step_pkey",
        "delete from analytics.first_step where user_id = $1"
    )

    /// Some of a person's.
    static let forgetFiles = Statement<Void>(
        by: "file_use_pkey",
        """
        delete from analytics.file_use
        where ctid = any (array(
            select ctid from analytics.file_use
            where user_id = $1
            limit $2
        ))
        """
    )
}
