import Postgres
import ServiceKit

/// What groups holds on somebody; each statement names the index that serves it.
///
/// Of expenses and settlements only one's own share is told: the others' is theirs.
enum ExportStatements {
    static let parts = [
        ExportPart("group-profile", from: ExportPart.firstID, profile),
        ExportPart("groups", from: ExportPart.firstID, groups),
        ExportPart("family", from: ExportPart.firstID, family),
        ExportPart("expenses", from: ExportPart.firstID + " " + ExportPart.firstID, expenses),
        ExportPart(
            "expense-history",
            from: ExportPart.firstID + " " + ExportPart.firstID + " 0",
            history
        ),
        ExportPart("expense-recurrences", from: ExportPart.firstID, recurrences),
        ExportPart(
            "settlements",
            from: ExportPart.firstID + " " + ExportPart.firstID + " -",
            settlements
        ),
        ExportPart("thresholds", from: ExportPart.firstID, thresholds),
        ExportPart("ledger-links", from: ExportPart.firstID, links),
        ExportPart("receiving-accounts", from: "-", receivingAccounts),
        ExportPart("approvals", from: ExportPart.firstID, approvals),
        ExportPart("recurring-allowances", from: ExportPart.firstID, recurringAllowances),
        ExportPart("comments", from: ExportPart.firstID, comments),
        ExportPart("expense-attachments", from: ExportPart.firstID, attachments),
        ExportPart(
            "expense-attachment-contents",
            from: ExportPart.firstID + " 0",
            pageMax: 4,
            attachmentContents
        ),
        ExportPart("group-imports", from: ExportPart.firstID, imports),
        ExportPart("invitations-received", from: ExportPart.firstID, received),
        ExportPart("invitations-sent", from: ExportPart.firstID, sent),
        ExportPart("refusals", from: ExportPart.firstID, refusals),
    ]

