internal import Postgres

/// The SQL of work that is noted as begun; all by work_begun_pkey.
enum BegunWorkStatements {
    /// Notes that it is begun, in the place of a note whose process is gone.
    ///
    /// A process is there while its connection to the same start of the server is. Returns how
    /// often in a row it did not end about where it did not end last; nothing where a living one
    /// has it. What was begun too often keeps its place: whoever sets it aside touches nothing.
    static let begin = Statement(
        by: "work_begun_pkey",
        """
        insert into work_begun as kept (kind, id, attempt)
        values ($1, $2, $3)
        on conflict (kind, id) do update
        set times = case
                when abs(kept.place - kept.ended_place) <= 1 then kept.times + 1
                else 1 end,
            ended_place = kept.place,
            place = case
                when abs(kept.place - kept.ended_place) <= 1 and kept.times + 1 >= 3
                    then kept.place
                else 0 end,
            attempt = excluded.attempt, backend = excluded.backend, server = excluded.server,
            again_at = clock_timestamp() + interval '1 second' * (1 + random()) * 4 ^ least(
                case when abs(kept.place - kept.ended_place) <= 1 then kept.times + 1 else 1 end,
                2)
        where kept.server <> excluded.server
            or not exists (select from pg_stat_activity where pid = kept.backend)
        returning times
        """
    ) { row in Int(try row.int32(0)) }

    /// How far it has come.
    static let reach = Statement<Void>(
        by: "work_begun_pkey",
        """
        update work_begun set place = greatest(place, $4)
        where kind = $1 and id = $2 and attempt = $3
        """
    )

    /// Nobody has it any more, and it stands as it is.
    static let release = Statement<Void>(
        by: "work_begun_pkey",
        "update work_begun set backend = 0 where kind = $1 and id = $2 and attempt = $3"
    )

    static let end = Statement<Void>(
        by: "work_begun_pkey",
        "delete from work_begun where kind = $1 and id = $2 and attempt = $3"
    )

    /// What it was that was set aside, for whoever looks.
    static let bury = Statement<Void>(
        """
        insert into dead_letter (aggregate, sequence, error)
        values ($1::text || ':' || $2::text, 0, $3)
        """
    )
}
