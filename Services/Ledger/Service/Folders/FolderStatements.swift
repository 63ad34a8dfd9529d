import Postgres
import ServiceKit
import WalletProtocol

/// A folder as one who is in it sees it.
struct FolderRow: Sendable {
    let view: FolderView
    let version: Int32
    /// When it was deleted, or the one who reads it ceased to be in it.
    let endedAt: Instant?

    init(_ row: borrowing PostgresRow) throws {
        view = try FolderView(
            id: row.value(0),
            name: row.string(1),
            access: FolderStatements.access(row, 2),
            ownerID: row.value(3),
            memberCount: Int(row.int64(4)),
            categoryCount: Int(row.int64(5)),
            createdAt: row.value(6)
        )
        version = try row.int32(7)
        endedAt = try row.value(8)
    }
}

/// The SQL of folders; each statement names the index that serves it.
enum FolderStatements {
    // MARK: Folders

    /// Nobody with that id.
    static let insert = Statement<Void>(
        "insert into ledger.folder (id, user_id, name) values ($1, $2, $3)"
    )

    static let insertOwner = Statement<Void>(
        """
        insert into ledger.folder_member (folder_id, user_id, access) values ($1, $2, 'owner')
        """
    )

    private static let select: StaticString = """
        select f.id, f.name, mine.access, f.user_id,
            (select count(*) from ledger.folder_member
                where folder_id = f.id and left_at is null),
            (select count(*) from ledger.folder_category where folder_id = f.id),
            f.created_at, f.version, mine.left_at
        from ledger.folder_member as mine
        join ledger.folder as f on f.id = mine.folder_id
        """

    /// folder_member_pkey, folder_pkey, folder_category_pkey.
    static func find(_ folder: ID<Folder>, for user: ID<User>) -> BoundStatement<FolderRow> {
        var builder = StatementBuilder(select)
        builder.append(
            """

            where mine.folder_id = $2 and mine.user_id = $1 and mine.left_at is null
            """,
            user,
            folder
        )
        return builder.statement { row in try FolderRow(row) }
    }

    /// folder_member_user_id_idx, in its order, folder_pkey, folder_category_pkey.
    static func list(
        for user: ID<User>,
        before place: ID<Folder>,
        limit: Int
    ) -> BoundStatement<FolderRow> {
        var builder = StatementBuilder(select)
        builder.append(
            """

            where mine.user_id = $1 and mine.folder_id < $2 and mine.left_at is null
            order by mine.folder_id desc
            limit $3
            """,
            user,
            place,
            limit
        )
        return builder.statement { row in try FolderRow(row) }
    }

    /// folder_member_user_id_idx, folder_pkey: by id, those that changed; also those that one is in
    /// no more.
    static func changed(
        for user: ID<User>,
        behind place: ID<Change>,
        since floor: String,
        limit: Int32
    ) -> BoundStatement<FolderRow> {
        var builder = StatementBuilder(select)
        builder.append(
            """

            where mine.user_id = $1 and mine.folder_id > $2
                and (mine.xid >= $3::text::xid8
                    or f.xid >= $3::text::xid8 and mine.left_at is null)
            order by mine.folder_id
            limit $4
            """,
            user,
            place,
            floor,
            limit
        )
        return builder.statement { row in try FolderRow(row) }
    }

    /// Changes of one folder come one after another.
    ///
    /// Who is in it is read behind it: whoever waited here sees what was done meanwhile in a later
    /// statement alone.
    static let lock = Statement(
        by: "folder_pkey",
        "select version from ledger.folder where id = $1 and deleted_at is null for no key update"
    ) { row in try row.int32(0) }

    /// Those of one's own.
    static let countOwn = Statement(
        by: "folder_member_",
        """
        select count(*) from ledger.folder_member
        where user_id = $1 and access = 'owner' and left_at is null
        """
    ) { row in try row.int64(0) }

    static let rename = Statement<Void>(
        by: "folder_pkey",
        """
        update ledger.folder
        set name = $2, version = version + 1, xid = pg_current_xact_id() where id = $1
        """
    )

    /// Those who are in it are told that something about it is new.
    static let touch = Statement<Void>(
        by: "folder_pkey",
        "update ledger.folder set xid = pg_current_xact_id() where id = $1"
    )

