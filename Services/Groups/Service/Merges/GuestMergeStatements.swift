import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// A guest who was merged into a member, and what that changed.
struct GuestMerge: Sendable {
    let guest: ID<Member>
    let member: ID<Member>
    var mergedAt: Instant = .now()
    /// The version of each expense that it made.
    var expenses: [(id: ID<Expense>, version: Int32)] = []
    var recurrences: [(id: ID<Recurrence>, version: Int32, was: String)] = []
    /// Settlements that named the guest, as they were.
    var settlements = "[]"
    /// Those that were between the two.
    var void: [ID<Settlement>] = []
    /// What it has added to what is open, beside the debts of expenses.
    var debts: [MemberDebt] = []
}

/// The SQL of guests who turn out to be members; each statement names the index that serves it.
enum GuestMergeStatements {
    /// Expenses that a place has paid or bears, behind one: those that stand, and those whose
    /// removal may be undone yet.
    static let expenses = Statement(
        by: "expense_pkey",
        """
        select id, name, description, amount, currency, day, split_kind, added_by, version,
            created_at, category_id, tags, latitude, longitude, place_name, recurrence_id,
            removed_at
        from groups.expense
        where group_id = $1 and id > $3
            and (removed_at is null or removed_at > now() - make_interval(secs => $4))
            and ($2 = any (payer_ids) or $2 = any (bearer_ids))
        order by id
        limit 200
        """
    ) { row in
        (
            expense: try ExpenseStatements.expense(row),
            isRemoved: try row.value(16, as: Instant?.self) != nil
        )
    }

    /// Recurrences that name a place.
    static let recurrences = Statement(
        by: "expense_recurrence_member_idx",
        """
        select id
        from groups.expense_recurrence
        where group_id = $1 and strpos(expense::text, $2) > 0
        order by id
        limit 10000
        """
    ) { row in try row.value(0, as: ID<Recurrence>.self) }

    static let setRecurrence = Statement<Void>(
        by: "expense_recurrence_pkey",
        """
        update groups.expense_recurrence
        set expense = $3::json, version = version + 1
        where group_id = $1 and id = $2 and version = $4
        """
    )

    /// Settlements between the two that somebody wrote down.
    static let between = Statement(
        by: "settlement_payment_pkey, settlement_pkey",
        """
        select distinct p.settlement_id
        from groups.settlement_payment p
        join groups.settlement s on s.group_id = p.group_id and s.id = p.settlement_id
        where p.group_id = $1 and s.state = 'recorded'
            and (p.debtor_id, p.creditor_id) in (($2::uuid, $3::uuid), ($3::uuid, $2::uuid))
        order by p.settlement_id
        limit 100000
        """
    ) { row in try row.value(0, as: ID<Settlement>.self) }

    static let setStates = Statement<Void>(
        by: "settlement_pkey",
        """
        update groups.settlement
        set state = $3
        where group_id = $1 and id = any($2) and state = $4
        """
    )

    /// Of what settlements have paid and changed, the guest's is the member's.
    ///
    /// Answers what they were.
    static let renameSettlements = Statement(
        by: "settlement_payment_pkey, settlement_pkey",
        """
        with was as (
            select p.settlement_id, p.currency, p.debtor_id, p.creditor_id, p.debtor_ids,
                p.creditor_ids
            from groups.settlement_payment p
            join groups.settlement s on s.group_id = p.group_id and s.id = p.settlement_id
            where p.group_id = $1 and s.state <> 'void' and (
                $2 in (p.debtor_id, p.creditor_id) or $2 = any (p.debtor_ids)
                or $2 = any (p.creditor_ids))
        ), renamed as (
            update groups.settlement_payment p
            set debtor_id = case p.debtor_id when $2 then $3 else p.debtor_id end,
                creditor_id = case p.creditor_id when $2 then $3 else p.creditor_id end,
                debtor_ids = array_replace(p.debtor_ids, $2, $3),
                creditor_ids = array_replace(p.creditor_ids, $2, $3)
            from was
            where p.group_id = $1 and p.settlement_id = was.settlement_id
                and p.currency = was.currency
        )
        select coalesce(json_agg(was), '[]')::text
        from was
        """
    ) { row in try row.string(0) }

