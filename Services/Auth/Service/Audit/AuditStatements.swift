import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of the audit log; each statement names the index that serves it.
enum AuditStatements {
    /// audit_entry_pkey. What may be missing comes as JSON, for arrays of ours hold no null.
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

    /// By audit_text_pkey.
    static let insertText = Statement<Void>(
        "insert into auth.audit_text (entry_id, salt, value) values ($1, $2, $3)"
    )

    /// By audit_entry_subject_idx, audit_text_pkey.
    static let eraseTexts = Statement<Void>(
        """
        delete from auth.audit_text
        where entry_id in (
            select id from auth.audit_entry where subject = $1 and text_hash is not null)
        """
    )
}
