import Postgres
import ServiceKit

/// What auth itself holds on somebody; each statement names the index that serves it.
enum OwnExportStatements {
    static let parts = [
        ExportPart("profile", from: ExportPart.firstID, profile),
        ExportPart("pending-changes", from: " ", pending),
        ExportPart("sessions", from: ExportPart.firstID, sessions),
        ExportPart("passkeys", from: ExportPart.firstID, passkeys),
        ExportPart("second-factors", from: ExportPart.firstID, secondFactors),
        ExportPart("identities", from: ExportPart.firstID, identities),
        ExportPart("audit", from: ExportPart.firstID, audit),
        ExportPart("audit-acts", from: ExportPart.firstID, pageMax: 20, acts),
        ExportPart("exports", from: ExportPart.firstID, exports),
    ]

    static let profile = Statement(
        by: "user_account_pkey, active_day_pkey",
        """
        select id::text, json_build_object(
            'id', id, 'email', email, 'emailVerifiedAt', email_verified_at, 'username', username,
            'hasPassword', password_hash is not null, 'firstName', first_name,
            'lastName', last_name, 'dateOfBirth', date_of_birth, 'phone', phone, 'area', area,
            'currency', currency, 'language', language, 'timeZone', time_zone, 'theme', theme,
            'dateFormat', date_format, 'monthStart', month_start, 'roles', to_json(roles),
            'createdAt', created_at, 'lastActiveDay', (
                select day from auth.active_day a where a.user_id = user_account.id limit 1))::text
        from auth.user_account
        where id = $1 and id > $2::text::uuid
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let pending = Statement(
        by: "pending_change_pkey",
        """
        select field, json_build_object(
            'field', field, 'value', value, 'by', author, 'createdAt', created_at,
            'dueAt', due_at)::text
        from auth.pending_change
        where user_id = $1 and field > $2::text
        order by field
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let sessions = Statement(
        by: "session_user_id_idx",
        """
        select id::text, json_build_object(
            'id', id, 'device', device_name, 'addressFamily', address_family,
            'methods', to_json(methods), 'createdAt', created_at, 'lastUsedAt', last_used_at,
            'expiresAt', expires_at, 'endedAt', revoked_at)::text
        from auth.session
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// The public parts.
    static let passkeys = Statement(
        by: "passkey_user_id_idx",
        """
        select id::text, json_build_object(
            'id', id, 'name', name, 'credentialId', encode(credential_id, 'base64'),
            'publicKey', encode(public_key, 'base64'), 'algorithm', algorithm,
            'signCount', sign_count, 'transports', to_json(transports), 'backedUp', backed_up,
            'createdAt', created_at, 'lastUsedAt', last_used_at)::text
        from auth.passkey
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// That there is one, never its secret.
    static let secondFactors = Statement(
        by: "totp_pkey",
        """
        select user_id::text, json_build_object(
            'kind', 'totp', 'createdAt', created_at, 'confirmedAt', confirmed_at)::text
        from auth.totp
        where user_id = $1 and user_id > $2::text::uuid
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let identities = Statement(
        by: "identity_user_id_idx",
        """
        select id::text, json_build_object(
            'id', id, 'provider', provider, 'issuer', issuer, 'subject', subject, 'email', email,
            'createdAt', created_at, 'lastUsedAt', last_used_at)::text
        from auth.identity
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What was done about them; another's name is that one's.
    static let audit = Statement(
        by: "audit_entry_subject_idx",
        """
        select id::text, json_build_object(
            'id', id, 'action', action, 'at', at,
            'by', case when actor = $1::uuid::text then 'self' else 'another' end,
            'detail', detail::json)::text
        from auth.audit_entry
        where subject = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What they did that is about nobody: what an administrator or an officer has read; a question
    /// may be long.
    static let acts = Statement(
        by: "audit_entry_actor_idx",
        """
        select id::text, json_build_object(
            'id', id, 'action', action, 'at', at, 'detail', detail::json)::text
        from auth.audit_entry
        where actor = $1::uuid::text and subject is null and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let exports = Statement(
        by: "export_user_id_idx",
        """
        select id::text, json_build_object(
            'id', id, 'requestedAt', requested_at, 'readyAt', ready_at)::text
        from auth.export
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
