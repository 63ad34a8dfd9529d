import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what expenses were; each statement names the index that serves it.
enum ExpenseHistoryStatements {
    /// Keeps the version that stands, as members see it, before it is another.
    static let keep = Statement<Void>(
        by: "expense_pkey",
        """
        insert into groups.expense_version (
            group_id, expense_id, version, action, member_id, at, expense)
        select group_id, id, version, action, coalesce(acted_by, added_by),
            coalesce(acted_at, created_at), $3::json
        from groups.expense
        where group_id = $1 and id = $2
        """
    )

    /// Newest first.
    static let before = Statement(
        by: "expense_version_pkey",
        """
        select version, action, member_id, at, expense::text
        from groups.expense_version
        where group_id = $1 and expense_id = $2 and version < $3
        order by version desc
        limit $4
        """
    ) { row in
        try ExpenseHistoryItem(
            ExpenseStep(row, at: 0),
            expense: JSON.value(
                of: Array(row.string(4).utf8),
                ignoringUnknownFields: true
            )
        )
    }
}

/// What made a version of an expense.
struct ExpenseStep: Sendable, Hashable {
    let version: Int
    let action: ExpenseAction
    let member: ID<Member>
    let at: Instant

    /// Reads version, action, member and instant from a column on.
    init(_ row: borrowing PostgresRow, at column: Int) throws {
        version = Int(try row.int32(column))
        action = try row.word(column + 1)
        member = try row.value(column + 2)
        at = try row.value(column + 3)
    }
}

extension ExpenseHistoryItem {
    /// A version, and what made it.
    init(_ step: ExpenseStep, expense: ExpenseView) {
        self.init(
            version: step.version,
            action: step.action,
            at: step.at,
            memberID: step.member,
            expense: expense
        )
    }
}
