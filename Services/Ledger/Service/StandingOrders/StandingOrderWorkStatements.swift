import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of the worker that pays what is due.
enum StandingOrderWorkStatements {
    /// The one that is due for longest and that nobody is at; whether it needs a rate.
    static let next = Statement(
        by: "standing_order_look_at_idx, work_begun_pkey",
        """
        select o.id, o.user_id, o.currency <> o.to_currency
        from ledger.standing_order as o
        join ledger.person on person.user_id = o.user_id
        where o.look_at <= $1
            and not exists (
                select from ledger.work_begun as begun
                where begun.kind = 'standing-order' and begun.id = o.id::text
                    and begun.again_at > clock_timestamp())
        order by o.look_at
        limit 1
        for no key update of o skip locked
        """
    ) { row in
        try (
            id: row.value(0, as: ID<StandingOrder>.self),
            user: row.value(1, as: ID<User>.self),
            isExchange: row.bool(2)
        )
    }

    /// That one, if it is still due and nobody is at it; its owner's time zone.
    static let take = Statement(
        by: "standing_order_pkey, person_pkey",
        """
        select person.time_zone
        from ledger.standing_order as o
        join ledger.person on person.user_id = o.user_id
        where o.id = $1 and o.look_at <= $2
        for no key update of o skip locked
        """
    ) { row in try row.string(0) }

    /// It is paused, its next day skipped for a reason that its owner sees.
    static let setAside = Statement(
        by: "standing_order_pkey",
        """
        with paused as (
            update ledger.standing_order
            set is_active = false, look_at = null, version = version + 1,
                xid = pg_current_xact_id()
            where id = $1 and look_at is not null
            returning id, user_id, next_day, next_number, amount, currency
        ), noted as (
            insert into ledger.standing_order_execution (order_id, day, number, state, reason)
            select id, next_day, next_number, 'skipped', 'internal-error'
            from paused
            on conflict do nothing
        )
        select user_id, next_day, amount, currency from paused
        """
    ) { row in
        try (
            user: row.value(0, as: ID<User>.self),
            day: row.value(1, as: Day.self),
            amount: Money(minorUnits: row.int64(2), row.value(3))
        )
    }

    /// standing_order_execution_pkey: no day has two.
    static let note = Statement<Void>(
        """
        insert into ledger.standing_order_execution
            (order_id, day, number, state, transfer_id, reason)
        values ($1, $2, $3, $4, $5, $6)
        on conflict do nothing
        """
    )

    static let advance = Statement<Void>(
        by: "standing_order_pkey",
        """
        update ledger.standing_order
        set next_number = $2, next_day = $3, is_active = $4, look_at = $5, version = $6,
            failures = 0, xid = pg_current_xact_id()
        where id = $1
        """
    )

    /// Nothing was due after all.
    static let lookLater = Statement<Void>(
        by: "standing_order_pkey",
        "update ledger.standing_order set look_at = $2 where id = $1 and look_at is not null"
    )

    /// It comes behind the others, the longer the oftener it has failed.
    static let putOff = Statement<Void>(
        by: "standing_order_pkey",
        """
        update ledger.standing_order
        set failures = least(failures + 1, 12),
            look_at = $2::timestamptz + interval '1 second' * 2 ^ least(failures, 12)
        where id = $1 and look_at is not null
        """
    )
}
