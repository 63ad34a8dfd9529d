import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of invitations; each statement names the index that serves it.
enum InvitationStatements {
    /// Invitation_group_user_idx, invitation_group_email_idx, invitation_shared_user_idx and
    /// invitation_shared_email_idx refuse doubles.
    static let insert = Statement<Void>(
        """
        insert into groups.invitation (id, group_id, account_id, folder_id, role, access, name,
            invited_by, user_id, email_folded, invitee, family_id, family_role)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """
    )

    static let isOpen = Statement(
        by: "invitation_group_user_idx, invitation_group_email_idx",
        """
        select exists (
            select 1
            from groups.invitation
            where group_id = $1 and state = 'open' and user_id = $2
        ) or exists (
            select 1
            from groups.invitation
            where group_id = $1 and state = 'open' and email_folded = $3
        )
        """
    ) { row in try row.bool(0) }

    /// What counts somebody's invitations waits for those that they send beside.
    static let lockInviter = Statement(
        by: "person_pkey",
        """
        select user_id
        from groups.person
        where user_id = $1
        limit 1
        for no key update
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// How many somebody has sent in the last hour, mailed in the last day, and sent in it to the
    /// same one for the same group, wallet or folder.
    static let sent = Statement(
        by: "invitation_",
        """
        select count(*) filter (where created_at > now() - interval '1 hour'),
            count(*) filter (where email_folded is not null),
            count(*) filter (
                where coalesce(group_id, family_id, shared_id) = $2::text::uuid
                    and (user_id = $3 or email_folded = $4))
        from groups.invitation
        where invited_by = $1 and created_at > now() - interval '1 day'
        """
    ) { row in
        (
            inHour: try row.int64(0),
            mailedInDay: try row.int64(1),
            toSameInDay: try row.int64(2)
        )
    }

    /// How many have gone to an address in the last day, by whomever.
    static let mailed = Statement(
        by: "invitation_email_idx",
        """
        select count(*)
        from groups.invitation
        where email_folded = $1 and created_at > now() - interval '1 day'
        """
    ) { row in try row.int64(0) }

    static let ofGroup = Statement(
        by: "invitation_group_idx",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access,
            case when g.pair_low is null then coalesce(g.name, i.name) else p.display_name end,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee,
            i.created_at, i.expires_at, i.uses_left, i.member_id, i.family_id,
            i.family_role, g.pair_low is not null, i.email_folded is not null
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        left join groups.person p on p.user_id = i.invited_by
        where i.group_id = $1 and i.state = 'open' and i.id < $2
            and (i.expires_at is null or i.expires_at > now())
        order by i.id desc
        limit $3
        """
    ) { row in try invitation(row) }

    /// For the answer to its making.
    static let find = Statement(
        by: "invitation_pkey",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access,
            case when g.pair_low is null then coalesce(g.name, i.name) else p.display_name end,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee,
            i.created_at, i.expires_at, i.uses_left, i.member_id, i.family_id,
            i.family_role, g.pair_low is not null, i.email_folded is not null
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        left join groups.person p on p.user_id = i.invited_by
        where i.id = $1
        limit 1
        """
    ) { row in try invitation(row) }

    /// Those that the person may answer.
    static let ofPerson = Statement(
        by: "invitation_user_idx, invitation_email_idx",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access,
            case when g.pair_low is null then coalesce(g.name, i.name) else p.display_name end,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee,
            i.created_at, i.expires_at, i.uses_left, i.member_id, i.family_id,
            i.family_role, g.pair_low is not null, i.email_folded is not null
        from (
            select *
            from (
                select *
                from groups.invitation asked
                where user_id = $1 and state = 'open' and id < $3
                    and groups.is_shown(asked, $1)
                order by id desc
                limit $4
            ) by_user
            union all
            select *
            from (
                select *
                from groups.invitation asked
                where email_folded = $2 and state = 'open' and id < $3
                    and groups.is_shown(asked, $1)
                order by id desc
                limit $4
            ) by_email
        ) i
        left join groups.expense_group g on g.id = i.group_id
        left join groups.person p on p.user_id = i.invited_by
        order by i.id desc
        limit $4
        """
    ) { row in try invitation(row) }

    /// One's own in any state, and what has become of it; of others' an open one to oneself.
    static let ofInviterOrInvited = Statement(
        by: "invitation_pkey",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access,
            case when g.pair_low is null then coalesce(g.name, i.name) else p.display_name end,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee,
            i.created_at, i.expires_at, i.uses_left, i.member_id, i.family_id,
            i.family_role, g.pair_low is not null, i.email_folded is not null, i.state,
            i.answered_at, a.display_name
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        left join groups.person p on p.user_id = i.invited_by
        left join groups.person a on a.user_id = i.answered_by
        where i.id = $1
            and (i.invited_by = $2 or i.state = 'open' and (i.user_id = $2 or i.email_folded = $3)
                and groups.is_shown(i, $2))
        limit 1
        """
    ) { row in
        var found = try invitation(row)
        found.outcome = InvitationRow.Outcome(
            state: try row.word(18),
            at: try row.value(19),
            answeredBy: try row.value(20)
        )
        return found
    }

    /// Whether a proof of the address would show any.
    static let isEmailAsked = Statement(
        by: "invitation_email_idx",
        """
        select exists (
            select 1
            from groups.invitation
            where email_folded = $1 and state = 'open'
        )
        """
    ) { row in try row.bool(0) }

    /// An open one that the person may answer.
    static let answerable = Statement(
        by: "invitation_pkey",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access,
            case when g.pair_low is null then coalesce(g.name, i.name) else p.display_name end,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee,
            i.created_at, i.expires_at, i.uses_left, i.member_id, i.family_id,
            i.family_role, g.pair_low is not null, i.email_folded is not null
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        left join groups.person p on p.user_id = i.invited_by
        where i.id = $1 and i.state = 'open' and (i.user_id = $2 or i.email_folded = $3)
            and groups.is_shown(i, $2)
        limit 1
        """
    ) { row in try invitation(row) }

