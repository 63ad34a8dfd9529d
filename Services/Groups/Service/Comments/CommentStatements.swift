import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of comments; each statement names the index that serves it.
enum CommentStatements {
    static let insert = Statement(
        """
        insert into groups.expense_comment (group_id, expense_id, id, member_id, text)
        values ($1, $2, $3, $4, $5)
        returning id, member_id, text, created_at
        """
    ) { row in try comment(row) }

    static let count = Statement(
        by: "expense_comment_pkey",
        "select count(*) from groups.expense_comment where group_id = $1 and expense_id = $2"
    ) { row in try row.int64(0) }

    /// Newest first.
    static let list = Statement(
        by: "expense_comment_pkey",
        """
        select id, member_id, text, created_at
        from groups.expense_comment
        where group_id = $1 and expense_id = $2 and id < $3
        order by id desc
        limit $4
        """
    ) { row in try comment(row) }

    static let author = Statement(
        by: "expense_comment_pkey",
        """
        select member_id
        from groups.expense_comment
        where group_id = $1 and expense_id = $2 and id = $3
        limit 1
        """
    ) { row in try row.value(0, as: ID<Member>.self) }

    static let delete = Statement<Void>(
        by: "expense_comment_pkey",
        "delete from groups.expense_comment where group_id = $1 and expense_id = $2 and id = $3"
    )

    private static func comment(_ row: borrowing PostgresRow) throws -> CommentView {
        try CommentView(
            id: row.value(0),
            memberID: row.value(1),
            text: row.string(2),
            createdAt: row.value(3)
        )
    }
}
