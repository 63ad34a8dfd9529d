import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// An attachment as its row has it.
struct AttachmentRow: Sendable {
    let file: AttachmentFile
    let transaction: ID<MoneyTransaction>

    /// Reads the file's columns, then `transaction_id`.
    init(_ row: borrowing PostgresRow) throws {
        file = try AttachmentFile(row, from: 0)
        transaction = try row.value(6)
    }

    var view: AttachmentView {
        AttachmentView(
            id: file.id,
            transactionID: transaction,
            name: file.name,
            mediaType: file.type,
            size: file.size,
            sha256: file.digest,
            createdAt: file.createdAt
        )
    }
}

/// The SQL of attachments; each statement names the index that serves it.
enum AttachmentStatements {
    /// For whoever may see a transaction's attachments, whether they may change them.
    ///
    /// The one place that decides it.
    static let mayUse = Statement(
        by: "money_transaction_pkey, account_pkey, account_member_",
        """
        select a.user_id = $1 or coalesce(member.role = 'editor', false)
        from ledger.money_transaction as t
        join ledger.account as a on a.id = t.account_id
        left join ledger.account_member as member
            on member.account_id = a.id and member.user_id = $1 and left_at is null
        where t.id = $2 and reversed_by is null
            and (a.user_id = $1 or member.user_id is not null)
        """
    ) { row in try row.bool(0) }

    /// In whose space it is.
    static let owner = Statement(
        by: "attachment_pkey",
        "select user_id from ledger.attachment where id = $1"
    ) { row in try row.value(0, as: ID<User>.self) }

    static let room = Statement(
        by: "attachment_transaction_idx, attachment_usage_pkey",
        """
        select
            (select count(*) from ledger.attachment
                where transaction_id = $2 and deleted_at is null),
            coalesce((select bytes from ledger.attachment_usage where user_id = $1), 0)
        """
    ) { row in try (count: row.int64(0), bytes: row.int64(1)) }

    /// No table: whoever adds to one transaction comes one after another, in whosever space.
    static let lock = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1::text, 4994))"
    )

    static let insert = Statement(
        """
        insert into ledger.attachment
            (id, transaction_id, user_id, name, media_type, size, sha256)
        values ($1, $2, $3, $4, $5, $6, $7)
        returning id, name, media_type, size, sha256, created_at, transaction_id
        """
    ) { row in try AttachmentRow(row) }

    static let list = Statement(
        by: "attachment_transaction_idx",
        """
        select id, name, media_type, size, sha256, created_at, transaction_id
        from ledger.attachment
        where transaction_id = $1 and deleted_at is null
        order by id
        limit 50
        """
    ) { row in try AttachmentRow(row) }

    static let find = Statement(
        by: "attachment_",
        """
        select id, name, media_type, size, sha256, created_at, transaction_id
        from ledger.attachment
        where id = $2 and transaction_id = $1 and deleted_at is null
        """
    ) { row in try AttachmentRow(row) }

    /// What is left tells whoever follows changes that it is gone.
    static let remove = Statement(
        by: "attachment_pkey",
        """
        update ledger.attachment
        set deleted_at = clock_timestamp(), name = '', xid = pg_current_xact_id()
        where id = $1 and deleted_at is null
        returning size
        """
    ) { row in try row.int64(0) }

    /// Some, in the order of their ids.
    static let someAfter = Statement(
        by: "attachment_pkey",
        """
        select id, user_id, transaction_id
        from ledger.attachment
        where id > $1
        order by id
        limit $2
        """
    ) { row in
        try (
            id: row.value(0, as: ID<Attachment>.self), user: row.value(1, as: ID<User>.self),
            transaction: row.value(2, as: ID<MoneyTransaction>.self)
        )
    }

    /// Those of transactions that ended a day ago or longer, and that nobody has had back.
    static let ended = Statement(
        by: "money_transaction_pkey, entry_pkey",
        """
        select id from unnest($1::uuid[]) as wanted (id)
        where not exists (
                select from ledger.money_transaction as t
                where t.id = wanted.id and t.reversed_by is null)
            and (
                select max(entry.recorded_at) from ledger.money_transaction as t
                join ledger.entry on entry.id = t.reversed_by
                where t.id = wanted.id
            ) < clock_timestamp() - interval '1 day'
        """
    ) { row in try row.value(0, as: ID<MoneyTransaction>.self) }

    /// Some of an erased person's in wallets of others, whose copies are told that they are gone.
    static let eraseShared = Statement<Void>(
        by: "attachment_, money_transaction_pkey, account_pkey",
        """
        update ledger.attachment
        set deleted_at = coalesce(deleted_at, clock_timestamp()), name = '',
            sha256 = decode(repeat('00', 32), 'hex'), xid = pg_current_xact_id()
        where id = any (array(
            select a.id
            from ledger.attachment as a
            cross join lateral (
                select account_id from ledger.money_transaction
                where id = a.transaction_id order by version desc limit 1
            ) as t
            join ledger.account on account.id = t.account_id
            where a.user_id = $1 and account.user_id <> $1
                and a.sha256 <> decode(repeat('00', 32), 'hex')
            order by a.id
            limit $2))
        """
    )

    /// attachment_user_idx or attachment_xid_idx: then some of the others; what `eraseShared` left
    /// says nothing.
    static let eraseSome = Statement<Void>(
        by: "attachment_pkey, attachment_",
        """
        delete from ledger.attachment
        where id = any (array(
            select id from ledger.attachment
            where user_id = $1 and sha256 <> decode(repeat('00', 32), 'hex')
            order by id
            limit $2))
        """
    )
}
