import Postgres
import ServiceKit
import WalletProtocol

/// Somebody who uses an account.
struct MemberRow: Sendable, Hashable {
    let user: ID<User>
    let displayName: String
    let role: AccountRole
    let joinedAt: Instant

    func view(for reader: ID<User>) -> WalletMemberView {
        WalletMemberView(
            userID: user,
            displayName: displayName,
            role: role,
            isMe: user == reader,
            joinedAt: joinedAt
        )
    }
}

/// An account whose members change, under its lock.
struct SharedAccountRow: Sendable {
    let owner: ID<User>?
    let kind: String
    let isClosed: Bool
}

/// The SQL of wallets' members; its owner is in `account` alone.
enum MemberStatements {
    /// Whether two share a wallet, as its owner or not, or a folder.
    static let share = Statement(
        by: "account_member_, account_pkey, folder_member_, folder_pkey",
        """
        select exists (
            select
            from ledger.account_member m
            join ledger.account a on a.id = m.account_id
            where m.user_id = $1 and m.left_at is null and (
                a.user_id = $2 or exists (
                    select from ledger.account_member o
                    where o.account_id = m.account_id and o.user_id = $2 and o.left_at is null))
        ) or exists (
            select
            from ledger.account_member m
            join ledger.account a on a.id = m.account_id and a.user_id = $1
            where m.user_id = $2 and m.left_at is null
        ) or exists (
            select
            from ledger.folder_member m
            join ledger.folder_member o on o.folder_id = m.folder_id and o.user_id = $2
                and o.left_at is null
            join ledger.folder f on f.id = m.folder_id and f.deleted_at is null
            where m.user_id = $1 and m.left_at is null
        )
        """
    ) { row in try row.bool(0) }

    /// What somebody may do with an account.
    static let role = Statement(
        by: "account_pkey, account_member_pkey",
        """
        select case when account.user_id = $1 then 'owner' else member.role end
        from ledger.account
        left join ledger.account_member as member
            on member.account_id = account.id and member.user_id = $1 and member.left_at is null
        where account.id = $2 and (account.user_id = $1 or member.user_id is not null)
        """
    ) { row in try role(row, 0) }

    /// The same of two, with what an inviter is told.
    static let access = Statement(
        by: "account_pkey, account_member_pkey",
        """
        select coalesce(account.name, ''), account.kind, account.state <> 'open',
            case when account.user_id = $1 then 'owner' else member.role end,
            case when account.user_id = $3 then 'owner' else other.role end,
            1 + (
                select count(*) from ledger.account_member
                where account_id = account.id and left_at is null
            )
        from ledger.account
        left join ledger.account_member as member
            on member.account_id = account.id and member.user_id = $1 and member.left_at is null
        left join ledger.account_member as other
            on other.account_id = account.id and other.user_id = $3 and other.left_at is null
        where account.id = $2 and (account.user_id = $1 or member.user_id is not null)
        """
    ) { row in
        let word = try row.string(1)
        guard let kind = AccountKind(rawValue: word) else {
            throw row.problem(1, "\(word) is no kind of account")
        }
        return try WalletAccess(
            name: row.string(0),
            kind: kind,
            isClosed: row.bool(2),
            role: role(row, 3),
            otherRole: row.value(4, as: String?.self).flatMap(AccountRole.init),
            memberCount: Int(row.int64(5))
        )
    }

    /// The owner first; there are few.
    static let list = Statement(
        by: "account_pkey, account_member_pkey, person_pkey",
        """
        select used.user_id, coalesce(person.display_name, ''), role, since
        from (
            select user_id, 'owner' as role, opened_at as since, 1 as place from ledger.account
            where id = $1
            union all
            select user_id, role, joined_at, 2 from ledger.account_member
            where account_id = $1 and left_at is null
        ) as used
        left join ledger.person on person.user_id = used.user_id
        order by place, since, used.user_id
        """
    ) { row in try member(row) }

    /// Whoever joins, or closes it, waits.
    static let lock = Statement(
        by: "account_pkey",
        """
        select user_id, kind, state <> 'open' from ledger.account
        where id = $1 for no key update
        """
    ) { row in
        try SharedAccountRow(
            owner: row.value(0, as: ID<User>?.self),
            kind: row.string(1),
            isClosed: row.bool(2)
        )
    }

    /// A membership that stands or ended.
    static let find = Statement(
        by: "account_member_",
        """
        select invitation_id, left_at is null from ledger.account_member
        where account_id = $1 and user_id = $2
        """
    ) { row in
        try (invitation: row.value(0, as: ID<Invitation>.self), stands: row.bool(1))
    }

    static let count = Statement(
        by: "account_member_pkey",
        """
        select count(*) from ledger.account_member where account_id = $1 and left_at is null
        """
    ) { row in try row.int64(0) }

    /// Whoever was in it once has a row.
    static let join = Statement<Void>(
        by: "account_member_pkey",
        """
        insert into ledger.account_member (account_id, user_id, role, invitation_id)
        values ($1, $2, $3, $4)
        on conflict (account_id, user_id) do update
        set role = excluded.role, invitation_id = excluded.invitation_id, joined_at = now(),
            left_at = null, xid = pg_current_xact_id()
        """
    )

    static let change = Statement(
        by: "account_member_",
        """
        update ledger.account_member as member
        set role = $3, xid = pg_current_xact_id()
        where account_id = $1 and user_id = $2 and left_at is null
        returning user_id, coalesce((
            select display_name from ledger.person where person.user_id = member.user_id limit 1
        ), ''), role, joined_at
        """
    ) { row in try member(row) }

    /// What is left tells whoever follows changes that it ended.
    static let end = Statement<Void>(
        by: "account_member_",
        """
        update ledger.account_member
        set left_at = now(), xid = pg_current_xact_id()
        where account_id = $1 and user_id = $2 and left_at is null
        """
    )

    /// Those whose membership in a wallet of somebody's ended with that person.
    static let ended = Statement(
        by: "account_user_id_idx, account_member_pkey",
        """
        select member.account_id, member.user_id
        from ledger.account
        join ledger.account_member as member on member.account_id = account.id
        where account.user_id = $1 and member.left_at = $2
        order by member.account_id, member.user_id
        limit 100000
        """
    ) { row in try (row.value(0, as: ID<Account>.self), row.value(1, as: ID<User>.self)) }

    private static func member(_ row: borrowing PostgresRow) throws -> MemberRow {
        try MemberRow(
            user: row.value(0),
            displayName: row.string(1),
            role: role(row, 2),
            joinedAt: row.value(3)
        )
    }

    private static func role(
        _ row: borrowing PostgresRow,
        _ column: Int
    ) throws -> AccountRole {
        let word = try row.string(column)
        guard let role = AccountRole(rawValue: word) else {
            throw row.problem(column, "\(word) is no role")
        }
        return role
    }
}
