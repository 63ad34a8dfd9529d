internal import Postgres

/// The SQL of idempotency keys; idempotency_key_pkey serves what names no other.
enum IdempotencyStatements {
    static let claim = Statement<Void>(
        by: "idempotency_key_pkey",
        """
        insert into idempotency_key (scope, key, request_hash, answer)
        values ($1, $2, $3, '')
        on conflict (scope, key) do nothing
        """
    )

    static let find = Statement(
        by: "idempotency_key_pkey",
        """
        select request_hash, answer
        from idempotency_key
        where scope = $1 and key = $2
        limit 1
        """
    ) { row in try (requestHash: row.bytes(0), answer: row.string(1)) }

    static let isKnown = Statement(
        by: "idempotency_key_pkey",
        "select exists (select from idempotency_key where scope = $1 and key = $2)"
    ) { row in try row.bool(0) }

    /// A key is promised for a day.
    static let deleteOld = Statement<Void>(
        by: "idempotency_key_created_at_idx",
        """
        delete from idempotency_key
        where ctid = any(array(
            select ctid
            from idempotency_key
            where created_at < now() - interval '2 days'
            limit 5000))
        """
    )

    static let record = Statement<Void>(
        by: "idempotency_key_pkey",
        """
        update idempotency_key
        set answer = $3
        where scope = $1 and key = $2
        """
    )
}
