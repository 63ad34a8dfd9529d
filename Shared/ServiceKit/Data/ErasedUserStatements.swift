internal import Postgres
internal import WalletProtocol

/// The SQL of erased people.
enum ErasedUserStatements {
    /// That of one person, and that of their bucket, which whoever writes for hundreds holds.
    static let lock = Statement<Void>(
        """
        select pg_advisory_xact_lock(who.key), pg_advisory_xact_lock(who.key & 255)
        from (values (hashtextextended($1::text, 4997))) as who (key)
        """
    )

    static let hold = Statement<Void>(
        """
        select pg_advisory_xact_lock_shared(hashtextextended(who, 4997))
        from unnest($1::text[]) as who
        """
    )

    /// Those of buckets alone, in one order.
    static let holdBuckets = Statement<Void>(
        """
        select pg_advisory_xact_lock_shared(bucket)
        from (
            select distinct hashtextextended(who, 4997) & 255 as bucket
            from unnest($1::text[]) as told (who)
            order by bucket
        ) as held
        """
    )

    static let insert = Statement<Void>(
        """
        insert into erased_user (user_id, erased_at)
        values ($1, $2)
        on conflict do nothing
        """
    )

    static let find = Statement(
        by: "erased_user_pkey",
        "select user_id from erased_user where user_id = any($1) limit 100000"
    ) { row in try row.value(0, as: ID<User>.self) }

    /// A key's scope begins with who called and a space.
    static let deleteKeys = Statement<Void>(
        by: "idempotency_key_pkey",
        """
        delete from idempotency_key
        where scope >= $1::text || ' ' and scope < $1::text || '!'
        """
    )

    /// What is left of a response is what says nothing of the people whom it mentioned.
    static let emptyAnswers = Statement<Void>(
        by: "idempotency_key_people_idx",
        """
        update idempotency_key
        set answer = (answer::jsonb - 'body')::text, people = null
        where people && $1::text[]
        """
    )
}
