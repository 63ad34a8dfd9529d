import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what groups knows of people; each statement names the index that serves it.
enum PeopleStatements {
    /// By person_pkey: a first telling that comes late does not take a proof back.
    static let insert = Statement<Void>(
        """
        insert into groups.person (
            user_id, username, username_folded, email_folded, email_verified, display_name,
            time_zone, currency, language)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (user_id) do nothing
        """
    )

    /// By person_pkey.
    static let upsert = Statement<Void>(
        """
        insert into groups.person (
            user_id, username, username_folded, email_folded, email_verified, display_name,
            time_zone, currency, language)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (user_id) do update
        set username = excluded.username, username_folded = excluded.username_folded,
            email_folded = excluded.email_folded, email_verified = excluded.email_verified,
            display_name = excluded.display_name, time_zone = excluded.time_zone,
            currency = excluded.currency, language = excluded.language
        """
    )

    /// By person_pkey.
    static let find = Statement(
        """
        select user_id, username, email_folded, email_verified, display_name, time_zone, currency,
            language
        from groups.person
        where user_id = $1
        limit 1
        """
    ) { row in try person(row) }

    /// By person_username_folded_idx; two have the name only between two events.
    static let findByUsername = Statement(
        """
        select user_id, username, email_folded, email_verified, display_name, time_zone, currency,
            language
        from groups.person
        where username_folded = $1
        order by user_id desc
        limit 2
        """
    ) { row in try person(row) }

    /// By person_email_folded_idx: who has proved the address.
    static let findByEmail = Statement(
        """
        select user_id, username, email_folded, email_verified, display_name, time_zone, currency,
            language
        from groups.person
        where email_folded = $1 and email_verified
        order by user_id desc
        limit 2
        """
    ) { row in try person(row) }

    private static func person(_ row: borrowing PostgresRow) throws -> Person {
        try Person(
            id: row.value(0),
            username: row.string(1),
            email: row.string(2),
            isEmailVerified: row.bool(3),
            displayName: row.string(4),
            timeZone: row.string(5),
            currency: row.value(6),
            language: row.string(7)
        )
    }

    /// By person_pkey.
    static let delete = Statement<Void>("delete from groups.person where user_id = $1")

    /// By invitation_user_idx, invitation_inviter_idx, invitation_answered_idx and
    /// invitation_email_idx; the person goes after.
    ///
    /// Those by address go with whoever has proved it: anybody can register with anybody's. Which
    /// one they have proved auth may know better; it is null where auth has not said.
    static let deleteInvitations = Statement<Void>(
        """
        delete from groups.invitation
        where user_id = $1 or invited_by = $1 or answered_by = $1
            or email_folded = $2::text or email_folded = (
            select email_folded
            from groups.person
            where user_id = $1 and email_verified)
        """
    )

    /// By member_user_idx, expense_group_pkey: a user's groups, locked in the order of their ids.
    static let lockGroups = Statement(
        """
        select g.id, g.currency
        from groups.member m
        join groups.expense_group g on g.id = m.group_id
        where m.user_id = $1
        order by g.id
        for no key update of g
        """
    ) { row in
        (group: try row.value(0, as: ID<Group>.self), currency: try row.value(1, as: Currency.self))
    }

    /// By member_user_idx: the places stay, with a name that says nothing.
    static let leaveGroups = Statement(
        """
        update groups.member
        set user_id = null, display_name = 'Deleted user'
        where user_id = $1
        returning group_id, id
        """
    ) { row in
        (group: try row.value(0, as: ID<Group>.self), member: try row.value(1, as: ID<Member>.self))
    }

    /// By member_pkey: whether anybody is left who can see the group.
    static let hasUsers = Statement(
        "select exists (select 1 from groups.member where group_id = $1 and user_id is not null)"
    ) { row in try row.bool(0) }
}
