import Postgres
import ServiceKit
import WalletProtocol

/// A row of a stage; without an item where nothing is to be told of it.
struct ChangeRow: Sendable {
    let position: StagePlace
    let item: ChangeItem?
}

/// A version of a transaction that was written, or an attachment of it.
struct WrittenRow: Sendable {
    let position: StagePlace
    let transaction: ID<MoneyTransaction>
    /// When the version stopped to count.
    let endedAt: Instant?
}

extension ID {
    /// As something that has changed.
    var change: ID<Change> { ID<Change>(high: high, low: low) }
}

/// The SQL of what has changed.
///
/// Each statement walks an index from a place on. Transaction ids are sent as text: an order by one
/// names its table, else it would be that of the text.
enum ChangeStatements {
    /// Which books these are, below which id everything has ended, and from which on nothing had
    /// begun.
    static let horizon = Statement(
        by: "changes_epoch_pkey",
        """
        select encode(substr(sha256(convert_to(
                concat_ws(' ', system_identifier,
                    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), epoch),
                'UTF8')), 1, 9), 'base64'),
            pg_snapshot_xmin(now)::text, pg_snapshot_xmax(now)::text
        from ledger.changes_epoch, pg_control_system(), pg_current_snapshot() as now
        where is_only
        """
    ) { row in
        try (epoch: row.string(0), floor: xid(row, 1), end: xid(row, 2))
    }

    static let access = Statement(
        by: "account_member_xid_idx",
        """
        select account_id, xid::text, left_at is null
        from ledger.account_member
        where user_id = $1 and (xid, account_id) > ($2::text::xid8, $3)
            and xid < $4::text::xid8
        order by account_member.xid, account_id
        limit $5
        """
    ) { row in
        let account = try row.value(0, as: ID<Account>.self)
        let change = AccessChange(
            accountID: account,
            action: try row.bool(2) ? .load : .drop
        )
        return ChangeRow(
            position: try position(row, id: 0, xid: 1),
            item: ChangeItem(kind: .access, id: account.change, access: change)
        )
    }

    /// Of others' folders.
    static let folderAccess = Statement(
        by: "folder_member_xid_idx",
        """
        select folder_id, xid::text, left_at is null
        from ledger.folder_member
        where user_id = $1 and (xid, folder_id) > ($2::text::xid8, $3)
            and xid < $4::text::xid8 and access <> 'owner'
        order by folder_member.xid, folder_id
        limit $5
        """
    ) { row in
        let folder = try row.value(0, as: ID<Folder>.self)
        let change = AccessChange(
            folderID: folder,
            action: try row.bool(2) ? .load : .drop
        )
        return ChangeRow(
            position: try position(row, id: 0, xid: 1),
            item: ChangeItem(kind: .access, id: folder.change, access: change)
        )
    }

    static let categories = Statement(
        by: "category_user_xid_idx",
        """
        select id, name, color, symbol, parent_id, type, coicop, is_default, version, name_folded,
            is_important, xid::text, deleted_at
        from ledger.category
        where user_id = $1 and (xid, id) > ($2::text::xid8, $3) and xid < $4::text::xid8
        order by category.xid, id
        limit $5
        """
    ) { row in
        try change(row, .category, xid: 11) { item in
            item.category = try CategoryStatements.category(row).view
        }
    }

    /// And the newest of each by recurrence_occurrence_pkey.
    static let recurrences = Statement(
        by: "recurrence_user_xid_idx",
        """
        select r.id, r.user_id, r.account_id, r.currency, r.amount, r.category_id, r.name,
            r.description, r.tags, r.latitude, r.longitude, r.place, r.folder_id,
            r.line_categories, r.line_amounts, r.every, r.unit, r.until, r.anchor, r.next_number,
            r.next_day, r.is_active, r.version, r.created_at,
            last.day, last.number, last.state, last.transaction_id, last.reason,
            r.xid::text, r.deleted_at
        from ledger.recurrence as r
        left join lateral (
            select * from ledger.recurrence_occurrence as o
            where o.recurrence_id = r.id order by o.day desc limit 1
        ) as last on true
        where r.user_id = $1 and (r.xid, r.id) > ($2::text::xid8, $3)
            and r.xid < $4::text::xid8
        order by r.xid, r.id
        limit $5
        """
    ) { row in
        try change(row, .recurrence, xid: 29) { item in
            item.recurrence = try RecurrenceStatements.row(row)
                .view(last: RecurrenceStatements.past(row, from: 24))
        }
    }

