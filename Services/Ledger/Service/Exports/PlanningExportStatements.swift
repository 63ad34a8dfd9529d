import Postgres
import ServiceKit

/// What a person has planned; each statement names the index that serves it.
enum PlanningExportStatements {
    static let parts = [
        ExportPart("recurrences", from: ExportPart.firstID, recurrences),
        ExportPart("standing-orders", from: ExportPart.firstID, standingOrders),
        ExportPart(
            "budgets",
            from: ExportPart.firstID + " -infinity -infinity none",
            budgets
        ),
        ExportPart("folders", from: ExportPart.firstID, folders),
        ExportPart(
            "allowance-limits",
            from: ExportPart.firstID + " " + ExportPart.firstID,
            allowanceLimits
        ),
        ExportPart("allowance-outlays", from: ExportPart.firstID + "|-infinity", outlays),
        ExportPart("approval-rules", from: ExportPart.firstID, approvalRules),
        ExportPart(
            "household-categories",
            from: ExportPart.firstID + " -infinity",
            householdCategories
        ),
    ]

    /// What a child may spend; that of everything has no category, and comes first.
    static let allowanceLimits = Statement(
        by: "allowance_user_idx, allowance_limit_key, account_pkey",
        """
        select account_id || ' ' || category, json_build_object(
            'accountId', account_id, 'categoryId', category_id,
            'amount', json_build_object('minorUnits', amount, 'currency', currency))::text
        from (
            select kept.account_id, kept.category_id, kept.amount, a.currency,
                coalesce(kept.category_id, '00000000-0000-0000-0000-000000000001') as category
            from ledger.allowance as made
            join ledger.allowance_limit as kept on kept.account_id = made.account_id
            join ledger.account as a on a.id = made.account_id
            where made.user_id = $1
        ) as own
        where (account_id, category) > (
            split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::uuid)
        order by account_id, category
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What left a child's account, as it counts against limits and approval.
    ///
    /// What was counted at one moment is on one page.
    static let outlays = Statement(
        by: "allowance_user_idx, outlay_counted_idx, account_pkey",
        """
        select own.account_id || '|' || own.counted_at, json_build_object(
            'accountId', own.account_id, 'transactionId', own.transaction_id,
            'categoryId', own.category_id, 'kind', own.kind, 'countedAt', own.counted_at,
            'amount', json_build_object(
                'minorUnits', own.amount::text, 'currency', own.currency))::text
        from (
            select o.*, a.currency from (
                select account_id from ledger.allowance
                where user_id = $1 and account_id >= split_part($2::text, '|', 1)::uuid
            ) as made
            join ledger.account as a on a.id = made.account_id
            cross join lateral (
                select account_id, counted_at, transaction_id, category_id, kind, amount
                from ledger.outlay
                where account_id = made.account_id and counted_at > case
                    when made.account_id = split_part($2::text, '|', 1)::uuid
                    then split_part($2::text, '|', 2)::timestamptz else '-infinity' end
                order by counted_at
                fetch first ($3) rows with ties
            ) as o
        ) as own
        order by own.account_id, own.counted_at
        fetch first ($3) rows with ties
        """
    ) { row in try ExportRow(row) }

    /// Above which amount a child's purchases are approved of first.
    static let approvalRules = Statement(
        by: "allowance_user_idx, approval_rule_pkey, account_pkey",
        """
        select made.account_id::text, json_build_object(
            'accountId', made.account_id,
            'above', json_build_object('minorUnits', kept.above, 'currency', a.currency))::text
        from ledger.allowance as made
        join ledger.approval_rule as kept on kept.account_id = made.account_id
        join ledger.account as a on a.id = made.account_id
        where made.user_id = $1 and made.account_id > $2::text::uuid
        order by made.account_id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Which categories count in envelopes of the family's, and from when on.
    static let householdCategories = Statement(
        by: "household_category_pkey, household_envelope_",
        """
        select c.category_id || ' ' || c.month, json_build_object(
            'categoryId', c.category_id, 'month', to_char(c.month, 'YYYY-MM'),
            'familyId', c.family_id, 'envelopeId', c.envelope_id, 'envelope', e.name)::text
        from ledger.household_category as c
        left join ledger.household_envelope as e
            on e.family_id = c.family_id and e.id = c.envelope_id
        where c.user_id = $1 and (c.category_id, c.month) > (
            split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::date)
        order by c.category_id, c.month
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What others have put in is theirs to know.
    static let folders = Statement(
        by: "folder_member_user_id_idx, folder_pkey, folder_category_user_id_idx",
        """
        select f.id::text, json_build_object(
            'id', f.id, 'name', case when mine.left_at is null then f.name end,
            'access', mine.access, 'joinedAt', mine.joined_at, 'leftAt', mine.left_at,
            'categoryIds', array(
                select category_id from ledger.folder_category
                where folder_id = f.id and user_id = $1 order by category_id))::text
        from ledger.folder_member as mine
        join ledger.folder as f on f.id = mine.folder_id
        where mine.user_id = $1 and mine.folder_id > $2::text::uuid
        order by mine.folder_id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// What was set aside, by month and day.
    static let budgets = Statement(
        by: "budget_allocation_pkey",
        """
        select category_id || ' ' || month || ' ' || day || ' ' || currency, json_build_object(
            'categoryId', category_id, 'month', to_char(month, 'YYYY-MM'), 'date', day,
            'amount', json_build_object('minorUnits', amount::text, 'currency', currency))::text
        from ledger.budget_allocation
        where user_id = $1
            and (category_id, month, day, currency) > (
                split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::date,
                split_part($2::text, ' ', 3)::date, split_part($2::text, ' ', 4) collate "C")
        order by category_id, month, day, currency
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Whose the other's account is, is theirs to tell.
    static let standingOrders = Statement(
        by: "standing_order_user_idx, standing_order_execution_pkey",
        """
        select o.id::text, json_build_object(
            'id', o.id, 'fromAccountId', o.from_account,
            'toAccountId', case when o.is_own then o.to_account end, 'reference', o.reference,
            'amount', json_build_object('minorUnits', o.amount, 'currency', o.currency),
            'toCurrency', o.to_currency, 'every', o.every, 'unit', o.unit, 'until', o.until,
            'startDate', o.anchor, 'nextDate', o.next_day, 'paused', not o.is_active,
            'createdAt', o.created_at, 'executions', array(
                select json_build_object('date', e.day, 'state', e.state,
                    'transferId', e.transfer_id, 'reason', e.reason)
                from ledger.standing_order_execution as e
                where e.order_id = o.id
                order by e.day desc limit 1000))::text
        from ledger.standing_order as o
        where o.user_id = $1 and o.deleted_at is null and o.id > $2::text::uuid
        order by o.id
        limit $3
        """
    ) { row in try ExportRow(row) }

    /// Words, and what was left out.
    static let recurrences = Statement(
        by: "recurrence_user_idx, recurrence_occurrence_pkey",
        """
        select r.id::text, json_build_object(
            'id', r.id, 'accountId', r.account_id, 'name', r.name, 'description', r.description,
            'amount', json_build_object('minorUnits', r.amount, 'currency', r.currency),
            'categoryId', r.category_id, 'tags', to_json(r.tags), 'place', r.place,
            'every', r.every, 'unit', r.unit, 'until', r.until, 'startDate', r.anchor,
            'nextDate', r.next_day, 'active', r.is_active, 'createdAt', r.created_at,
            'skipped', array(
                select json_build_object('date', o.day, 'reason', o.reason)
                from ledger.recurrence_occurrence o
                where o.recurrence_id = r.id and o.state = 'skipped'
                order by o.day desc limit 1000))::text
        from ledger.recurrence r
        where r.user_id = $1 and r.deleted_at is null and r.id > $2::text::uuid
        order by r.id
        limit $3
        """
    ) { row in try ExportRow(row) }
}
