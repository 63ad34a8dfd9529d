import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of the audit log; each statement names the index that serves it.
enum AuditStatements {
    /// What may be missing comes as JSON, for arrays of ours hold no null.
    static let insert = Statement<Void>(
        """
        insert into auth.audit_entry (
            id, actor, action, subject, detail, text_hash, address_family, request_id, at, code)
        select e.id, e.actor, e.action, ($4::jsonb ->> (e.place::int - 1))::uuid, e.detail,
            decode($6::jsonb ->> (e.place::int - 1), 'hex'), e.address_family,
            $8::jsonb ->> (e.place::int - 1), e.at,
            decode($10::jsonb ->> (e.place::int - 1), 'hex')
        from unnest($1::uuid[], $2::text[], $3::text[], $5::text[], $7::text[], $9::timestamptz[])
            with ordinality as e (id, actor, action, detail, address_family, at, place)
        order by e.place
        """
    )

    static let insertText = Statement<Void>(
        "insert into auth.audit_text (entry_id, salt, value) values ($1, $2, $3)"
    )

    static let eraseTexts = Statement<Void>(
        by: "audit_entry_subject_idx, audit_text_pkey",
        """
        delete from auth.audit_text
        where entry_id in (
            select id from auth.audit_entry where subject = $1 and text_hash is not null)
        """
    )

    static let hasEntries = Statement(
        by: "audit_entry_xid_idx",
        "select exists (select from auth.audit_entry where xid >= $1::text::xid8)"
    ) { row in try row.bool(0) }

    /// Whether somebody was erased is looked up where a text is missing, and nowhere else: `not
    /// exists` may be planned by reading all erasures that ever were.
    static let sealable = Statement(
        by: "audit_entry_xid_idx, audit_text_pkey, audit_entry_subject_idx",
        """
        select e.id, e.xid::text, e.actor, e.action, e.subject, e.detail, e.text_hash,
            e.address_family, e.request_id, e.at, e.code, t.salt, t.value,
            e.text_hash is not null and t.entry_id is null and (
                select d.id from auth.audit_entry d
                where d.subject = e.subject and d.action = 'user-erased'
                limit 1) is null
        from auth.audit_entry e
        left join auth.audit_text t on t.entry_id = e.id
        where e.xid >= $1::text::xid8 and e.xid <= $2::text::xid8
        order by e.xid, e.id
        limit $3
        """
    ) { row in try sealed(row) }

    static let sealableAfter = Statement(
        by: "audit_entry_xid_idx, audit_text_pkey, audit_entry_subject_idx",
        """
        select e.id, e.xid::text, e.actor, e.action, e.subject, e.detail, e.text_hash,
            e.address_family, e.request_id, e.at, e.code, t.salt, t.value,
            e.text_hash is not null and t.entry_id is null and (
                select d.id from auth.audit_entry d
                where d.subject = e.subject and d.action = 'user-erased'
                limit 1) is null
        from auth.audit_entry e
        left join auth.audit_text t on t.entry_id = e.id
        where (e.xid, e.id) > ($1::text::xid8, $4) and e.xid <= $2::text::xid8
        order by e.xid, e.id
        limit $3
        """
    ) { row in try sealed(row) }

    private static func sealed(_ row: borrowing PostgresRow) throws -> SealableRow {
        let salt: [UInt8]? = try row.value(11)
        let value: String? = try row.value(12)
        var text: AuditText?
        if let salt, let value { text = AuditText(salt: salt, value: value) }
        return try SealableRow(
            row: AuditRow(
                id: row.value(0),
                transaction: UInt64(row.string(1)) ?? 0,
                actor: row.string(2),
                action: row.string(3),
                subject: row.value(4),
                detail: row.string(5),
                textHash: row.value(6),
                addressFamily: row.string(7),
                requestID: row.value(8),
                at: row.value(9),
                code: row.bytes(10)
            ),
            text: text,
            isTextMissing: row.bool(13)
        )
    }

    /// A page of the texts, when all is verified.
    static let strayTexts = Statement(
        by: "audit_text_pkey, audit_entry_pkey",
        """
        select t.entry_id, e.text_hash is null
        from (
            select entry_id from auth.audit_text
            where entry_id >= $1
            order by entry_id
            limit $2) t
        left join auth.audit_entry e on e.id = t.entry_id
        order by t.entry_id
        """
    ) { row in try (id: row.value(0, as: ID<ChainFault>.self), isStray: row.bool(1)) }

    /// Newest first, by the index of the first filter that is there: audit_entry_subject_idx,
    /// audit_entry_actor_idx, audit_entry_action_idx, else audit_entry_pkey.
    ///
    /// Of each value the newest are taken by its index, and of these the newest again, so that a
    /// page far behind costs what the first one does.
    static func list(_ filter: AuditFilter, limit: Int) -> BoundStatement<ListedEntry> {
        var builder = StatementBuilder(
            """
            select e.id, e.at, e.actor, e.action, e.subject, e.detail, t.value, e.address_family,
                e.request_id
            from
            """
        )
        if !filter.subjects.isEmpty {
            builder.append(
                """
                 unnest($1::uuid[]) as f (value) cross join lateral (
                select * from auth.audit_entry
                where subject = f.value
                """,
                filter.subjects
            )
        } else if !filter.actors.isEmpty {
            builder.append(
                """
                 unnest($1::text[]) as f (value) cross join lateral (
                select * from auth.audit_entry
                where actor = f.value
                """,
                filter.actors
            )
        } else if !filter.actions.isEmpty {
            builder.append(
                """
                 unnest($1::text[]) as f (value) cross join lateral (
                select * from auth.audit_entry
                where action = f.value
                """,
                filter.actions
            )
        } else {
            builder.append(" (select * from auth.audit_entry where true")
        }
        if !filter.subjects.isEmpty, !filter.actors.isEmpty {
            builder.append(" and actor = any($1::text[])", filter.actors)
        }
        if !filter.actions.isEmpty, !(filter.subjects.isEmpty && filter.actors.isEmpty) {
            builder.append(" and action = any($1::text[])", filter.actions)
        }
        builder.append(" and id >= $1 and id < $2", filter.from, filter.before)
        builder.append(
            """
             order by id desc limit $1) e
            left join auth.audit_text t on t.entry_id = e.id
            order by e.id desc
            limit $1
            """,
            limit
        )
        return builder.statement { row in
            try ListedEntry(
                id: row.value(0),
                at: row.value(1),
                actor: row.string(2),
                action: row.string(3),
                subject: row.value(4),
                detail: row.string(5),
                texts: row.value(6),
                addressFamily: row.string(7),
                requestID: row.value(8)
            )
        }
    }
}
