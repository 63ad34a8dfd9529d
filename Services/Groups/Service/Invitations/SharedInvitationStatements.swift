import Postgres
import ServiceKit
import WalletProtocol

/// An invitation to a shared thing that somebody has taken.
struct SharedAcceptance: Sendable, Hashable {
    let id: ID<Invitation>
    let offer: SharedOffer
    let invitedBy: ID<User>
    let user: ID<User>
    /// Whether the ledger has made them a member.
    let isDone: Bool

    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        guard let offer = try SharedOffer.read(row, at: 1) else {
            throw row.problem(1, "nothing is shared")
        }
        self.offer = offer
        invitedBy = try row.value(5)
        user = try row.value(6)
        isDone = try row.string(7) == "accepted"
    }
}

/// The SQL of invitations to what the ledger keeps; each statement names the index that serves it.
enum SharedInvitationStatements {
    /// No table: whoever invites to a thing, or is asked to it, comes one after another.
    static let lock = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1::text, 4998))"
    )

    static let isOpen = Statement(
        by: "invitation_shared_user_idx, invitation_shared_email_idx",
        """
        select exists (
            select 1
            from groups.invitation
            where shared_id = $1 and state in ('open', 'accepting') and user_id = $2
        ) or exists (
            select 1
            from groups.invitation
            where shared_id = $1 and state in ('open', 'accepting') and email_folded = $3
        )
        """
    ) { row in try row.bool(0) }

    static let countOpen = Statement(
        by: "invitation_shared_idx",
        "select count(*) from groups.invitation where shared_id = $1 and state = 'open'"
    ) { row in try row.int64(0) }

    static let ofThing = Statement(
        by: "invitation_shared_idx",
        """
        select i.id, i.group_id, i.account_id, i.folder_id, i.role, i.access, i.name,
            i.invited_by, coalesce(p.display_name, '–'), i.invitee, i.created_at, i.expires_at,
            i.uses_left, i.member_id, i.family_id,
            i.family_role, false, i.email_folded is not null
        from groups.invitation i
        left join groups.person p on p.user_id = i.invited_by
        where i.shared_id = $1 and i.state = 'open' and i.id < $2
        order by i.id desc
        limit $3
        """
    ) { row in try InvitationStatements.invitation(row) }

    static let withdraw = Statement<Void>(
        by: "invitation_",
        """
        update groups.invitation
        set state = 'withdrawn', answered_at = now()
        where id = $2 and shared_id = $1 and state = 'open'
        """
    )

    /// One that somebody may take or has taken.
    static let take = Statement(
        by: "invitation_pkey",
        """
        update groups.invitation i
        set state = case state when 'open' then 'accepting' else state end,
            answered_at = coalesce(answered_at, now()), answered_by = $2
        where id = $1 and shared_id is not null and (
            state = 'open' and (user_id = $2 or email_folded = $3) and groups.is_shown(i, $2)
            or state in ('accepting', 'accepted') and answered_by = $2
        )
        returning id, account_id, folder_id, role, access, invited_by, answered_by, state
        """
    ) { row in try SharedAcceptance(row) }

    static let settle = Statement<Void>(
        by: "invitation_",
        "update groups.invitation set state = $2 where id = $1 and state = 'accepting'"
    )

    /// What somebody has taken, under its lock.
    static let taken = Statement(
        by: "invitation_",
        """
        select id, account_id, folder_id, role, access, invited_by, answered_by, state
        from groups.invitation
        where id = $1 and answered_by = $2 and state in ('accepting', 'accepted')
        for no key update
        """
    ) { row in try SharedAcceptance(row) }

    /// Answers one, and the person's other by username when they accept.
    static let close = Statement<Void>(
        by: "invitation_shared_user_idx, invitation_pkey",
        """
        update groups.invitation
        set state = $4, answered_at = now(), answered_by = $2
        where shared_id = $1 and state = 'open'
            and (id = $3 or $4 = 'accepted' and user_id = $2)
        """
    )

    /// What was taken and not finished in the time that a call has.
    static let unfinished = Statement(
        by: "invitation_accepting_idx",
        """
        select id, account_id, folder_id, role, access, invited_by, answered_by, state
        from groups.invitation
        where state = 'accepting' and answered_at < now() - interval '15 seconds'
        order by answered_at
        limit 20
        """
    ) { row in try SharedAcceptance(row) }
}
