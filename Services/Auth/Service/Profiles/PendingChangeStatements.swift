import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of changes that wait; each statement names the index that serves it.
///
/// The person's row is locked before a row here, so that nobody waits in a circle.
enum PendingChangeStatements {
    /// The newest wins.
    static let put = Statement<Void>(
        by: "pending_change_pkey",
        """
        insert into auth.pending_change (user_id, field, value, author, due_at, token_hash)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (user_id, field) do update
        set value = excluded.value, author = excluded.author, due_at = excluded.due_at,
            token_hash = excluded.token_hash, created_at = now()
        """
    )

    static let find = Statement(
        by: "pending_change_pkey",
        """
        select user_id, field, value, author
        from auth.pending_change
        where user_id = $1 and field = $2
        limit 1
        """
    ) { row in try change(row) }

    static let findByToken = Statement(
        by: "pending_change_token_key",
        """
        select user_id, field, value, author
        from auth.pending_change
        where token_hash = $1
        limit 1
        """
    ) { row in try change(row) }

    static let due = Statement(
        by: "pending_change_due_at_idx",
        """
        select user_id, field, value, author
        from auth.pending_change
        where due_at <= now()
        order by due_at
        limit 100
        """
    ) { row in try change(row) }

    /// Once, whoever asks, and only what was read.
    static let take = Statement(
        by: "pending_change_pkey",
        """
        delete from auth.pending_change
        where user_id = $1 and field = $2 and value is not distinct from $3 and author = $4
        returning user_id, field, value, author
        """
    ) { row in try change(row) }

    static let drop = Statement<Void>(
        by: "pending_change_pkey",
        "delete from auth.pending_change where user_id = $1 and field = $2"
    )

    /// What its owner has asked for.
    static let dropOwn = Statement(
        by: "pending_change_pkey",
        """
        delete from auth.pending_change
        where user_id = $1 and author = 'owner'
        returning field
        """
    ) { row in try row.string(0) }

    private static func change(_ row: borrowing PostgresRow) throws -> PendingChange {
        guard let field = PendingField(rawValue: try row.string(1)),
            let author = ChangeAuthor(rawValue: try row.string(3))
        else { throw APIError(.internalError) }
        return try PendingChange(
            user: row.value(0),
            field: field,
            value: row.value(2),
            author: author
        )
    }
}
