import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what children may spend; each statement names the index that serves it.
enum LimitStatements {
    /// The child's account while they are in the family, and where the months of its limits begin:
    /// as they did for the child when a parent set limits first.
    static let account = Statement(
        by: "allowance_child_key, account_pkey, person_pkey",
        """
        select a.id, a.currency, coalesce(made.month_start, person.month_start),
            coalesce(made.time_zone, 'UTC')
        from ledger.allowance as made
        join ledger.account as a on a.id = made.account_id
        join ledger.person on person.user_id = made.user_id
        where made.family_id = $1 and made.user_id = $2 and made.released_at is null
        """
    ) { row in
        (
            id: try row.value(0, as: ID<Account>.self),
            currency: try row.value(1, as: Currency.self),
            monthStart: try row.value(2, as: Int16.self), timeZone: try row.string(3)
        )
    }

    /// The function that says in which month of limits a moment is: its first and last day, and
    /// the moments at which it begins and ends.
    static let month = Statement(
        """
        select (first at time zone $3::text)::date, (behind at time zone $3::text)::date - 1,
            first, behind
        from ledger.limit_month_v1($1, $2, $3::text)
        """
    ) { row in
        (
            from: try row.value(0, as: Day.self), to: try row.value(1, as: Day.self),
            begins: try row.value(2, as: Instant.self), ends: try row.value(3, as: Instant.self)
        )
    }

    /// That of everything first; those of categories that are gone hold nothing any more.
    static let ofAccount = Statement(
        by: "allowance_limit_key, category_pkey",
        """
        select kept.category_id, kept.amount
        from ledger.allowance_limit as kept
        left join ledger.category as c on c.id = kept.category_id
        where kept.account_id = $1 and c.deleted_at is null
        order by c.name_folded nulls first
        limit 50
        """
    ) { row in
        (category: try row.value(0, as: CategoryID?.self), amount: try row.int64(1))
    }

    /// Whether any of some categories has a limit.
    static let isLimited = Statement(
        by: "allowance_limit_category_idx",
        "select exists (select from ledger.allowance_limit where category_id = any ($1))"
    ) { row in try row.bool(0) }

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

    /// The function that sums what was counted of an account, by category and the one above it.
    static let counted = Statement(
        by: "outlay_counted_idx",
        "select category_id, parent_id, kind, amount from ledger.counted_v1($1, $2, $3)"
    ) { row in
        CountedOutlay(
            category: try row.value(0),
            parent: try row.value(1),
            kind: try row.word(2),
            amount: try row.value(3)
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

/// What was counted of an account in a category and one way.
struct CountedOutlay: Sendable, Hashable {
    /// How it counts.
    enum Kind: String, StringEnum {
        case own
        /// What others owe of it; below zero, what they have paid back.
        case claim
        /// What is in another category since, and counts in this one as before.
        case named
    }
    let category: CategoryID
    let parent: CategoryID?
    let kind: Kind
    let amount: Int128
}

extension [CountedOutlay] {
    /// What counts against a limit of a category and those below it, or of everything.
    func total(of category: CategoryID?) -> Int128 {
        let counted = filter {
            guard let category else { return $0.kind != .named }
            return $0.category == category || $0.parent == category
        }
        func sum(_ part: (CountedOutlay) -> Bool) -> Int128 {
            counted.filter(part).reduce(0) { $0 + $1.amount }
        }
        // More than was claimed is given back by nobody.
        return sum { $0.kind != .claim } + Swift.max(sum { $0.kind == .claim }, 0)
    }
}