    /// And the newest day of each by standing_order_execution_pkey.
    static let standingOrders = Statement(
        by: "standing_order_user_xid_idx, account_pkey, person_pkey",
        """
        select o.id, o.user_id, o.from_account, o.to_account, o.is_own, o.currency, o.to_currency,
            o.amount, o.reference, o.every, o.unit, o.until, o.anchor, o.next_number, o.next_day,
            o.is_active, o.is_proved, o.version, o.created_at,
            last.day, last.number, last.state, last.transfer_id, last.reason,
            person.display_name, payee.iban, payee.user_id, o.xid::text, o.deleted_at
        from ledger.standing_order as o
        join ledger.account as payee on payee.id = o.to_account
        join ledger.person on person.user_id = payee.user_id
        left join lateral (
            select * from ledger.standing_order_execution as e
            where e.order_id = o.id order by e.day desc limit 1
        ) as last on true
        where o.user_id = $1 and (o.xid, o.id) > ($2::text::xid8, $3)
            and o.xid < $4::text::xid8
        order by o.xid, o.id
        limit $5
        """
    ) { row in
        try change(row, .standingOrder, xid: 27) { item in
            item.standingOrder = try StandingOrderStatements.whole(row).view
        }
    }

    static let importRules = Statement(
        by: "import_rule_xid_idx",
        """
        select id, priority, field, operator, pattern, account_id, direction, category_id,
            version, xid::text, deleted_at
        from ledger.import_rule
        where user_id = $1 and (xid, id) > ($2::text::xid8, $3) and xid < $4::text::xid8
        order by import_rule.xid, id
        limit $5
        """
    ) { row in
        try change(row, .importRule, xid: 9) { item in
            item.importRule = try ImportRuleRow(row).view
        }
    }

    static let allocations = Statement(
        by: "budget_allocation_user_xid_idx, budget_allocation_gone_pkey",
        """
        select id, category_id, month, day, currency, amount, xid::text, gone_at
        from (
            (select id, category_id, month, day, currency, amount, xid,
                null::timestamptz as gone_at
            from ledger.budget_allocation
            where user_id = $1 and (xid, id) > ($2::text::xid8, $3) and xid < $4::text::xid8
            order by xid, id
            limit $5)
            union all
            (select id, null, null, null, null, null, xid, gone_at
            from ledger.budget_allocation_gone
            where user_id = $1 and (xid, id) > ($2::text::xid8, $3) and xid < $4::text::xid8
            order by xid, id
            limit $5)
        ) as allocation
        order by allocation.xid, id
        limit $5
        """
    ) { row in
        try change(row, .allocation, xid: 6) { item in
            item.allocation = try AllocationEntry(
                categoryID: row.value(1),
                month: row.value(2, as: Day.self).month,
                date: row.value(3),
                amount: Total(minorUnits: row.value(5), row.value(4))
            )
        }
    }

