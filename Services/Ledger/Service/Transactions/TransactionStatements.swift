import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of transactions one by one; lists are in `TransactionListStatements`.
enum TransactionStatements {
    /// What is read of a version; its index follows from what comes behind.
    ///
    /// The last columns say whether the link to a folder counts: whether the one in whose books it
    /// is, is in the folder (folder_member_pkey); and, of one with lines, which receivable is its
    /// account's owner's (account_receivable_key).
    static let select: StaticString = """
        select t.id, t.account_id, t.amount, a.currency, t.name, t.day, t.category_id,
            t.description, t.transfer_id, t.import_id, t.version, t.tags, t.latitude, t.longitude,
            t.place, t.folder_id, t.recurrence_id,
            case when t.is_split then array(
                select category_id from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            case when t.is_split then array(
                select amount from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            t.user_id,
            case when t.folder_id is null then false else exists (
                select from ledger.folder_member as filed
                where filed.folder_id = t.folder_id and filed.user_id = t.user_id
                    and filed.left_at is null
            ) end,
            case when t.is_split then (
                select owed.id from ledger.account as owed
                where owed.user_id = a.user_id and owed.kind = 'receivable'
                    and owed.currency = a.currency
            ) end
        """

    /// money_transaction_pkey, account_member_pkey: the version that counts, of one's own or of a
    /// shared wallet, and whether one may change it.
    static func find(
        _ id: ID<MoneyTransaction>,
        for user: ID<User>
    ) -> BoundStatement<(row: TransactionRow, mayChange: Bool)> {
        findAll([id], for: user)
    }

    /// money_transaction_pkey: the same for many.
    static func findAll(
        _ ids: [ID<MoneyTransaction>],
        for user: ID<User>
    ) -> BoundStatement<(row: TransactionRow, mayChange: Bool)> {
        var builder = StatementBuilder(select)
        builder.append(
            """
            , a.user_id = $1 or exists (
                select from ledger.account_member
                where account_id = t.account_id and user_id = $1 and role = 'editor'
                    and left_at is null
            )
            from unnest($2::uuid[]) as wanted (id)
            cross join lateral (
                select * from ledger.money_transaction
                where id = wanted.id order by version desc limit 1
            ) as t
            join ledger.account as a on a.id = t.account_id
            where t.reversed_by is null and (a.user_id = $1 or exists (
                select from ledger.account_member
                where account_id = t.account_id and user_id = $1 and left_at is null
            ))
            """,
            user,
            ids
        )
        return builder.statement { row in
            (row: try TransactionRow(row), mayChange: try row.bool(22))
        }
    }

    /// money_transaction_pkey: as of these versions, whether they count or not.
    static func versions(
        _ ids: [ID<MoneyTransaction>],
        _ versions: [Int32]
    ) -> BoundStatement<TransactionRow> {
        var builder = StatementBuilder(select)
        builder.append(
            """

            from unnest($1::uuid[], $2::int[]) with ordinality as wanted (id, version, place)
            cross join lateral (
                select * from ledger.money_transaction
                where id = wanted.id and version = wanted.version limit 1
            ) as t
            join ledger.account as a on a.id = t.account_id
            order by wanted.place
            """,
            ids,
            versions
        )
        return builder.statement { row in try TransactionRow(row) }
    }

    /// money_transaction_category_idx, transaction_line_category_idx: whole or in a line, and
    /// whether it is to stay: on a closed account, or on a wallet that one may not write to.
    static func ofCategory(
        _ category: CategoryID,
        of owner: ID<User>,
        limit: Int
    ) -> BoundStatement<(row: TransactionRow, isClosed: Bool)> {
        var builder = StatementBuilder(select)
        builder.append(
            """
            , a.state = 'closed' or a.user_id <> $1 and not exists (
                select from ledger.account_member
                where account_id = a.id and user_id = $1 and role = 'editor' and left_at is null
            )
            from (
                (select id, version from ledger.money_transaction as whole
                where user_id = $1 and category_id = $2 and reversed_by is null
                    and case when is_split then not exists (
                        select from ledger.transaction_line as part
                        where part.transaction_id = whole.id and part.version = whole.version
                    ) else true end
                order by day, id
                limit $3)
                union all
                (select transaction_id, version from ledger.transaction_line
                where user_id = $1 and category_id = $2 and is_current
                order by day, transaction_id
                limit $3)
            ) as found
            join ledger.money_transaction as t on t.id = found.id and t.version = found.version
            join ledger.account as a on a.id = t.account_id
            limit $3
            """,
            owner,
            category,
            limit
        )
        return builder.statement { row in
            (row: try TransactionRow(row), isClosed: try row.bool(22))
        }
    }

