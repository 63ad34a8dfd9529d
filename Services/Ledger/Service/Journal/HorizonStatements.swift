import Postgres

/// The SQL of the journal's horizon (`0003_journal.sql`).
enum HorizonStatements {
    static let settle = Statement("select settled, newest from ledger.settle_journal_v1()") { row in
        (settled: try row.int64(0), newest: try row.int64(1))
    }

    /// No table: the sequence that places are drawn from.
    static let drawn = Statement(
        "select case when is_called then last_value else 0 end from ledger.entry_place_seq"
    ) { row in try row.int64(0) }
}
