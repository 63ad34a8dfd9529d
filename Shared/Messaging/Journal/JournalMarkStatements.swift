internal import Postgres

/// The SQL of a consumer's place in a producer's journal.
enum JournalMarkStatements {
    // Index journal_mark_pkey: one statement for a row that is there and one that is not.
    static let lock = Statement(
        by: "journal_mark_pkey",
        """
        insert into journal_mark as held (producer, mark)
        values ($1, 0)
        on conflict (producer) do update
        set mark = held.mark
        returning mark, lows, highs
        """
    ) { row in try window(row) }

    // Index journal_mark_pkey.
    static let read = Statement(
        by: "journal_mark_pkey",
        """
        select mark, lows, highs
        from journal_mark
        where producer = $1
        limit 1
        """
    ) { row in try window(row) }

    // Index journal_mark_pkey.
    static let save = Statement(
        by: "journal_mark_pkey",
        """
        update journal_mark
        set mark = $2,
            lows = $3,
            highs = $4
        where producer = $1
        """
    )

    /// One replica asks for what is missing, for as long as it renews this.
    ///
    /// Index journal_mark_pkey.
    static let claim = Statement(
        by: "journal_mark_pkey",
        """
        update journal_mark
        set asker = $2,
            asks_until = clock_timestamp() + interval '10 seconds'
        where producer = $1
            and (asker is null or asker = $2 or asks_until < clock_timestamp())
        returning mark, lows, highs
        """
    ) { row in try window(row) }

    private static func window(
        _ row: borrowing PostgresRow
    ) throws(DatabaseError) -> AppliedWindow {
        let lows: [Int64] = try row.value(1)
        let highs: [Int64] = try row.value(2)
        // What is no run is none of ours.
        let runs = zip(lows, highs).filter { $0 <= $1 }.map { $0...$1 }
        return AppliedWindow(mark: try row.int64(0), above: PlaceSet(runs))
    }
}
