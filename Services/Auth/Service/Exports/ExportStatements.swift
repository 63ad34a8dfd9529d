import Postgres
import ServiceKit
import WalletProtocol

/// An export as its row has it.
struct ExportRecord: Sendable {
    let id: ID<Export>
    let user: ID<User>
    let state: ExportState
    let attempt: Int32
    let requestedAt: Instant
    let readyAt: Instant?
    let expiresAt: Instant?
    let size: Int64?

    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        user = try row.value(1)
        let state = try row.string(2)
        guard let state = ExportState(rawValue: state) else {
            throw row.problem(2, "\(state) is no state of an export")
        }
        self.state = state
        attempt = try row.int32(3)
        requestedAt = try row.value(4)
        readyAt = try row.value(5)
        expiresAt = try row.value(6)
        size = try row.value(7)
    }

    var view: ExportView {
        ExportView(
            id: id,
            state: state,
            requestedAt: requestedAt,
            readyAt: readyAt,
            expiresAt: expiresAt,
            size: size.map { Int($0) }
        )
    }
}

/// The SQL of exports; each statement names the index that serves it.
enum ExportStatements {
    /// How long an attempt is alone before another may begin; each page begins it anew.
    static let turnSeconds: Int32 = 30

    /// How many somebody has had made in a day.
    static let countOfDay = Statement(
        by: "export_user_id_idx",
        """
        select count(*)
        from auth.export
        where user_id = $1 and requested_at > now() - interval '1 day'
        """
    ) { row in try row.int64(0) }

    /// Nothing where one is under way.
    static let insert = Statement<Void>(
        """
        insert into auth.export (id, user_id)
        values ($1, $2)
        on conflict do nothing
        """
    )

    static let gathering = Statement(
        by: "export_gathering_key",
        """
        select id, user_id, state, tries, requested_at, ready_at, expires_at, size
        from auth.export
        where user_id = $1 and state = 'gathering'
        limit 1
        """
    ) { row in try ExportRecord(row) }

    static let find = Statement(
        by: "export_pkey",
        """
        select id, user_id, state, tries, requested_at, ready_at, expires_at, size
        from auth.export
        where id = $1 and user_id = $2 and coalesce(expires_at, 'infinity') > now()
        limit 1
        """
    ) { row in try ExportRecord(row) }

    /// A killed replica's come free, each at a time of its own: else they would all meet what kills
    /// again.
    static let claim = Statement(
        by: "export_due_idx",
        """
        update auth.export as e
        set tries = e.tries + 1,
            next_try_at = now() + make_interval(
                secs => $1::int4 * (1 + random() * (1 + least(e.tries, 3)) / 2))
        from (
            select id
            from auth.export
            where state = 'gathering' and next_try_at <= now()
            order by next_try_at
            limit 1
            for update skip locked
        ) as due
        where e.id = due.id
        returning e.id, e.user_id, e.state, e.tries, e.requested_at, e.ready_at, e.expires_at,
            e.size
        """
    ) { row in try ExportRecord(row) }

    /// Still ours, for another while.
    static let keep = Statement(
        by: "export_pkey",
        """
        update auth.export
        set next_try_at = now() + make_interval(secs => $3::int4)
        where id = $1 and tries = $2 and state = 'gathering'
        returning id
        """
    ) { row in try row.value(0, as: ID<Export>.self) }

    /// Again, later; up to a minute.
    static let postpone = Statement<Void>(
        by: "export_pkey",
        """
        update auth.export
        set next_try_at = now() + least(60, power(2, least(tries, 6)) / 2) * interval '1 second'
        where id = $1 and tries = $2 and state = 'gathering'
        """
    )

    static let insertPiece = Statement<Void>(
        """
        insert into auth.export_piece (export_id, attempt, place, sealed)
        values ($1, $2, $3, $4)
        """
    )

    /// What attempts of before have left.
    static let deleteOtherPieces = Statement<Void>(
        by: "export_piece_pkey",
        "delete from auth.export_piece where export_id = $1 and attempt <> $2"
    )

    static let piece = Statement(
        by: "export_piece_pkey",
        """
        select sealed
        from auth.export_piece
        where export_id = $1 and attempt = $2 and place = $3
        limit 1
        """
    ) { row in try row.bytes(0) }

    static let finish = Statement(
        by: "export_pkey",
        """
        update auth.export
        set state = 'ready', ready_at = now(), expires_at = now() + interval '7 days', size = $3
        where id = $1 and tries = $2 and state = 'gathering'
        returning id
        """
    ) { row in try row.value(0, as: ID<Export>.self) }

    /// It ended whoever made it; its owner may ask for another.
    static let fail = Statement<Void>(
        by: "export_pkey",
        """
        update auth.export
        set state = 'failed', expires_at = now() + interval '7 days'
        where id = $1 and tries = $2 and state = 'gathering'
        """
    )

    /// The pieces go with it.
    static let deleteExpired = Statement<Void>(
        by: "export_expires_at_idx",
        "delete from auth.export where expires_at < now()"
    )
}
