public import Postgres
internal import WalletProtocol

/// The SQL of files and of the space that they take, in the tables that every service with receipts
/// has; each statement names the index that serves it.
public enum AttachmentFileStatements {
    static let begin = Statement<Void>(
        "insert into attachment_upload (id, user_id) values ($1, $2)"
    )

    /// Nothing once the upload was given up and is being swept.
    static let insertChunk = Statement<Void>(
        by: "attachment_upload_pkey",
        """
        insert into attachment_chunk (attachment_id, place, user_id, bytes)
        select id, $2, user_id, $3 from attachment_upload where id = $1 for key share
        """
    )

    static let endUpload = Statement<Void>(
        by: "attachment_upload_pkey",
        "delete from attachment_upload where id = $1"
    )

    static let chunk = Statement(
        by: "attachment_chunk_pkey",
        "select bytes from attachment_chunk where attachment_id = $1 and place = $2"
    ) { row in try row.bytes(0) }

    /// All bytes of a file, at once.
    public static let removeChunks = Statement<Void>(
        by: "attachment_chunk_pkey",
        "delete from attachment_chunk where attachment_id = $1"
    )

    /// Those that nobody waits for any more.
    static let takeAbandoned = Statement(
        by: "attachment_upload_started_at_idx",
        """
        delete from attachment_upload
        where id = any (array(
            select id from attachment_upload
            where started_at < clock_timestamp() - interval '15 minutes'
            order by started_at
            limit 10
            for update skip locked))
        returning id
        """
    ) { row in try row.value(0, as: ID<Attachment>.self) }

    static let makeUsage = Statement<Void>(
        "insert into attachment_usage (user_id) values ($1) on conflict do nothing"
    )

    static let lockUsage = Statement(
        by: "attachment_usage_pkey",
        "select bytes from attachment_usage where user_id = $1 for no key update"
    ) { row in try row.int64(0) }

    static let addUsage = Statement<Void>(
        by: "attachment_usage_pkey",
        "update attachment_usage set bytes = bytes + $2 where user_id = $1"
    )

    /// Some of the bytes of a person who is erased.
    static let eraseChunks = Statement<Void>(
        by: "attachment_chunk_user_idx",
        """
        delete from attachment_chunk
        where ctid = any (array(
            select ctid from attachment_chunk where user_id = $1 limit 40))
        """
    )

    static let eraseUploads = Statement<Void>(
        by: "attachment_upload_user_idx",
        "delete from attachment_upload where user_id = $1"
    )

    /// What a person who is erased took.
    public static let eraseUsage = Statement<Void>(
        by: "attachment_usage_pkey",
        "delete from attachment_usage where user_id = $1"
    )
}
