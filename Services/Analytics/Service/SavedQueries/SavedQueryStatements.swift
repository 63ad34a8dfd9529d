import Postgres
import ServiceKit
import WalletProtocol

/// A saved query as its row has it.
struct SavedQueryRow: Sendable {
    let id: ID<SavedQuery>
    let name: String
    /// The query as it was saved, be it by a version that knew other words.
    let text: String
    let createdAt: Instant
    let changedAt: Instant
    let version: Int32
}

/// The SQL of saved queries; each statement names the index that serves it.
enum SavedQueryStatements {
    /// Keeps the same person's others away until the transaction's end, so that nobody has too
    /// many.
    static let lockOwner = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1, 4993))"
    )

    static let count = Statement(
        by: "saved_query_",
        "select count(*) from analytics.saved_query where user_id = $1"
    ) { row in try row.int64(0) }

    static let insert = Statement<Void>(
        """
        insert into analytics.saved_query (user_id, id, name, name_folded, query)
        values ($1, $2, $3, $4, $5)
        """
    )

    /// Newest first.
    static let list = Statement(
        by: "saved_query_pkey",
        """
        select id, name, query, created_at, changed_at, version
        from analytics.saved_query
        where user_id = $1 and id < $2
        order by id desc
        limit $3
        """
    ) { row in try savedQuery(row) }

    static let find = Statement(
        by: "saved_query_pkey",
        """
        select id, name, query, created_at, changed_at, version
        from analytics.saved_query
        where user_id = $1 and id = $2
        limit 1
        """
    ) { row in try savedQuery(row) }

    static let lock = Statement(
        by: "saved_query_pkey",
        """
        select id, name, query, created_at, changed_at, version
        from analytics.saved_query
        where user_id = $1 and id = $2
        limit 1
        for no key update
        """
    ) { row in try savedQuery(row) }

    static let change = Statement<Void>(
        by: "saved_query_pkey",
        """
        update analytics.saved_query
        set name = $3, name_folded = $4, query = $5, version = version + 1, changed_at = now()
        where user_id = $1 and id = $2
        """
    )

    static let delete = Statement<Void>(
        by: "saved_query_pkey",
        "delete from analytics.saved_query where user_id = $1 and id = $2"
    )

    /// All of a person's, on erasure.
    static let forget = Statement<Void>(
        by: "saved_query_",
        "delete from analytics.saved_query where user_id = $1"
    )

    private static func savedQuery(_ row: borrowing PostgresRow) throws -> SavedQueryRow {
        try SavedQueryRow(
            id: row.value(0),
            name: row.string(1),
            text: row.string(2),
            createdAt: row.value(3),
            changedAt: row.value(4),
            version: row.int32(5)
        )
    }
}
