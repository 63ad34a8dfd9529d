import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// An expense's attachment as its row has it.
struct ExpenseAttachmentRow: Sendable {
    let file: AttachmentFile
    let expense: ID<Expense>
    /// Who added it.
    let member: ID<Member>

    /// Reads the file's columns, then `expense_id` and `member_id`.
    init(_ row: borrowing PostgresRow) throws {
        file = try AttachmentFile(row, from: 0)
        expense = try row.value(6)
        member = try row.value(7)
    }

    var view: ExpenseAttachmentView {
        ExpenseAttachmentView(
            id: file.id,
            expenseID: expense,
            memberID: member,
            name: file.name,
            mediaType: file.type,
            size: file.size,
            sha256: file.digest,
            createdAt: file.createdAt
        )
    }
}

/// Where an attachment stands among all.
struct ExpenseAttachmentKey: Sendable {
    let group: ID<Group>
    let expense: ID<Expense>
    let id: ID<Attachment>

    /// Before every other.
    static let first = ExpenseAttachmentKey(
        group: ID(high: 0, low: 0),
        expense: ID(high: 0, low: 0),
        id: ID(high: 0, low: 0)
    )
}

/// The SQL of expenses' attachments; each statement names the index that serves it.
enum ExpenseAttachmentStatements {
    /// How many an expense has, and what the person and the group have of bytes.
    static let room = Statement(
        by: "expense_attachment_, attachment_usage_pkey, expense_group_pkey",
        """
        select
            (select count(*) from groups.expense_attachment
                where group_id = g.id and expense_id = $2),
            coalesce((select bytes from groups.attachment_usage where user_id = $3), 0),
            g.attachment_bytes
        from groups.expense_group g
        where g.id = $1
        """
    ) { row in try (count: row.int64(0), bytes: row.int64(1), groupBytes: row.int64(2)) }

    /// Under the first number that is free.
    static let insert = Statement(
        by: "expense_attachment_",
        """
        insert into groups.expense_attachment
            (group_id, expense_id, id, member_id, user_id, number, name, media_type, size, sha256)
        select $1, $2, $3, $4, $5, min(number), $6, $7, $8, $9
        from generate_series(1, 10) as number
        where not exists (
            select from groups.expense_attachment o
            where o.group_id = $1 and o.expense_id = $2 and o.number = number.number)
        returning id, name, media_type, size, sha256, created_at, expense_id, member_id
        """
    ) { row in try ExpenseAttachmentRow(row) }

    static let addBytes = Statement<Void>(
        by: "expense_group_pkey",
        """
        update groups.expense_group
        set attachment_bytes = attachment_bytes + $2
        where id = $1
        """
    )

    static let list = Statement(
        by: "expense_attachment_",
        """
        select id, name, media_type, size, sha256, created_at, expense_id, member_id
        from groups.expense_attachment
        where group_id = $1 and expense_id = $2
        order by id
        limit 10
        """
    ) { row in try ExpenseAttachmentRow(row) }

    static let find = Statement(
        by: "expense_attachment_",
        """
        select id, name, media_type, size, sha256, created_at, expense_id, member_id
        from groups.expense_attachment
        where group_id = $1 and expense_id = $2 and id = $3
        limit 1
        """
    ) { row in try ExpenseAttachmentRow(row) }

    /// What it took is counted back by a trigger, here and below.
    static let remove = Statement<Void>(
        by: "expense_attachment_",
        "delete from groups.expense_attachment where group_id = $1 and expense_id = $2 and id = $3"
    )

    /// All that a person added, wherever.
    static let erase = Statement<Void>(
        by: "expense_attachment_user_idx",
        "delete from groups.expense_attachment where user_id = $1"
    )

    /// Some behind a place, and whether their expense was removed for longer than anybody can have
    /// it back.
    static let someAfter = Statement(
        by: "expense_attachment_pkey, expense_pkey",
        """
        select a.group_id, a.expense_id, a.id,
            coalesce(e.removed_at < now() - interval '1 day', false)
        from (
            select group_id, expense_id, id
            from groups.expense_attachment
            where (group_id, expense_id, id) > ($1, $2, $3)
            order by group_id, expense_id, id
            limit $4
        ) a
        join groups.expense e on e.group_id = a.group_id and e.id = a.expense_id
        order by a.group_id, a.expense_id, a.id
        """
    ) { row in
        try (
            key: ExpenseAttachmentKey(
                group: row.value(0),
                expense: row.value(1),
                id: row.value(2)
            ),
            isEnded: row.bool(3)
        )
    }
}
