import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what expenses were; each statement names the index that serves it.
enum ExpenseHistoryStatements {
    /// Keeps the versions that stand, as members see them, before they are others.
    static let keep = Statement<Void>(
        by: "expense_pkey",
        """
        insert into groups.expense_version (
            group_id, expense_id, version, action, member_id, at, expense)
        select e.group_id, e.id, e.version, e.action, coalesce(e.acted_by, e.added_by),
            coalesce(e.acted_at, e.created_at), seen.expense::json
        from unnest($2::uuid[], $3::text[]) as seen (id, expense)
        join groups.expense e on e.group_id = $1 and e.id = seen.id
        """
    )

    /// Newest first: as many as a page holds (`PageSize.bytesMax`), and the one behind them.
    static let before = Statement(
        by: "expense_version_pkey",
        """
        select version, action, member_id, at, expense
        from (
            select version, action, member_id, at, expense,
                sum(octet_length(expense)) over (order by version desc) - octet_length(expense)
                    as length_before
            from (
                select version, action, member_id, at, expense::text as expense
                from groups.expense_version
                where group_id = $1 and expense_id = $2 and version < $3
                order by version desc
                limit $4
            ) newest
        ) version
        where length_before <= 262144
        order by version desc
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