    /// By id: account_user_id_idx and account_member_user_id_idx, and for each account its key,
    /// money_transaction_seq_key, changed_pkey and transfer_held_xid_idx.
    ///
    /// What happens on an account comes one after another under its lock, so that its newest line
    /// tells of all before it: whoever saw that had seen them, too. What moves money without a line
    /// is in `changed`.
    static let changedAccounts = Statement(
        by: """
            account_user_id_idx, account_member_, money_transaction_seq_key, changed_pkey, transfer_
            """,
        """
        select mine.id
        from (
            select id from ledger.account where user_id = $1 and id > $2
            union
            select account_id from ledger.account_member
            where user_id = $1 and account_id > $2 and left_at is null
            order by 1
        ) as mine
        where exists (
                select from ledger.account
                where account.id = mine.id and account.xid >= $3::text::xid8)
            or (select newest.xid from ledger.money_transaction as newest
                where newest.account_id = mine.id
                order by newest.account_id desc, newest.seq desc
                limit 1) >= $3::text::xid8
            or exists (
                select from ledger.changed
                where changed.account_id = mine.id and changed.xid >= $3::text::xid8)
            or exists (
                select from ledger.transfer_terms as held
                where held.from_account = mine.id and held.expires_at is not null
                    and held.xid >= $3::text::xid8)
            or exists (
                select from ledger.account_member as member
                where member.account_id = mine.id and member.user_id = $1
                    and member.xid >= $3::text::xid8)
        order by mine.id
        limit $4
        """
    ) { row in try row.value(0, as: ID<Account>.self) }

    /// The lines that were written, account by account, each's from the newest down to what was
    /// seen.
    ///
    /// An account's lines commit in their order, so that whatever lies below the first that the
    /// last round had seen was there as well. Where nothing is new that is the newest alone; else
    /// it goes on by 32.
    static let transactions = Statement(
        by: "account_user_id_idx, account_member_, money_transaction_seq_key, entry_pkey",
        """
        select account_id, seq, id, (
                select recorded_at from ledger.entry where entry.id = reversed_by)
        from (
            select mine.id as account_id, written.seq, written.id, written.reversed_by
            from (
                select id, case when id = $2 then $4 else 9223372036854775807 end as below
                from (
                    select id from ledger.account where user_id = $1 and id >= $2
                    union
                    select account_id from ledger.account_member
                    where user_id = $1 and account_id >= $2 and left_at is null
                ) as one
                order by id
            ) as mine
            cross join lateral (
                with recursive walked as (
                    (select seq, xid, id, reversed_by, 32::bigint as number
                    from ledger.money_transaction
                    where account_id = mine.id and seq < mine.below
                    order by account_id desc, seq desc
                    limit 1)
                    union all
                    select next.seq, next.xid, next.id, next.reversed_by, next.number
                    from walked
                    cross join lateral (
                        select seq, xid, id, reversed_by,
                            row_number() over (order by seq desc) as number
                        from (
                            select seq, xid, id, reversed_by from ledger.money_transaction
                            where account_id = mine.id and seq < walked.seq
                            order by account_id desc, seq desc
                            limit 32
                        ) as page
                    ) as next
                    where walked.number = 32 and walked.xid >= $3::text::xid8
                )
                select seq, id, reversed_by from walked
                where xid >= $3::text::xid8 and xid < $5::text::xid8
                limit $6
            ) as written
            order by mine.id, written.seq desc
            limit $6
        ) as told
        order by account_id, seq desc
        """
    ) { row in
        try WrittenRow(
            position: StagePlace(
                scope: row.value(0),
                xid: 0,
                id: .zero,
                seq: row.int64(1)
            ),
            transaction: row.value(2),
            endedAt: row.value(3)
        )
    }

