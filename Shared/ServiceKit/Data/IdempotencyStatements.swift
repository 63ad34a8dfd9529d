internal import Postgres

/// The SQL of idempotency keys; idempotency_key_pkey serves what names no other.
enum IdempotencyStatements {
    /// The lock stands for the key until the transaction's end: a row that is not committed yet can
    /// be waited for, and not passed by.
    static let claim = Statement<Void>(
        by: "idempotency_key_pkey",
        """
        insert into idempotency_key (scope, key, request_hash, answer)
        select $1, $2, $3, ''
        from pg_advisory_xact_lock(hashtextextended($1, hashtextextended($2, 4998)))
        on conflict (scope, key) do nothing
        """
    )

    /// Locks several, and tells which: those that are in use elsewhere are left out.
    static let lockAll = Statement(
        """
        select scope, key
        from unnest($1::text[], $2::text[]) as asked (scope, key)
        where pg_try_advisory_xact_lock(hashtextextended(scope, hashtextextended(key, 4998)))
        """
    ) { row in [try row.string(0), try row.string(1)] }

    /// Which of several somebody has used: asked once they are locked, it sees whoever had one.
    static let usedAll = Statement(
        by: "idempotency_key_pkey",
        """
        select asked.scope, asked.key
        from unnest($1::text[], $2::text[]) as asked (scope, key)
        cross join lateral (
            select true
            from idempotency_key
            where scope = asked.scope and key = asked.key
            limit 1
        ) as used
        """
    ) { row in [try row.string(0), try row.string(1)] }

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
        set answer = $3, people = string_to_array($4, chr(10))
        where scope = $1 and key = $2
        """
    )

    /// Of keys that were locked and that nobody had used.
    static let recordAll = Statement<Void>(
        """
        insert into idempotency_key (scope, key, request_hash, answer, people)
        select scope, key, request_hash, answer, string_to_array(people, chr(10))
        from unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[])
            as told (scope, key, request_hash, answer, people)
        """
    )
}
