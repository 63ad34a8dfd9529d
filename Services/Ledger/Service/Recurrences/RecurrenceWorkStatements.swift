import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of the worker that posts what is due.
enum RecurrenceWorkStatements {
    /// The one that is due for longest and that nobody is at.
    static let next = Statement(
        by: "recurrence_look_at_idx, work_begun_pkey",
        """
        select r.id, r.user_id
        from ledger.recurrence as r
        join ledger.person on person.user_id = r.user_id
        where r.look_at <= $1
            and not exists (
                select from ledger.work_begun as begun
                where begun.kind = 'recurrence' and begun.id = r.id::text
                    and begun.again_at > clock_timestamp())
        order by r.look_at
        limit 1
        for no key update of r skip locked
        """
    ) { row in
        try (
            id: row.value(0, as: ID<WalletProtocol.Recurrence>.self),
            user: row.value(1, as: ID<User>.self)
        )
    }

    /// That one, if it is still due and nobody is at it; its owner's time zone.
    static let take = Statement(
        by: "recurrence_pkey, person_pkey",
        """
        select person.time_zone
        from ledger.recurrence as r
        join ledger.person on person.user_id = r.user_id
        where r.id = $1 and r.look_at <= $2
        for no key update of r skip locked
        """
    ) { row in try row.string(0) }

    /// It rests, its next day skipped for a reason that its owner sees.
    static let setAside = Statement<Void>(
        by: "recurrence_pkey",
        """
        with rested as (
            update ledger.recurrence
            set is_active = false, look_at = null, xid = pg_current_xact_id()
            where id = $1 and look_at is not null
            returning id, next_day, next_number
        )
        insert into ledger.recurrence_occurrence (recurrence_id, day, number, state, reason)
        select id, next_day, next_number, 'skipped', 'internal-error'
        from rested
        where next_day is not null
        on conflict do nothing
        """
    )

    /// Which of these are there.
    static let categories = Statement(
        by: "category_",
        """
        select id from ledger.category
        where id = any ($2) and user_id = $1 and deleted_at is null
        """
    ) { row in try row.value(0, as: CategoryID.self) }

    /// The days that nobody has posted yet, and now are ours.
    static let claim = Statement(
        """
        insert into ledger.recurrence_occurrence (recurrence_id, day, number, transaction_id)
        select $1, day, number, transaction_id
        from unnest($2::date[], $3::integer[], $4::uuid[]) as wanted (day, number, transaction_id)
        order by day
        on conflict do nothing
        returning day
        """
    ) { row in try row.value(0, as: Day.self) }

    static let skip = Statement<Void>(
        by: "recurrence_occurrence_pkey",
        """
        update ledger.recurrence_occurrence
        set state = 'skipped', transaction_id = null, reason = $3
        where recurrence_id = $1 and day = $2
        """
    )

    static let advance = Statement<Void>(
        by: "recurrence_pkey",
        """
        update ledger.recurrence
        set next_number = $2, next_day = $3, is_active = $4, look_at = $5, failures = 0,
            xid = pg_current_xact_id()
        where id = $1
        """
    )

    /// Nothing was due after all.
    static let lookLater = Statement<Void>(
        by: "recurrence_pkey",
        "update ledger.recurrence set look_at = $2 where id = $1 and look_at is not null"
    )

    /// It comes behind the others, the longer the oftener it has failed.
    static let putOff = Statement<Void>(
        by: "recurrence_pkey",
        """
        update ledger.recurrence
        set failures = least(failures + 1, 12),
            look_at = $2::timestamptz + interval '1 second' * 2 ^ least(failures, 12)
        where id = $1 and look_at is not null
        """
    )
}
