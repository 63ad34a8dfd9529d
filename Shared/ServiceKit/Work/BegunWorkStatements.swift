internal import Postgres

/// The SQL of work that is noted as begun; all by work_begun_pkey.
enum BegunWorkStatements {
    /// Notes that it is begun; how often in a row it did not end where it did not end last.
    static let begin = Statement(
        """
        insert into work_begun as kept (kind, id)
        values ($1, $2)
        on conflict (kind, id) do update
        set times = case
                when abs(kept.place - kept.ended_place) <= 1 then kept.times + 1
                else 1 end,
            ended_place = kept.place, place = 0
        returning times
        """
    ) { row in Int(try row.int32(0)) }

    /// How far it has come.
    static let reach = Statement<Void>(
        "update work_begun set place = $3 where kind = $1 and id = $2"
    )

    static let end = Statement<Void>("delete from work_begun where kind = $1 and id = $2")

    /// What it was that was set aside, for whoever looks.
    static let bury = Statement<Void>(
        """
        insert into dead_letter (aggregate, sequence, error)
        values ($1::text || ':' || $2::text, 0, $3)
        """
    )
}
