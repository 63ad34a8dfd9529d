import Postgres
import ServiceKit

/// The SQL of usernames that were tried; each statement names the index that serves it.
enum NameTryStatements {
    /// Counts a try before the name is looked up, so that any number at once are that many.
    ///
    /// The level falls by one every $3 seconds. Nothing is counted or answered above $2.
    static let count = Statement(
        by: "name_try_pkey",
        """
        insert into groups.name_try as t (subject, level)
        values ($1, 1)
        on conflict (subject) do update
        set level = 1 + greatest(
                0, t.level - extract(epoch from now() - t.counted_at)::float8 / $3::integer),
            counted_at = now()
        where 1 + greatest(
            0, t.level - extract(epoch from now() - t.counted_at)::float8 / $3::integer)
            <= $2::integer
        returning true
        """
    ) { row in try row.bool(0) }

    /// Takes back what was counted: there is somebody of the name.
    static let uncount = Statement<Void>(
        by: "name_try_pkey",
        "update groups.name_try set level = greatest(0, level - 1) where subject = any ($1)"
    )

    static let deleteOld = Statement<Void>(
        by: "name_try_counted_at_idx",
        "delete from groups.name_try where counted_at < now() - interval '1 day'"
    )
}
