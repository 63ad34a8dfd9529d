import Postgres
import ServiceKit
import Text
import WalletProtocol

/// The SQL of what groups knows of people; each statement names the index that serves it.
enum PeopleStatements {
    /// A first telling that comes late does not take a proof back.
    static let insert = Statement<Void>(
        by: "person_pkey",
        """
        insert into groups.person (
            user_id, username, username_folded, email_folded, email_verified, display_name,
            time_zone, currency, language, profile_version)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict (user_id) do nothing
        """
    )

    /// Unless a later version is there.
    ///
    /// A release of auth from before versions tells of version 0, and of what is newest.
    static let upsert = Statement<Void>(
        by: "person_pkey",
        """
        insert into groups.person (
            user_id, username, username_folded, email_folded, email_verified, display_name,
            time_zone, currency, language, profile_version)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict (user_id) do update
        set username = excluded.username, username_folded = excluded.username_folded,
            email_folded = excluded.email_folded, email_verified = excluded.email_verified,
            display_name = excluded.display_name, time_zone = excluded.time_zone,
            currency = excluded.currency, language = excluded.language,
            profile_version = greatest(person.profile_version, excluded.profile_version)
        where person.profile_version <= excluded.profile_version or excluded.profile_version = 0
        """
    )

    /// Writes a person by `insert` or `upsert`.
    static func write(
        _ person: Person,
        by statement: Statement<Void>,
        in database: some Querying
    ) async throws {
        try await database.execute(
            statement,
            person.id,
            person.username,
            TextFolding.caseFolded(person.username),
            EmailAddress.folded(person.email),
            person.isEmailVerified,
            person.displayName,
            person.timeZone,
            person.currency,
            person.language,
            Int32(clamping: person.version)
        )
    }

    static let find = Statement(
        by: "person_pkey",
        """
        select user_id, username, email_folded, email_verified, display_name, time_zone, currency,
            language, profile_version
        from groups.person
        where user_id = $1
        limit 1
        """
    ) { row in try person(row) }

    /// The time zone of somebody who has no other until the transaction ends; and of what they may
    /// have so many of, nobody counts meanwhile.
    static let lock = Statement(
        by: "person_pkey",
        "select time_zone from groups.person where user_id = $1 limit 1 for no key update"
    ) { row in try row.string(0) }

    /// Two have the name only between two events.
    static let findByUsername = Statement(
        by: "person_username_folded_idx",
        """
        select user_id, username, email_folded, email_verified, display_name, time_zone, currency,
            language, profile_version
        from groups.person
        where username_folded = $1
        order by user_id desc
        limit 2
        """
    ) { row in try person(row) }

    /// Who has proved the address.
    static let findByEmail = Statement(
        by: "person_email_folded_idx",
        """
        select user_id, username, email_folded, email_verified, display_name, time_zone, currency,
            language, profile_version
        from groups.person
        where email_folded = $1 and email_verified
        order by user_id desc
        limit 2
        """
    ) { row in try person(row) }

    /// Nobody who is erased is refused anything, or refuses it.
    static let deleteRefusals = Statement<Void>(
        by: "refusal_pkey, refusal_other_idx",
        "delete from groups.refusal where user_id = $1 or other_id = $1"
    )

    private static func person(_ row: borrowing PostgresRow) throws -> Person {
        try Person(
            id: row.value(0),
            username: row.string(1),
            email: row.string(2),
            isEmailVerified: row.bool(3),
            displayName: row.string(4),
            timeZone: row.string(5),
            currency: row.value(6),
            language: row.string(7),
            version: Int(row.int32(8))
        )
    }

    static let delete = Statement<Void>(
        by: "person_pkey",
        "delete from groups.person where user_id = $1"
    )

    /// The person goes after.
    ///
    /// Those by address go with whoever has proved it: anybody can register with anybody's. Which
    /// one they have proved auth may know better; it is null where auth has not said.
    static let deleteInvitations = Statement<Void>(
        by:
            "invitation_user_, invitation_inviter_, invitation_answered_, invitation_email_",
        """
        delete from groups.invitation
        where user_id = $1 or invited_by = $1 or answered_by = $1
            or email_folded = $2::text or email_folded = (
            select email_folded
            from groups.person
            where user_id = $1 and email_verified)
        """
    )

    /// A user's groups, and those that they left receipts in, locked in the order of their ids.
    static let lockGroups = Statement(
        by: "member_user_idx, expense_attachment_user_idx, expense_group_pkey",
        """
        select g.id, g.currency
        from groups.expense_group g
        where g.id = any (array(
            select group_id from groups.member where user_id = $1
            union
            select group_id from groups.expense_attachment where user_id = $1))
        order by g.id
        for no key update of g
        """
    ) { row in
        (group: try row.value(0, as: ID<Group>.self), currency: try row.value(1, as: Currency.self))
    }

    /// What they had with somebody alone is a group as any other.
    static let endPairs = Statement<Void>(
        by: "expense_group_pair_",
        """
        update groups.expense_group
        set pair_low = null, pair_high = null
        where pair_low = $1 or pair_high = $1
        """
    )

    /// The places stay, with a name that says nothing.
    static let leaveGroups = Statement(
        by: "member_user_idx",
        """
        update groups.member
        set user_id = null, display_name = 'Deleted user', left_at = now()
        where user_id = $1
        returning group_id, id
        """
    ) { row in
        (group: try row.value(0, as: ID<Group>.self), member: try row.value(1, as: ID<Member>.self))
    }

    /// What they said, in groups that they are in or have left.
    static let deleteComments = Statement<Void>(
        by: "member_user_idx, member_former_user_idx, expense_comment_member_idx",
        """
        delete from groups.expense_comment c
        using (
            select group_id, id from groups.member where user_id = $1
            union all
            select group_id, id from groups.member where former_user_id = $1
        ) m
        where c.group_id = m.group_id and c.member_id = m.id
        """
    )

    /// What they sent of other apps; what was taken in of it stays with the group.
    static let deleteImports = Statement<Void>(
        by: "group_import_user_idx",
        "delete from groups.group_import where user_id = $1"
    )

    /// What of groups is in their ledger, which forgets them by itself.
    static let deleteLinks = Statement<Void>(
        by: "ledger_link_user_idx",
        "delete from groups.ledger_link where user_id = $1"
    )

    /// Of the groups that they left before.
    static let forgetPlaces = Statement<Void>(
        by: "member_former_user_idx",
        """
        update groups.member
        set former_user_id = null, display_name = 'Deleted user'
        where former_user_id = $1
        """
    )

    /// Whether anybody is left who can see the group.
    static let hasUsers = Statement(
        by: "member_pkey",
        "select exists (select 1 from groups.member where group_id = $1 and user_id is not null)"
    ) { row in try row.bool(0) }
}