    static func invitation(_ row: borrowing PostgresRow) throws -> InvitationRow {
        try InvitationRow(
            id: row.value(0),
            group: row.value(1),
            offer: SharedOffer.read(row, at: 2),
            name: row.string(6),
            invitedBy: row.value(7),
            inviterName: row.string(8),
            invitee: row.string(9),
            createdAt: row.value(10),
            terms: row.value(11, as: Instant?.self).map { expiresAt in
                InvitationRow.LinkTerms(
                    expiresAt: expiresAt,
                    usesLeft: try row.value(12, as: Int32?.self).map { Int($0) },
                    guest: try row.value(13)
                )
            },
            family: row.value(14, as: ID<Family>?.self).map { family in
                InvitationRow.FamilyPlace(id: family, role: try row.word(15))
            },
            isToPair: row.bool(16),
            isByAddress: row.bool(17)
        )
    }

    static let ofFamily = Statement(
        by: "invitation_family_email_idx",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access, i.name,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee, i.created_at, i.expires_at,
            i.uses_left, i.member_id, i.family_id,
            i.family_role, false, i.email_folded is not null
        from groups.invitation i
        left join groups.person p on p.user_id = i.invited_by
        where i.family_id = $1 and i.state = 'open' and i.id < $2
        order by i.id desc
        limit $3
        """
    ) { row in try invitation(row) }

    static let withdrawFamily = Statement<Void>(
        by: "invitation_",
        """
        update groups.invitation
        set state = 'withdrawn', answered_at = now()
        where id = $1 and family_id = $2 and state = 'open'
        """
    )

    static let closeOne = Statement<Void>(
        by: "invitation_pkey",
        """
        update groups.invitation i
        set state = $3, answered_at = now(), answered_by = $2
        where id = $1 and state = 'open' and groups.is_sent_by_right(i)
        """
    )

    static let insertLink = Statement<Void>(
        """
        insert into groups.invitation (
            id, group_id, invited_by, invitee, expires_at, uses_left, member_id)
        values ($1, $2, $3, '', $4, $5, $6)
        """
    )

    static let countLinks = Statement(
        by: "invitation_group_idx",
        """
        select count(*)
        from groups.invitation
        where group_id = $1 and state = 'open' and expires_at > now()
        """
    ) { row in try row.int64(0) }

    /// A link that still lets somebody in.
    static let link = Statement(
        by: "invitation_pkey",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access,
            case when g.pair_low is null then coalesce(g.name, i.name) else p.display_name end,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee,
            i.created_at, i.expires_at, i.uses_left, i.member_id, i.family_id,
            i.family_role, g.pair_low is not null, i.email_folded is not null
        from groups.invitation i
        left join groups.expense_group g on g.id = i.group_id
        left join groups.person p on p.user_id = i.invited_by
        where i.id = $1 and i.state = 'open' and i.expires_at > now()
            and groups.is_sent_by_right(i)
        limit 1
        """
    ) { row in try invitation(row) }

    /// The last use ends it.
    static let useLink = Statement<Void>(
        by: "invitation_pkey",
        """
        update groups.invitation
        set uses_left = uses_left - 1,
            state = case when uses_left = 1 then 'accepted' else state end,
            answered_at = case when uses_left = 1 then now() end,
            answered_by = case when uses_left = 1 then $2::uuid end
        where id = $1
        """
    )

    static let open = Statement(
        by: "invitation_",
        """
        select invited_by, uses_left
        from groups.invitation
        where id = $1 and group_id = $2 and state = 'open'
        limit 1
        """
    ) { row in
        (inviter: try row.value(0, as: ID<User>.self), usesLeft: try row.value(1, as: Int32?.self))
    }

    static let withdraw = Statement<Void>(
        by: "invitation_pkey",
        """
        update groups.invitation
        set state = 'withdrawn', answered_at = now()
        where id = $1 and state = 'open'
        """
    )

    /// Whether the invited person reads an invitation that was written just now.
    static let isShown = Statement(
        by: "invitation_pkey",
        """
        select groups.is_shown(i, $2)
        from groups.invitation i
        where i.id = $1
        limit 1
        """
    ) { row in try row.bool(0) }

    /// Ends those of a family whose sender may not send them any more.
    static let endUnsentOfFamily = Statement<Void>(
        by: "invitation_family_email_idx",
        """
        update groups.invitation i
        set state = 'withdrawn', answered_at = now()
        where i.family_id = $1 and i.state = 'open' and not groups.is_sent_by_right(i)
        """
    )

    /// Answers one, and the person's others by username when they accept.
    static let close = Statement(
        by: "invitation_group_user_idx, invitation_pkey",
        """
        update groups.invitation
        set state = $4, answered_at = now(), answered_by = $2
        where group_id = $1 and state = 'open'
            and (id = $3 or $4 = 'accepted' and user_id = $2)
        returning id, invited_by
        """
    ) { row in
        ClosedInvitation(id: try row.value(0), invitedBy: try row.value(1))
    }

    /// Ends others of a member's by address, for the member alone.
    ///
    /// They stay open for their senders, who do not learn so whose address it is.
    static let hide = Statement<Void>(
        by: "invitation_email_idx",
        """
        update groups.invitation
        set answered_by = $2
        where coalesce(group_id, shared_id) = $1::text::uuid and email_folded = $3
            and state = 'open'
        """
    )
}
