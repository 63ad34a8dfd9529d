import Postgres
import ServiceKit

/// What the ledger holds on somebody's receipts; each statement names the index that serves it.
enum AttachmentExportStatements {
    static let parts = [
        ExportPart("attachments", from: ExportPart.firstID, attachments),
        ExportPart(
            "attachment-contents",
            from: ExportPart.firstID + " 0",
            pageMax: 4,
            attachmentContents
        ),
    ]

    static let attachments = Statement(
        by: "attachment_user_idx",
        """
        select id::text, json_build_object(
            'id', id, 'transactionId', transaction_id, 'name', name, 'mediaType', media_type,
            'size', size, 'sha256', encode(sha256, 'hex'), 'createdAt', created_at)::text
        from ledger.attachment
        where user_id = $1 and deleted_at is null and id > $2::text::uuid
        order by id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// The bytes, in parts to be joined in order.
    static let attachmentContents = Statement(
        by: "attachment_user_idx, attachment_chunk_pkey",
        """
        select a.id || ' ' || c.place, json_build_object(
            'attachmentId', a.id, 'part', c.place,
            'base64', translate(encode(c.bytes, 'base64'), E'\\n', ''))::text
        from (
            select id from ledger.attachment
            where user_id = $1 and deleted_at is null
                and id >= split_part($2::text, ' ', 1)::uuid
            order by id
            limit $3 + 1
        ) as a
        cross join lateral (
            select place, bytes from ledger.attachment_chunk
            where attachment_id = a.id and place >= case
                when a.id = split_part($2::text, ' ', 1)::uuid
                then split_part($2::text, ' ', 2)::int + 1 else 0 end
            order by place
            limit $3
        ) as c
        order by a.id, c.place
        limit $3
        """
    ) { row in try ExportRow(row) }
}