    static let delete = Statement<Void>(
        by: "folder_pkey",
        """
        update ledger.folder set deleted_at = now(), xid = pg_current_xact_id() where id = $1
        """
    )

    // MARK: Members

    /// What somebody may do with a folder.
    static let accessOf = Statement(
        by: "folder_member_",
        """
        select access from ledger.folder_member
        where folder_id = $2 and user_id = $1 and left_at is null
        """
    ) { row in try access(row, 0) }

    /// Into which of these somebody may put things.
    static let writable = Statement(
        by: "folder_member_",
        """
        select folder_id from ledger.folder_member
        where folder_id = any ($2) and user_id = $1 and access in ('owner', 'write')
            and left_at is null
        """
    ) { row in try row.value(0, as: ID<Folder>.self) }

    /// Who is in it, where the one who asks is.
    static let readers = Statement(
        by: "folder_member_pkey",
        """
        select user_id from ledger.folder_member
        where folder_id = $2 and left_at is null and exists (
            select from ledger.folder_member
            where folder_id = $2 and user_id = $1 and left_at is null)
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// The rights of two, with what an inviter is told.
    static let right = Statement(
        by: "folder_member_pkey, folder_pkey",
        """
        select f.name, mine.access, other.access,
            (select count(*) from ledger.folder_member
                where folder_id = f.id and left_at is null)
        from ledger.folder_member as mine
        join ledger.folder as f on f.id = mine.folder_id
        left join ledger.folder_member as other
            on other.folder_id = mine.folder_id and other.user_id = $3 and other.left_at is null
        where mine.folder_id = $2 and mine.user_id = $1 and mine.left_at is null
        """
    ) { row in
        try FolderRight(
            name: row.string(0),
            access: access(row, 1),
            otherAccess: row.value(2, as: String?.self).flatMap(FolderAccess.init),
            memberCount: Int(row.int64(3))
        )
    }

    /// The owner first; there are few.
    static let members = Statement(
        by: "folder_member_pkey, person_pkey",
        """
        select member.user_id, coalesce(person.display_name, ''), access, joined_at
        from ledger.folder_member as member
        left join ledger.person on person.user_id = member.user_id
        where folder_id = $1 and left_at is null
        order by access <> 'owner', joined_at, member.user_id
        """
    ) { row in try member(row) }

    /// A membership that stands or ended.
    static let findMember = Statement(
        by: "folder_member_",
        """
        select invitation_id, left_at is null from ledger.folder_member
        where folder_id = $1 and user_id = $2
        """
    ) { row in
        try (invitation: row.value(0, as: ID<Invitation>?.self), stands: row.bool(1))
    }

    static let countMembers = Statement(
        by: "folder_member_pkey",
        "select count(*) from ledger.folder_member where folder_id = $1 and left_at is null"
    ) { row in try row.int64(0) }

    /// Whoever was in it once has a row.
    static let join = Statement<Void>(
        by: "folder_member_pkey",
        """
        insert into ledger.folder_member (folder_id, user_id, access, invitation_id)
        values ($1, $2, $3, $4)
        on conflict (folder_id, user_id) do update
        set access = excluded.access, invitation_id = excluded.invitation_id, joined_at = now(),
            left_at = null, xid = pg_current_xact_id()
        """
    )

    static let changeMember = Statement(
        by: "folder_member_",
        """
        update ledger.folder_member as member
        set access = $3, xid = pg_current_xact_id()
        where folder_id = $1 and user_id = $2 and left_at is null
        returning user_id, coalesce((
            select display_name from ledger.person where person.user_id = member.user_id limit 1
        ), ''), access, joined_at
        """
    ) { row in try member(row) }

    /// What is left tells whoever follows changes that it ended.
    static let endMember = Statement<Void>(
        by: "folder_member_",
        """
        update ledger.folder_member
        set left_at = now(), xid = pg_current_xact_id()
        where folder_id = $1 and user_id = $2 and left_at is null
        """
    )

    static let endMembers = Statement<Void>(
        by: "folder_member_pkey",
        """
        update ledger.folder_member
        set left_at = now(), xid = pg_current_xact_id()
        where folder_id = $1 and left_at is null
        """
    )

    // MARK: Categories

    /// There are few.
    static let categories = Statement(
        by: "folder_category_pkey, category_pkey",
        """
        select category.id, category.name, category.user_id
        from ledger.folder_category as put
        join ledger.category on category.id = put.category_id
        join ledger.folder_member as member
            on member.folder_id = put.folder_id and member.user_id = category.user_id
                and member.left_at is null
        where put.folder_id = $1 and category.deleted_at is null
        order by category.name_folded, category.id
        """
    ) { row in
        try FolderCategory(
            categoryID: row.value(0),
            name: row.string(1),
            userID: row.value(2)
        )
    }

    static let putCategory = Statement<Void>(
        """
        insert into ledger.folder_category (folder_id, category_id, user_id) values ($1, $2, $3)
        on conflict do nothing
        """
    )

    static let takeCategory = Statement<Void>(
        by: "folder_category_pkey",
        "delete from ledger.folder_category where folder_id = $1 and category_id = $2"
    )

    /// What somebody had put in goes with them.
    static let takeCategories = Statement<Void>(
        by: "folder_category_pkey",
        "delete from ledger.folder_category where folder_id = $1 and user_id = $2"
    )

    static let takeAllCategories = Statement<Void>(
        by: "folder_category_pkey",
        "delete from ledger.folder_category where folder_id = $1"
    )

    /// The folders of a category that goes are locked before its links are; those who are in them
    /// are told.
    static let touchOfCategory = Statement<Void>(
        by: "folder_category_category_idx, folder_pkey",
        """
        update ledger.folder set xid = pg_current_xact_id()
        where id = any (array(
            select id from ledger.folder
            where id = any (array(
                select folder_id from ledger.folder_category where category_id = $1))
            order by id for no key update))
        """
    )

    static let dropCategory = Statement<Void>(
        by: "folder_category_category_idx",
        "delete from ledger.folder_category where category_id = $1"
    )

    // MARK: Contents

    /// The accounts that any of these sees.
    static let accounts = Statement(
        by: "account_user_id_idx, account_member_user_id_idx",
        """
        select id, currency from ledger.account where user_id = any ($1)
        union
        select account.id, currency from ledger.account_member as member
        join ledger.account on account.id = member.account_id
        where member.user_id = any ($1) and left_at is null
        order by id
        """
    ) { row in
        try (id: row.value(0, as: ID<Account>.self), currency: row.value(1, as: Currency.self))
    }

    /// money_transaction_pkey, folder_member_pkey: the version that counts, where it is in the
    /// folder by itself.
    static func transaction(
        _ id: ID<MoneyTransaction>,
        in folder: ID<Folder>
    ) -> BoundStatement<TransactionRow> {
        var builder = StatementBuilder(TransactionStatements.select)
        builder.append(
            """

            from (
                select * from ledger.money_transaction
                where id = $1 order by version desc limit 1
            ) as t
            join ledger.account as a on a.id = t.account_id
            where t.reversed_by is null and t.folder_id = $2 and exists (
                select from ledger.folder_member
                where folder_id = $2 and user_id = t.user_id and left_at is null)
            """,
            id,
            folder
        )
        return builder.statement { row in try TransactionRow(row) }
    }

    // MARK: Rows

    static func access(_ row: borrowing PostgresRow, _ column: Int) throws -> FolderAccess {
        let word = try row.string(column)
        guard let access = FolderAccess(rawValue: word) else {
            throw row.problem(column, "\(word) is no access")
        }
        return access
    }

    private static func member(_ row: borrowing PostgresRow) throws -> FolderMemberRow {
        try FolderMemberRow(
            user: row.value(0),
            displayName: row.string(1),
            access: access(row, 2),
            joinedAt: row.value(3)
        )
    }
}

/// Somebody in a folder.
struct FolderMemberRow: Sendable, Hashable {
    let user: ID<User>
    let displayName: String
    let access: FolderAccess
    let joinedAt: Instant

    func view(for reader: ID<User>) -> FolderMemberView {
        FolderMemberView(
            userID: user,
            displayName: displayName,
            access: access,
            isMe: user == reader,
            joinedAt: joinedAt
        )
    }
}