    /// With whom somebody shares or shared wallets; nobody for most.
    static let met = Statement(
        by: "account_user_id_idx, account_member_pkey, account_member_",
        """
        select distinct user_id from (
            select member.user_id from ledger.account
            join ledger.account_member as member on member.account_id = account.id
            where account.user_id = $1
            union all
            select other.user_id from ledger.account_member as mine
            join ledger.account_member as other on other.account_id = mine.account_id
            where mine.user_id = $1
            union all
            select account.user_id from ledger.account_member as mine
            join ledger.account on account.id = mine.account_id
            where mine.user_id = $1
        ) as met
        where user_id <> $1
        """
    ) { row in try row.value(0, as: ID<User>.self) }

    /// The accounts that somebody sees.
    static let accounts = Statement(
        by: "account_user_id_idx, account_member_",
        """
        select id, currency from ledger.account where user_id = $1 and kind <> 'receivable'
        union all
        select account.id, currency from ledger.account_member as member
        join ledger.account on account.id = member.account_id
        where member.user_id = $1 and left_at is null
        order by id
        """
    ) { row in
        try (id: row.value(0, as: ID<Account>.self), currency: row.value(1, as: Currency.self))
    }

    /// Which of these are there, with their names.
    static let categories = Statement(
        by: "category_",
        """
        select id, name from ledger.category
        where id = any ($2) and user_id = $1 and deleted_at is null
        """
    ) { row in
        try (id: row.value(0, as: CategoryID.self), name: row.string(1))
    }

    /// Which of these somebody may record on, with their currencies.
    static let recordable = Statement(
        by: "account_pkey",
        """
        select id, currency, user_id from ledger.account
        where id = any ($2) and kind <> 'receivable' and (
            user_id = $1 or exists (
                select from ledger.account_member
                where account_id = account.id and user_id = $1 and role = 'editor'
                    and left_at is null
            )
        )
        """
    ) { row in
        try (
            id: row.value(0, as: ID<Account>.self),
            currency: row.value(1, as: Currency.self),
            owner: row.value(2, as: ID<User>.self)
        )
    }

    /// money_transaction_pkey, entry_pkey: the newest versions up to one, each with what made it
    /// and what took it back.
    static func history(
        of id: ID<MoneyTransaction>,
        for user: ID<User>,
        upTo version: Int32,
        limit: Int
    ) -> BoundStatement<TransactionVersion> {
        var builder = StatementBuilder(select)
        builder.append(
            """
            , made.actor_id, made.recorded_at, made.xid::text, ended.actor_id, ended.recorded_at,
                ended.xid::text
            from ledger.money_transaction as t
            join ledger.account as a on a.id = t.account_id
            join ledger.entry as made on made.id = t.entry_id
            left join ledger.entry as ended on ended.id = t.reversed_by
            where t.id = $2 and t.version <= $3 and (
                a.user_id = $1 or exists (
                    select from ledger.account_member
                    where account_id = t.account_id and user_id = $1 and left_at is null
                )
            )
            order by t.version desc
            limit $4
            """,
            user,
            id,
            version,
            limit
        )
        return builder.statement { row in try TransactionVersion(row) }
    }
}

/// The SQL of deletions.
enum DeletionStatements {
    static let insert = Statement<Void>(
        """
        insert into ledger.deletion (id, user_id, transactions, versions, undo_until)
        values ($1, $2, $3, $4, $5)
        """
    )

    static let find = Statement(
        by: "deletion_pkey",
        """
        select transactions, versions, undo_until, undone_at is not null
        from ledger.deletion
        where id = $2 and user_id = $1
        """
    ) { row in try DeletionRow(row) }

    /// Two calls at once come one after another.
    static let lock = Statement(
        by: "deletion_pkey",
        """
        select transactions, versions, undo_until, undone_at is not null
        from ledger.deletion
        where id = $2 and user_id = $1
        for update
        """
    ) { row in try DeletionRow(row) }

    static let markUndone = Statement<Void>(
        by: "deletion_pkey",
        "update ledger.deletion set undone_at = now() where id = $1"
    )

    /// As long as keys are kept, so that a replay finds what it did.
    static let deleteOld = Statement<Void>(
        by: "deletion_undo_until_idx",
        "delete from ledger.deletion where undo_until < now() - interval '2 days'"
    )
}

/// What was deleted together.
struct DeletionRow: Sendable {
    let transactions: [ID<MoneyTransaction>]
    let versions: [Int32]
    let undoUntil: Instant
    let isUndone: Bool

    init(_ row: borrowing PostgresRow) throws {
        transactions = try row.value(0)
        versions = try row.value(1)
        undoUntil = try row.value(2)
        isUndone = try row.bool(3)
    }
}