    static let profile = Statement(
        by: "person_pkey",
        """
        select user_id::text, json_build_object(
            'username', username, 'email', email_folded, 'displayName', display_name,
            'timeZone', time_zone, 'currency', currency, 'language', language)::text
        from groups.person
        where user_id = $1 and user_id > $2::text::uuid
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let groups = Statement(
        by: "member_user_idx, member_former_user_idx, expense_group_pkey, member_balance_pkey",
        """
        select g.id::text, json_build_object(
            'id', g.id, 'name', case when g.pair_low is null then g.name end,
            'pair', g.pair_low is not null, 'currency', g.currency,
            'personal', g.personal_of is not null, 'memberId', m.id, 'joinedAt', m.joined_at,
            'leftAt', m.left_at,
            'balances', coalesce((
                select json_agg(json_build_object('minorUnits', b.amount, 'currency', b.currency))
                from groups.member_balance b
                where b.group_id = g.id and b.member_id = m.id), '[]'))::text
        from (
            select group_id, id, joined_at, left_at from groups.member where user_id = $1
            union all
            select group_id, id, joined_at, left_at from groups.member where former_user_id = $1
        ) m
        join groups.expense_group g on g.id = m.group_id
        where m.group_id > $2::text::uuid
        order by m.group_id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let family = Statement(
        by: "family_member_user_key, family_pkey",
        """
        select f.id::text, json_build_object(
            'id', f.id, 'name', f.name, 'currency', f.currency, 'role', m.role,
            'joinedAt', m.joined_at)::text
        from groups.family_member m
        join groups.family f on f.id = m.family_id
        where m.user_id = $1 and f.id > $2::text::uuid
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Of a group that they left, what they saw before they did; those that were removed, too.
    ///
    static let expenses = Statement(
        by: "member_user_idx, member_former_user_idx, expense_",
        """
        select e.group_id || ' ' || e.id, json_build_object(
            'id', e.id, 'groupId', e.group_id, 'name', e.name, 'description', e.description,
            'date', e.day, 'tags', e.tags,
            'category', (
                select c.name from groups.category c
                where c.group_id = e.group_id and c.id = coalesce(e.category_id, e.group_id)),
            'latitude', e.latitude / 1000000.0, 'longitude', e.longitude / 1000000.0,
            'place', e.place_name,
            'addedByMe', e.added_by = m.id, 'createdAt', e.created_at, 'removedAt', e.removed_at,
            'amount', json_build_object('minorUnits', e.amount, 'currency', e.currency),
            'paid', (
                select json_build_object('minorUnits', p.amount, 'currency', e.currency)
                from unnest(e.payer_ids, e.paid) as p (member_id, amount)
                where p.member_id = m.id),
            'share', (
                select json_build_object('minorUnits', s.amount, 'currency', e.currency)
                from unnest(e.bearer_ids, e.borne) as s (member_id, amount)
                where s.member_id = m.id)
            )::text
        from (
            select group_id, id, joined_at, left_at from groups.member where user_id = $1
            union all
            select group_id, id, joined_at, left_at from groups.member where former_user_id = $1
        ) m
        join groups.expense e on e.group_id = m.group_id
        where (e.group_id, e.id) > (
                split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::uuid)
            and m.group_id >= split_part($2::text, ' ', 1)::uuid
            and (m.left_at is null or coalesce(e.acted_at, e.created_at) <= m.left_at)
        order by e.group_id, e.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What they made of expenses, those that others have changed since, too.
    ///
    /// Of one that was only added `expenses` tells.
    static let history = Statement(
        by: "member_user_idx, member_former_user_idx, expense_",
        """
        select m.group_id || ' ' || h.id || ' ' || h.version, json_build_object(
            'id', h.id, 'groupId', m.group_id, 'version', h.version, 'action', h.action,
            'at', h.at, 'name', h.name, 'description', h.description, 'date', h.day,
            'amount', h.amount)::text
        from (
            select group_id, id from groups.member where user_id = $1
            union all
            select group_id, id from groups.member where former_user_id = $1
        ) m
        cross join lateral (
            select v.expense_id as id, v.version, v.action, v.at, v.expense ->> 'name' as name,
                v.expense ->> 'description' as description, v.expense ->> 'date' as day,
                v.expense -> 'amount' as amount
            from groups.expense_version v
            where v.group_id = m.group_id and v.member_id = m.id
            union all
            select e.id, e.version, e.action, e.acted_at, e.name, e.description, e.day::text,
                json_build_object('minorUnits', e.amount, 'currency', e.currency)
            from groups.expense e
            where e.group_id = m.group_id and e.acted_by = m.id
        ) h
        where (m.group_id, h.id, h.version) > (
                split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::uuid,
                split_part($2::text, ' ', 3)::int)
            and m.group_id >= split_part($2::text, ' ', 1)::uuid
        order by m.group_id, h.id, h.version
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Those that they made; who else pays and bears each is the others'.
    static let recurrences = Statement(
        by: "expense_recurrence_user_idx",
        """
        select r.id::text, json_build_object(
            'id', r.id, 'groupId', r.group_id, 'name', r.expense ->> 'name',
            'description', r.expense ->> 'description', 'amount', r.expense -> 'amount',
            'every', r.every, 'unit', r.unit, 'until', r.until, 'startDate', r.anchor,
            'nextDate', r.next_day, 'active', r.is_active, 'createdAt', r.created_at)::text
        from groups.expense_recurrence r
        where r.user_id = $1 and r.id > $2::text::uuid
        order by r.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let settlements = Statement(
        by: "member_user_idx, member_former_user_idx, settlement_payment_pkey",
        """
        select p.group_id || ' ' || p.settlement_id || ' ' || p.currency, json_build_object(
            'id', p.settlement_id, 'groupId', p.group_id, 'date', s.day,
            'createdAt', s.created_at, 'state', s.state, 'transferId', s.transfer_id,
            'direction', case when p.debtor_id = m.id then 'paid' else 'received' end,
            'amount', json_build_object('minorUnits', p.amount, 'currency', p.currency),
            'paid', case when p.paid is not null then json_build_object(
                'minorUnits', p.paid, 'currency', p.paid_currency) end)::text
        from (
            select group_id, id, joined_at, left_at from groups.member where user_id = $1
            union all
            select group_id, id, joined_at, left_at from groups.member where former_user_id = $1
        ) m
        join groups.settlement_payment p
            on p.group_id = m.group_id and m.id in (p.debtor_id, p.creditor_id)
        join groups.settlement s on s.group_id = p.group_id and s.id = p.settlement_id
        where (p.group_id, p.settlement_id, p.currency) > (
                split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::uuid,
                split_part($2::text, ' ', 3))
            and m.group_id >= split_part($2::text, ' ', 1)::uuid
        order by p.group_id, p.settlement_id, p.currency
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Those that they set.
    static let thresholds = Statement(
        by: "member_user_idx, member_former_user_idx, threshold_pkey, expense_group_pkey",
        """
        select t.id::text, json_build_object(
            'id', t.id, 'groupId', t.group_id,
            'amount', json_build_object('minorUnits', t.amount, 'currency', g.currency),
            'every', t.period_every, 'unit', t.period_unit, 'from', t.period_from,
            'createdAt', t.created_at)::text
        from (
            select group_id, id from groups.member where user_id = $1
            union all
            select group_id, id from groups.member where former_user_id = $1
        ) m
        join groups.threshold t on t.group_id = m.group_id and t.created_by = m.id
        join groups.expense_group g on g.id = t.group_id
        where t.id > $2::text::uuid
        order by t.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What of groups is in their own ledger.
    static let links = Statement(
        by: "ledger_link_user_idx",
        """
        select id::text, json_build_object(
            'groupId', group_id, 'expenseId', expense_id,
            'settlementId', case when expense_id is null then id end, 'state', state,
            'accountId', account_id, 'ownCategoryId', category_id,
            'transactionId', transaction_id, 'date', day,
            'amount', json_build_object('minorUnits', paid, 'currency', currency),
            'share', json_build_object('minorUnits', share, 'currency', currency),
            'reason', reason, 'createdAt', created_at)::text
        from groups.ledger_link
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let receivingAccounts = Statement(
        by: "receiving_account_pkey",
        """
        select currency, json_build_object(
            'currency', currency, 'accountId', account_id, 'iban', iban, 'name', name,
            'namedAt', named_at)::text
        from groups.receiving_account
        where user_id = $1 and currency > $2::text
        order by currency
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What a child has asked for, and what a parent has decided.
    static let approvals = Statement(
        by: "family_member_user_key, approval_",
        """
        select id::text, json_build_object(
            'id', id, 'amount', json_build_object('minorUnits', amount, 'currency', currency),
            'name', name, 'categoryName', category_name, 'description', description, 'date', day,
            'state', state, 'createdAt', created_at, 'decidedAt', decided_at, 'reason', reason,
            'transactionId', transaction_id, 'refusal', refusal)::text
        from (
            select a.* from groups.family_member m
            join groups.approval a on a.family_id = m.family_id and a.child_id = m.user_id
            where m.user_id = $1 and a.id > $2::text::uuid
            union all
            select a.* from groups.family_member m
            join groups.approval a on a.family_id = m.family_id and a.decided_by = m.user_id
            where m.user_id = $1 and a.id > $2::text::uuid
        ) own
        order by own.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What a parent pays or a child gets, again and again; the account is the parent's to see.
    static let recurringAllowances = Statement(
        by: "family_member_user_key, allowance_recurrence_",
        """
        select id::text, json_build_object(
            'id', id, 'amount', json_build_object('minorUnits', amount, 'currency', currency),
            'paidByMe', parent_id = $1,
            'fromAccountId', case when parent_id = $1 then from_account end, 'name', name,
            'every', every, 'unit', unit, 'until', until, 'startDate', anchor,
            'nextDate', next_day, 'active', is_active, 'createdAt', created_at)::text
        from (
            select r.* from groups.family_member m
            join groups.allowance_recurrence r
                on r.family_id = m.family_id and r.child_id = m.user_id
            where m.user_id = $1 and r.id > $2::text::uuid
            union all
            select r.* from groups.family_member m
            join groups.allowance_recurrence r
                on r.family_id = m.family_id and r.parent_id = m.user_id
            where m.user_id = $1 and r.id > $2::text::uuid
        ) own
        order by own.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let comments = Statement(
        by: "member_user_idx, member_former_user_idx, expense_comment_member_idx",
        """
        select c.id::text, json_build_object(
            'id', c.id, 'groupId', c.group_id, 'expenseId', c.expense_id, 'text', c.text,
            'createdAt', c.created_at)::text
        from (
            select group_id, id, joined_at, left_at from groups.member where user_id = $1
            union all
            select group_id, id, joined_at, left_at from groups.member where former_user_id = $1
        ) m
        join groups.expense_comment c on c.group_id = m.group_id and c.member_id = m.id
        where c.id > $2::text::uuid
        order by c.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What they sent of other apps, as long as it is kept.
    static let imports = Statement(
        by: "group_import_user_idx",
        """
        select id::text, json_build_object(
            'id', id, 'groupId', group_id, 'state', state, 'format', format, 'people', people,
            'read', summary, 'createdAt', created_at)::text
        from groups.group_import
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What they added, in groups that they are in or have left.
    static let attachments = Statement(
        by: "expense_attachment_user_idx",
        """
        select id::text, json_build_object(
            'id', id, 'groupId', group_id, 'expenseId', expense_id, 'name', name,
            'mediaType', media_type, 'size', size, 'sha256', encode(sha256, 'hex'),
            'createdAt', created_at)::text
        from groups.expense_attachment
        where user_id = $1 and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// The bytes, in parts to be joined in order.
    static let attachmentContents = Statement(
        by: "expense_attachment_user_idx, attachment_chunk_pkey",
        """
        select c.attachment_id || ' ' || c.place, json_build_object(
            'attachmentId', c.attachment_id, 'part', c.place,
            'base64', translate(encode(c.bytes, 'base64'), E'\\n', ''))::text
        from (
            select id from groups.expense_attachment
            where user_id = $1 and id >= split_part($2::text, ' ', 1)::uuid
            order by id
            limit $3 + 1
        ) a
        join groups.attachment_chunk c on c.attachment_id = a.id
        where (c.attachment_id, c.place) > (
            split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::int)
        order by c.attachment_id, c.place
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let refusals = Statement(
        by: "refusal_",
        """
        select other_id::text, json_build_object(
            'userId', other_id, 'blocked', is_block, 'createdAt', created_at)::text
        from groups.refusal
        where user_id = $1 and other_id > $2::text::uuid
        order by other_id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let received = Statement(
        by: "invitation_user_idx, invitation_email_idx",
        """
        select i.id::text, json_build_object(
            'id', i.id, 'group', g.name,
            'wallet', case when i.account_id is not null then i.name end,
            'accountId', i.account_id, 'role', i.role,
            'folder', case when i.folder_id is not null then i.name end,
            'folderId', i.folder_id, 'access', i.access,
            'family', case when i.family_id is not null then i.name end,
            'familyRole', i.family_role,
            'state', i.state, 'createdAt', i.created_at, 'answeredAt', i.answered_at)::text
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        where i.id > $2::text::uuid and (
            i.user_id = $1 or i.email_folded = (
                select email_folded from groups.person where user_id = $1 and email_verified))
        order by i.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    static let sent = Statement(
        by: "invitation_inviter_id_idx",
        """
        select i.id::text, json_build_object(
            'id', i.id, 'group', g.name,
            'wallet', case when i.account_id is not null then i.name end,
            'accountId', i.account_id, 'role', i.role,
            'folder', case when i.folder_id is not null then i.name end,
            'folderId', i.folder_id, 'access', i.access,
            'family', case when i.family_id is not null then i.name end,
            'familyRole', i.family_role,
            'invitee', i.invitee, 'state', i.state, 'createdAt', i.created_at)::text
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        where i.invited_by = $1 and i.id > $2::text::uuid
        order by i.id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