    /// What befell lines that stood, account by account, with when the newest of it there ended.
    static let touched = Statement(
        by: """
            account_user_id_idx, account_member_, changed_pkey, money_transaction_pkey, entry_pkey
            """,
        """
        select account_id, xid::text, id, (
                select (
                    select recorded_at from ledger.entry where entry.id = last.reversed_by)
                from ledger.money_transaction as last
                where last.id = told.id and last.account_id = told.account_id
                order by last.version desc
                limit 1)
        from (
            select written.account_id, written.xid, written.id
            from (
                select id,
                    (case when id = $2 then $4 else $3 end)::text::xid8 as xid,
                    case when id = $2 then $5::uuid
                        else '00000000-0000-0000-0000-000000000000'::uuid end as behind
                from (
                    select id from ledger.account where user_id = $1 and id >= $2
                    union
                    select account_id from ledger.account_member
                    where user_id = $1 and account_id >= $2 and left_at is null
                ) as one
                order by id
            ) as mine
            cross join lateral (
                select c.account_id, c.xid, c.id
                from ledger.changed as c
                where c.account_id = mine.id and (c.xid, c.id) > (mine.xid, mine.behind)
                    and c.xid < $6::text::xid8
                order by c.account_id, c.xid, c.id
                limit $7
            ) as written
            order by mine.id, written.xid, written.id
            limit $7
        ) as told
        order by account_id, told.xid, id
        """
    ) { row in
        try WrittenRow(
            position: position(row, id: 2, xid: 1, scope: 0),
            transaction: row.value(2),
            endedAt: row.value(3)
        )
    }

    /// Attachments that were added or removed, by whomever somebody shares wallets with.
    static let attachments = Statement(
        by:
            "account_user_id_idx, account_member_, attachment_xid_idx",
        """
        select written.user_id, written.xid::text, written.id, written.transaction_id
        from (
            select id,
                (case when id = $2 then $4 else $3 end)::text::xid8 as xid,
                case when id = $2 then $5::uuid
                    else '00000000-0000-0000-0000-000000000000'::uuid end as behind
            from (
                select $1::uuid as id
                union
                select member.user_id from ledger.account
                join ledger.account_member as member on member.account_id = account.id
                where account.user_id = $1
                union
                select other.user_id from ledger.account_member as mine
                join ledger.account_member as other on other.account_id = mine.account_id
                where mine.user_id = $1 and mine.left_at is null
                union
                select account.user_id from ledger.account_member as mine
                join ledger.account on account.id = mine.account_id
                where mine.user_id = $1 and mine.left_at is null
            ) as one
            where id >= $2
            order by id
        ) as owner
        cross join lateral (
            select a.user_id, a.xid, a.id, a.transaction_id
            from ledger.attachment as a
            where a.user_id = owner.id and (a.xid, a.id) > (owner.xid, owner.behind)
                and a.xid < $6::text::xid8
            order by a.user_id, a.xid, a.id
            limit $7
        ) as written
        order by owner.id, written.xid, written.id
        limit $7
        """
    ) { row in
        try WrittenRow(
            position: position(row, id: 2, xid: 1, scope: 0),
            transaction: row.value(3),
            endedAt: nil
        )
    }

    /// A transaction has few.
    static let attachmentsOf = Statement(
        by: "attachment_transaction_idx",
        """
        select id, name, media_type, size, sha256, created_at, transaction_id
        from ledger.attachment
        where transaction_id = any ($1) and deleted_at is null
        order by id
        limit 10000
        """
    ) { row in try AttachmentRow(row) }

    // MARK: Rows

    private static func xid(_ row: borrowing PostgresRow, _ column: Int) throws -> Int64 {
        let text = try row.string(column)
        guard let xid = Int64(text) else { throw row.problem(column, "\(text) is no xid") }
        return xid
    }

    private static func position(
        _ row: borrowing PostgresRow,
        id: Int,
        xid column: Int,
        scope: Int? = nil
    ) throws -> StagePlace {
        try StagePlace(
            scope: scope.map { column in try row.value(column) } ?? .zero,
            xid: xid(row, column),
            id: row.value(id)
        )
    }

    /// A thing whose id is in the first column; whether it is gone stands behind its xid.
    private static func change(
        _ row: borrowing PostgresRow,
        _ kind: ChangeKind,
        xid column: Int,
        _ tell: (inout ChangeItem) throws -> Void
    ) throws -> ChangeRow {
        let position = try position(row, id: 0, xid: column)
        var item = ChangeItem(kind: kind, id: position.id)
        item.deletedAt = try row.value(column + 1)
        if item.deletedAt == nil { try tell(&item) }
        return ChangeRow(position: position, item: item)
    }
}
