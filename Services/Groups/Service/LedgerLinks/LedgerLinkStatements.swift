import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of links to people's own ledgers; each statement names the index that serves it.
enum LedgerLinkStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.ledger_link (
            id, group_id, expense_id, member_id, user_id, state, account_id, category_id, paid,
            share, currency, day, posting, key_id, request_hash, look_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::json, $14, $15,
            now() + interval '30 seconds')
        """
    )

    /// And what of the expense is its owner's now, by the keys of expenses, payments and shares.
    static let find = Statement(
        by: "ledger_link_pkey, expense_",
        """
        select l.id, l.group_id, l.expense_id, l.member_id, l.user_id, l.state, l.account_id,
            l.category_id, l.paid, l.share, l.currency, l.day, l.version, l.transaction_id,
            l.reason, l.is_kept, l.posting::text, l.is_behind, l.posted_version,
            e.paid[array_position(e.payer_ids, l.member_id)],
            e.borne[array_position(e.bearer_ids, l.member_id)], e.currency, e.day, e.name
        from groups.ledger_link l
        left join groups.expense e
            on e.group_id = l.group_id and e.id = l.expense_id and e.removed_at is null
        where l.id = $1
        limit 1
        """
    ) { row in try link(row) }

    /// The same of all of an expense.
    static let ofExpense = Statement(
        by: "ledger_link_expense_idx, expense_",
        """
        select l.id, l.group_id, l.expense_id, l.member_id, l.user_id, l.state, l.account_id,
            l.category_id, l.paid, l.share, l.currency, l.day, l.version, l.transaction_id,
            l.reason, l.is_kept, l.posting::text, l.is_behind, l.posted_version,
            e.paid[array_position(e.payer_ids, l.member_id)],
            e.borne[array_position(e.bearer_ids, l.member_id)], e.currency, e.day, e.name
        from groups.ledger_link l
        left join groups.expense e
            on e.group_id = l.group_id and e.id = l.expense_id and e.removed_at is null
        where l.group_id = $1 and l.expense_id = $2
        order by l.user_id
        limit 1000
        """
    ) { row in try link(row) }

    /// Which of some expenses are in anybody's.
    static let linked = Statement(
        by: "ledger_link_expense_idx",
        """
        select distinct expense_id
        from groups.ledger_link
        where group_id = $1 and expense_id = any($2)
        order by expense_id
        limit 1000
        """
    ) { row in try row.value(0, as: ID<Expense>.self) }

    /// Somebody's own of some expenses, as they see them.
    static let ofExpenses = Statement(
        by: "ledger_link_expense_idx",
        """
        select expense_id, account_id, category_id,
            case when state <> 'ended' then transaction_id end, state, reason
        from groups.ledger_link
        where group_id = $1 and expense_id = any($2) and user_id = $3 and state <> 'making'
        limit 200
        """
    ) { row in try (expense: row.value(0, as: ID<Expense>.self), view: view(row)) }

    /// The same of settlements, whose ids are the links'.
    static let ofSettlements = Statement(
        by: "ledger_link_",
        """
        select id, account_id, category_id,
            case when state <> 'ended' then transaction_id end, state, reason
        from groups.ledger_link
        where id = any($1) and user_id = $2 and state <> 'making'
        limit 200
        """
    ) { row in try (settlement: row.value(0, as: ID<Settlement>.self), view: view(row)) }

    /// What of an expense that stands is a member's.
    static let part = Statement(
        by: "expense_pkey",
        """
        select e.paid[array_position(e.payer_ids, $3)],
            e.borne[array_position(e.bearer_ids, $3)], e.currency, e.day, e.name
        from groups.expense e
        where e.group_id = $1 and e.id = $2 and e.removed_at is null
        limit 1
        """
    ) { row in try (own: own(row, from: 0), isThere: true) }

    static let ofKey = Statement(
        by: "ledger_link_key_id_key",
        "select id, request_hash from groups.ledger_link where key_id = $1 limit 1"
    ) { row in
        (id: try row.value(0, as: ID<LedgerLink>.self), requestHash: try row.bytes(1))
    }

    // MARK: What becomes of them

    /// Asks for the next version, under another id where the old one was taken back.
    static let ask = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set id = $2, state = 'pending', version = $3, posting = $4::json, is_kept = $5,
            transaction_id = case when id = $2 then transaction_id end,
            posted_version = case when id = $2 then posted_version end, is_behind = false,
            look_at = now() + interval '30 seconds'
        where id = $1
        """
    )

    /// What the ledger has posted; the state is what the caller has found it to be.
    static let post = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set state = $2, transaction_id = $3, posted_version = version, account_id = $4,
            category_id = coalesce($5, category_id), paid = $6, share = $7, currency = $8, day = $9,
            posting = null, reason = null, is_kept = false, is_behind = false, look_at = null
        where id = $1 and state = 'pending'
        """
    )

    /// Whether the ledger is asked again once it has answered.
    static let fallBehind = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link set is_behind = $2
        where id = $1 and state in ('pending', 'ending')
        """
    )

    /// The expense or settlement is written down in the same transaction.
    static let made = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set state = 'current', transaction_id = $2, posted_version = version, posting = null,
            key_id = null, request_hash = null, look_at = null
        where id = $1 and state = 'making'
        """
    )

    /// It is not written down, and never will be.
    static let abandon = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set state = 'ending', posting = null, key_id = null, request_hash = null,
            look_at = now() + interval '30 seconds'
        where id = $1 and state = 'making'
        """
    )

    static let end = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set state = 'ending', posting = null, is_kept = $2, is_behind = false, reason = $3,
            look_at = now() + interval '30 seconds'
        where id = $1
        """
    )

    /// What is posted stays.
    static let keep = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set state = $2, reason = $3, posting = null, is_kept = false, is_behind = false,
            look_at = null
        where id = $1
        """
    )

    /// What its owner has done in the ledger to what is posted.
    static let see = Statement<Void>(
        by: "ledger_link_pkey",
        "update groups.ledger_link set posted_version = $2 where id = $1"
    )

    static let rest = Statement<Void>(
        by: "ledger_link_pkey",
        """
        update groups.ledger_link
        set state = 'ended', transaction_id = null, posted_version = null, is_behind = false,
            look_at = null
        where id = $1
        """
    )

    static let delete = Statement<Void>(
        by: "ledger_link_pkey",
        "delete from groups.ledger_link where id = $1"
    )

    /// Takes those that nobody waits for any more, the oldest first: whoever else looks passes over
    /// them, and what fails comes again behind the others, the later the longer it has failed.
    static let take = Statement(
        by: "ledger_link_look_at_idx, ledger_link_pkey",
        """
        update groups.ledger_link
        set look_at = now()
            + least(greatest(now() - created_at, interval '1 minute'), interval '1 day')
        where id in (
            select id from groups.ledger_link
            where look_at < now()
            order by look_at
            limit 100
            for update skip locked)
        returning id
        """
    ) { row in try row.value(0, as: ID<LedgerLink>.self) }

    // MARK: Rows

    private static func view(_ row: borrowing PostgresRow) throws -> LedgerLinkView {
        let state = try row.word(4, as: LedgerLinkState.self)
        return try LedgerLinkView(
            accountID: row.value(1),
            ownCategoryID: row.value(2),
            transactionID: row.value(3),
            state: state,
            reason: row.value(5)
        )
    }

    private static func link(_ row: borrowing PostgresRow) throws -> LedgerLink {
        let expense = try row.value(2, as: ID<Expense>?.self)
        let currency = try row.value(10, as: Currency.self)
        let asked = try row.value(16, as: String?.self)
        return try LedgerLink(
            id: row.value(0),
            group: row.value(1),
            expense: expense,
            member: row.value(3),
            user: row.value(4),
            state: row.word(5),
            account: row.value(6),
            category: row.value(7),
            posted: LedgerLink.Part(
                paid: Money(minorUnits: row.int64(8), currency),
                share: Money(minorUnits: row.int64(9), currency),
                day: row.value(11)
            ),
            version: Int(row.int32(12)),
            transaction: row.value(13),
            reason: row.value(14),
            isKept: row.bool(15),
            asked: asked.map { try LedgerLink.Asked($0, isClearing: expense == nil) },
            isBehind: row.bool(17),
            postedVersion: row.value(18, as: Int32?.self).map { Int($0) },
            now: own(row, from: 19)
        )
    }

    /// Payment, share, currency, day and name from a column on; none without a payment.
    private static func own(_ row: borrowing PostgresRow, from first: Int) throws -> OwnPart? {
        guard let paid = try row.value(first, as: Int64?.self) else { return nil }
        return try OwnPart(
            part: LedgerLink.Part(
                paid: paid,
                owed: row.value(first + 1, as: Int64?.self) ?? 0,
                row.value(first + 2),
                on: row.value(first + 3)
            ),
            name: row.string(first + 4)
        )
    }
}

extension LedgerLink.Asked {
    /// As it is kept.
    fileprivate init(_ text: String, isClearing: Bool) throws {
        let bytes = Array(text.utf8)
        if isClearing {
            self = .clearing(try JSON.value(of: bytes, ignoringUnknownFields: true))
        } else {
            self = .posting(try JSON.value(of: bytes, ignoringUnknownFields: true))
        }
    }
}
