import Postgres
import ServiceKit
import WalletProtocol

/// An erasure as its row has it.
struct ErasureRow: Sendable {
    let id: ID<Erasure>
    let user: ID<User>
    let stage: Int16
    let requestedAt: Instant
    let agreedAt: Instant?
    let completedAt: Instant?
    let event: ID<Event>?
    let receiptHash: [UInt8]
    let requestedBy: ID<User>

    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        user = try row.value(1)
        stage = try row.int16(2)
        requestedAt = try row.value(3)
        agreedAt = try row.value(4)
        completedAt = try row.value(5)
        event = try row.value(6)
        receiptHash = try row.bytes(7)
        requestedBy = try row.value(8)
    }
}

/// A part that is ours to do until its time.
struct ErasureTurn: Sendable {
    let erasure: ID<Erasure>
    let part: DeletionPartName
    /// Which turn it is: one that took too long has no say any more.
    let number: Int32
}

/// The SQL of erasures; each statement names the index that serves it.
enum ErasureStatements {
    /// How long a turn lasts: longer than any call does.
    static let turnSeconds: Int32 = 30

    /// Whoever takes an administrator away, or makes the last but one leave, does so one at a time.
    static let lockAdmins = Statement<Void>("select pg_advisory_xact_lock(4997393964424)")

    static let isLastAdmin = Statement(
        by: "user_account_admins_idx, erasure_user_key",
        """
        select exists (
            select from auth.user_account
            where id = $1 and enabled and 'admin' = any (roles)
        ) and not exists (
            select from auth.user_account a
            where a.enabled and 'admin' = any (a.roles) and a.id <> $1
                and not exists (select from auth.erasure e where e.user_id = a.id)
        )
        """
    ) { row in try row.bool(0) }

    /// Of two at once one is made.
    static let insert = Statement<Void>(
        """
        insert into auth.erasure (id, user_id, requested_by, receipt_hash)
        values ($1, $2, $3, $4)
        on conflict do nothing
        """
    )

    /// Whoever moves it on has it alone.
    static let lock = Statement(
        by: "erasure_pkey",
        """
        select id, user_id, stage, requested_at, agreed_at, completed_at, event_id,
            receipt_hash, requested_by
        from auth.erasure
        where id = $1
        for update
        """
    ) { row in try ErasureRow(row) }

    static let find = Statement(
        by: "erasure_pkey",
        """
        select id, user_id, stage, requested_at, agreed_at, completed_at, event_id,
            receipt_hash, requested_by
        from auth.erasure
        where id = $1
        limit 1
        """
    ) { row in try ErasureRow(row) }

    static let findByUser = Statement(
        by: "erasure_user_key",
        """
        select id, user_id, stage, requested_at, agreed_at, completed_at, event_id,
            receipt_hash, requested_by
        from auth.erasure
        where user_id = $1
        limit 1
        """
    ) { row in try ErasureRow(row) }

    /// Whether the ledger has agreed, and the others may have been told.
    static let isErasing = Statement(
        by: "erasure_user_key",
        "select exists (select from auth.erasure where user_id = $1 and stage > 0)"
    ) { row in try row.bool(0) }

    static let findByReceipt = Statement(
        by: "erasure_receipt_key",
        """
        select id, user_id, stage, requested_at, agreed_at, completed_at, event_id,
            receipt_hash, requested_by
        from auth.erasure
        where receipt_hash = $1
        limit 1
        """
    ) { row in try ErasureRow(row) }

    /// Its parts go with it.
    static let delete = Statement<Void>(
        by: "erasure_pkey",
        "delete from auth.erasure where id = $1"
    )

    static let agree = Statement<Void>(
        by: "erasure_pkey",
        "update auth.erasure set stage = 1, agreed_at = now() where id = $1 and stage = 0"
    )

    static let advance = Statement<Void>(
        by: "erasure_pkey",
        """
        update auth.erasure
        set stage = $2::int2, completed_at = case when $2::int2 = 4 then now() end
        where id = $1
        """
    )

    static let keepEvent = Statement<Void>(
        by: "erasure_pkey",
        "update auth.erasure set event_id = $2 where id = $1"
    )

    static let insertParts = Statement<Void>(
        """
        insert into auth.erasure_part (erasure_id, part)
        select $1, name
        from unnest($2::text[]) as name
        on conflict do nothing
        """
    )

    /// Ours now, whoever had it before.
    static let take = Statement(
        by: "erasure_part_pkey",
        """
        update auth.erasure_part
        set tries = tries + 1, next_try_at = now() + make_interval(secs => $3::int4)
        where erasure_id = $1 and part = $2 and done_at is null
        returning tries
        """
    ) { row in try row.int32(0) }

    /// A killed replica's come free, each at a time of its own: else they would all meet what kills
    /// again.
    static let claim = Statement(
        by: "erasure_part_due_idx",
        """
        update auth.erasure_part as p
        set tries = p.tries + 1,
            next_try_at = now() + make_interval(
                secs => $1::int4 * (1 + random() * (1 + least(p.tries, 3)) / 2))
        from (
            select erasure_id, part
            from auth.erasure_part
            where done_at is null and next_try_at <= now()
            order by next_try_at
            limit 1
            for update skip locked
        ) as due
        where p.erasure_id = due.erasure_id and p.part = due.part
        returning p.erasure_id, p.part, p.tries
        """
    ) { row in
        let part = try row.string(1)
        return ErasureTurn(
            erasure: try row.value(0),
            part: DeletionPartName(rawValue: part) ?? .accounts,
            number: try row.int32(2)
        )
    }

    /// Again, later; up to a minute.
    static let postpone = Statement<Void>(
        by: "erasure_part_pkey",
        """
        update auth.erasure_part
        set next_try_at = now() + least(60, power(2, least(tries, 6)) / 4) * interval '1 second'
        where erasure_id = $1 and part = $2 and tries = $3 and done_at is null
        """
    )

    /// Nobody may give it up, but it ends processes.
    static let rest = Statement<Void>(
        by: "erasure_part_pkey",
        """
        update auth.erasure_part
        set next_try_at = now() + interval '1 hour'
        where erasure_id = $1 and part = $2 and tries = $3 and done_at is null
        """
    )

    static let isOurTurn = Statement(
        by: "erasure_part_pkey",
        """
        select tries = $3 and done_at is null
        from auth.erasure_part
        where erasure_id = $1 and part = $2
        limit 1
        """
    ) { row in try row.bool(0) }

    static let finish = Statement<Void>(
        by: "erasure_part_pkey",
        """
        update auth.erasure_part
        set done_at = now()
        where erasure_id = $1 and part = $2 and done_at is null
        """
    )

    static let isStageDone = Statement(
        by: "erasure_part_pkey",
        """
        select not exists (
            select from auth.erasure_part where erasure_id = $1 and done_at is null
        )
        """
    ) { row in try row.bool(0) }

    static let parts = Statement(
        by: "erasure_part_pkey",
        """
        select part, done_at
        from auth.erasure_part
        where erasure_id = $1
        limit 20
        """
    ) { row in
        (name: try row.string(0), doneAt: try row.value(1, as: Instant?.self))
    }
}
