import Postgres
import ServiceKit
import WalletProtocol

/// An attachment as its row has it.
struct AttachmentRow: Sendable {
    let id: ID<Attachment>
    let transaction: ID<MoneyTransaction>
    let name: String
    let type: AttachmentType
    let size: Int64
    let sha256: [UInt8]
    let createdAt: Instant

    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        transaction = try row.value(1)
        name = try row.string(2)
        let text = try row.string(3)
        guard let type = AttachmentType(rawValue: text) else {
            throw row.problem(3, "\(text) is no type of an attachment")
        }
        self.type = type
        size = try row.int64(4)
        sha256 = try row.bytes(5)
        createdAt = try row.value(6)
    }

    /// SHA-256 in hexadecimal: the `ETag`, too.
    var digest: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: sha256.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    var view: AttachmentView {
        AttachmentView(
            id: id,
            transactionID: transaction,
            name: name,
            mediaType: type,
            size: Int(size),
            sha256: digest,
            createdAt: createdAt
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

    /// Whether the key was used before.
    static let isKnownKey = Statement(
        by: "idempotency_key_pkey",
        """
        select exists (select from ledger.idempotency_key where scope = $1 and key = $2)
        """
    ) { row in try row.bool(0) }

    static let begin = Statement<Void>(
        "insert into ledger.attachment_upload (id, user_id) values ($1, $2)"
    )

    /// Nothing once the upload was given up and is being swept.
    static let insertChunk = Statement<Void>(
        by: "attachment_upload_pkey",
        """
        insert into ledger.attachment_chunk (attachment_id, place, user_id, bytes)
        select id, $2, user_id, $3 from ledger.attachment_upload where id = $1 for key share
        """
    )

    static let endUpload = Statement<Void>(
        by: "attachment_upload_pkey",
        "delete from ledger.attachment_upload where id = $1"
    )

    static let makeUsage = Statement<Void>(
        "insert into ledger.attachment_usage (user_id) values ($1) on conflict do nothing"
    )

    /// Whoever adds or removes waits here.
    static let lockUsage = Statement(
        by: "attachment_usage_pkey",
        "select bytes from ledger.attachment_usage where user_id = $1 for no key update"
    ) { row in try row.int64(0) }

    static let addUsage = Statement<Void>(
        by: "attachment_usage_pkey",
        "update ledger.attachment_usage set bytes = bytes + $2 where user_id = $1"
    )

    static let insert = Statement(
        """
        insert into ledger.attachment
            (id, transaction_id, user_id, name, media_type, size, sha256)
        values ($1, $2, $3, $4, $5, $6, $7)
        returning id, transaction_id, name, media_type, size, sha256, created_at
        """
    ) { row in try AttachmentRow(row) }

    static let list = Statement(
        by: "attachment_transaction_idx",
        """
        select id, transaction_id, name, media_type, size, sha256, created_at
        from ledger.attachment
        where transaction_id = $1 and deleted_at is null
        order by id
        limit 50
        """
    ) { row in try AttachmentRow(row) }

    static let find = Statement(
        by: "attachment_",
        """
        select id, transaction_id, name, media_type, size, sha256, created_at
        from ledger.attachment
        where id = $2 and transaction_id = $1 and deleted_at is null
        """
    ) { row in try AttachmentRow(row) }

    static let chunk = Statement(
        by: "attachment_chunk_pkey",
        "select bytes from ledger.attachment_chunk where attachment_id = $1 and place = $2"
    ) { row in try row.bytes(0) }

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

    static let removeChunks = Statement<Void>(
        by: "attachment_chunk_pkey",
        "delete from ledger.attachment_chunk where attachment_id = $1"
    )

    /// Those that nobody waits for any more.
    static let takeAbandoned = Statement(
        by: "attachment_upload_started_at_idx",
        """
        delete from ledger.attachment_upload
        where id = any (array(
            select id from ledger.attachment_upload
            where started_at < clock_timestamp() - interval '15 minutes'
            order by started_at
            limit 10
            for update skip locked))
        returning id
        """
    ) { row in try row.value(0, as: ID<Attachment>.self) }

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

    /// Some of a person's that is erased.
    static let eraseChunks = Statement<Void>(
        by: "attachment_chunk_user_idx",
        """
        delete from ledger.attachment_chunk
        where ctid = any (array(
            select ctid from ledger.attachment_chunk where user_id = $1 limit 40))
        """
    )

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

    static let eraseUploads = Statement<Void>(
        by: "attachment_upload_user_idx",
        "delete from ledger.attachment_upload where user_id = $1"
    )

    static let eraseUsage = Statement<Void>(
        by: "attachment_usage_pkey",
        "delete from ledger.attachment_usage where user_id = $1"
    )
}