    /// What was not changed since is as it was.
    static let restoreSettlements = Statement<Void>(
        by: "settlement_payment_pkey",
        """
        update groups.settlement_payment p
        set debtor_id = was.debtor_id, creditor_id = was.creditor_id,
            debtor_ids = was.debtor_ids, creditor_ids = was.creditor_ids
        from json_to_recordset($2::json) as was (
            settlement_id uuid, currency text, debtor_id uuid, creditor_id uuid,
            debtor_ids uuid[], creditor_ids uuid[])
        where p.group_id = $1 and p.settlement_id = was.settlement_id
            and p.currency = was.currency
            and cardinality(p.debtor_ids) is not distinct from cardinality(was.debtor_ids)
        """
    )

    /// A guest's place, which they had until it was merged, is there again.
    static let bringBack = Statement(
        by: "member_pkey",
        """
        update groups.member
        set left_at = null
        where group_id = $1 and id = $2 and left_at is not null and former_user_id is null
        returning joined_at
        """
    ) { row in try row.value(0, as: Instant.self) }

    static let insert = Statement<Void>(
        """
        insert into groups.guest_merge (
            group_id, guest_id, member_id, expense_ids, versions, recurrence_ids,
            recurrence_versions, recurrences, settlements, void_ids, currencies, debtor_ids,
            creditor_ids, amounts)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10, $11, $12, $13, $14)
        """
    )

    static let find = Statement(
        by: "guest_merge_pkey",
        """
        select guest_id, member_id, merged_at, expense_ids, versions, recurrence_ids,
            recurrence_versions, recurrences, settlements::text, void_ids, currencies, debtor_ids,
            creditor_ids, amounts
        from groups.guest_merge
        where group_id = $1 and guest_id = $2
        limit 1
        """
    ) { row in try merge(row) }

    static let delete = Statement<Void>(
        by: "guest_merge_pkey",
        "delete from groups.guest_merge where group_id = $1 and guest_id = $2"
    )

    /// Those that cannot be undone any more, some at a time.
    static let deleteOld = Statement<Void>(
        by: "guest_merge_merged_at_idx, guest_merge_pkey",
        """
        delete from groups.guest_merge
        where (group_id, guest_id) in (
            select group_id, guest_id
            from groups.guest_merge
            where merged_at < now() - make_interval(secs => $1)
            order by merged_at
            limit 100
            for update skip locked)
        """
    )

    private static func merge(_ row: borrowing PostgresRow) throws -> GuestMerge {
        var merge = try GuestMerge(
            guest: row.value(0),
            member: row.value(1),
            mergedAt: row.value(2)
        )
        let versions = try row.value(4, as: [Int32].self)
        merge.expenses = zip(try row.value(3, as: [ID<Expense>].self), versions).map {
            (id: $0, version: $1)
        }
        let ids = try row.value(5, as: [ID<Recurrence>].self)
        let recurrenceVersions = try row.value(6, as: [Int32].self)
        let texts = try row.value(7, as: [String].self)
        for ((id, version), text) in zip(zip(ids, recurrenceVersions), texts) {
            merge.recurrences.append((id: id, version: version, was: text))
        }
        merge.settlements = try row.string(8)
        merge.void = try row.value(9)
        let sides = zip(
            try row.value(11, as: [ID<Member>].self),
            try row.value(12, as: [ID<Member>].self)
        )
        let sums = zip(
            try row.value(13, as: [Int64].self),
            try row.value(10, as: [Currency].self)
        )
        merge.debts = zip(sides, sums).map { sides, sum in
            MemberDebt(
                debtor: sides.0,
                creditor: sides.1,
                amount: Money(minorUnits: sum.0, sum.1)
            )
        }
        return merge
    }
}
