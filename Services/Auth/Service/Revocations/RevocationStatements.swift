import Postgres
import ServiceKit
import WalletProtocol

/// A session, a generation of a user's tokens or a key that no longer counts, or a person whose
/// profile has changed: their version is the generation.
struct RevocationRow: Sendable {
    let kind: String
    let subject: String
    let generation: Int32?
    let expiresAt: Instant
    let transaction: String
}

/// The SQL of revocations; each statement names the index that serves it.
enum RevocationStatements {
    static let insert = Statement<Void>(
        """
        insert into auth.revocation (kind, subject, generation, expires_at)
        select $1, s, $3, $4
        from unnest($2::text[]) as s
        """
    )

    /// Once a person: the list is as long as the people who have changed are many.
    static let changePerson = Statement<Void>(
        by: "revocation_person_key",
        """
        insert into auth.revocation (kind, subject, generation, expires_at)
        values ('person', $1, $2, $3)
        on conflict (subject) where kind = 'person' do update
        set generation = excluded.generation, xid = pg_current_xact_id(),
            expires_at = excluded.expires_at
        """
    )

    /// No table: the cursor that misses no transaction still under way.
    static let snapshot = Statement(
        "select pg_snapshot_xmin(pg_current_snapshot())::text"
    ) { row in try row.string(0) }

    /// Whole transactions, so that a page ends between two.
    ///
    /// `order by xid` alone would mean the text of the answer, where 1000 comes before 999.
    static let after = Statement(
        by: "revocation_xid_idx",
        """
        select kind, subject, generation, expires_at, xid::text
        from auth.revocation
        where xid >= $1::text::xid8 and expires_at > now()
        order by revocation.xid
        fetch first ($2::int4) rows with ties
        """
    ) { row in
        try RevocationRow(
            kind: row.string(0),
            subject: row.string(1),
            generation: row.value(2),
            expiresAt: row.value(3),
            transaction: row.string(4)
        )
    }

    static let deleteExpired = Statement<Void>(
        by: "revocation_expires_at_idx",
        """
        delete from auth.revocation
        where ctid = any(array(
            select ctid
            from auth.revocation
            where expires_at < now()
            limit 5000))
        """
    )
}
