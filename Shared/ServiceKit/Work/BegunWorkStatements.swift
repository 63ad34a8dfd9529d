internal import Postgres

/// The SQL of work that is noted as begun; all by work_begun_pkey.
enum BegunWorkStatements {
    /// Notes that it is begun, in the place of a note whose process is gone.
    ///
    /// A process is there while its connection is. Returns how often in a row it did not end about
    /// where it did not end last; nothing where a living one has it.
    static let begin = Statement(
        """
        insert into work_begun as kept (kind, id, attempt)
        values ($1, $2, $3)
        on conflict (kind, id) do update
        set times = case
                when abs(kept.place - kept.ended_place) <= 1 then kept.times + 1
                else 1 end,
            ended_place = kept.place, place = 0,
            attempt = excluded.attempt, backend = excluded.backend,
            again_at = clock_timestamp() + interval '1 second' * 4 ^ least(
                case when abs(kept.place - kept.ended_place) <= 1 then kept.times + 1 else 1 end,
                2)
        where not exists (select from pg_stat_activity where pid = kept.backend)
        returning times
        """
    ) { row in Int(try row.int32(0)) }

    /// How far it has come.
    static let reach = Statement<Void>(
        "update work_begun set place = $4 where kind = $1 and id = $2 and attempt = $3"
    )

    static let end = Statement<Void>(
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
