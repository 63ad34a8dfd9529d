import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what children may spend; each statement names the index that serves it.
enum LimitStatements {
    /// The child's account while they are in the family.
    static let account = Statement(
        by: "allowance_child_key, account_pkey",
        """
        select a.id, a.currency
        from ledger.allowance as made
        join ledger.account as a on a.id = made.account_id
        where made.family_id = $1 and made.user_id = $2 and made.released_at is null
        """
    ) { row in
        (id: try row.value(0, as: ID<Account>.self), currency: try row.value(1, as: Currency.self))
    }

    /// That of everything first; those of categories that are gone hold nothing any more.
    static let ofAccount = Statement(
        by: "allowance_limit_key, category_pkey",
        """
        select kept.category_id, kept.amount, kept.month_start
        from ledger.allowance_limit as kept
        left join ledger.category as c on c.id = kept.category_id
        where kept.account_id = $1 and c.deleted_at is null
        order by c.name_folded nulls first
        limit 50
        """
    ) { row in
        (
            category: try row.value(0, as: CategoryID?.self), amount: try row.int64(1),
            monthStart: Int(try row.value(2, as: Int16.self))
        )
    }

    /// By their names.
    static let categories = Statement(
        by: "category_",
        """
        select id, name, parent_id
        from ledger.category
        where user_id = $1 and deleted_at is null
        order by name_folded
        limit 500
        """
    ) { row in
        try LimitableCategory(id: row.value(0), name: row.string(1), parentID: row.value(2))
    }

    static let category = Statement(
        by: "category_pkey",
        """
        select id, name, parent_id
        from ledger.category
        where id = $1 and user_id = $2 and deleted_at is null
        """
    ) { row in
        try LimitableCategory(id: row.value(0), name: row.string(1), parentID: row.value(2))
    }

    /// The limits of an account are set by one at a time.
    static let lock = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1::text, 4996))"
    )

    /// The function that sums an account's days, by category.
    static let spent = Statement(
        by: "money_transaction_account_idx, transaction_line_",
        "select category_id, amount from ledger.spent_v1($1, $2, $3)"
    ) { row in
        (
            category: try row.value(0, as: CategoryID.self),
            amount: try row.value(1, as: Int128.self)
        )
    }

    /// The function that takes them in place of those before, and above which amount a purchase is
    /// approved of first.
    static let set = Statement("select ledger.set_allowance_limits_v2($1, $2, $3, $4)") { row in
        try row.bool(0)
    }

    static let approvalAbove = Statement(
        by: "approval_rule_pkey",
        "select above from ledger.approval_rule where account_id = $1 limit 1"
    ) { row in try row.int64(0) }
}
