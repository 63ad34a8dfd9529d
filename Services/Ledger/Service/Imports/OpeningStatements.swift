import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what imported statements say that an account was opened with.
enum OpeningStatements {
    /// What the account holds, and the opening entry that an import has made.
    static let standing = Statement(
        by: "account_pkey, balance_pkey, statement_import_opening_idx, entry_pkey",
        """
        select account.kind = 'wallet', coalesce(held.amount, 0), made.id, made.opening_entry_id,
            case when entry.credit_account = account.id then entry.amount else -entry.amount end
        from ledger.account
        left join ledger.balance as held on held.account_id = account.id
        left join lateral (
            select id, opening_entry_id from ledger.statement_import
            where account_id = account.id and opening_entry_id is not null
            order by id
            limit 1
        ) as made on true
        left join ledger.entry on entry.id = made.opening_entry_id
        where account.id = $1
        """
    ) { row in
        var entry: StandingOpening?
        if let importID = try row.value(2, as: ID<StatementImport>?.self),
            let id = try row.value(3, as: ID<JournalEntry>?.self),
            let amount = try row.value(4, as: Int64?.self)
        {
            entry = StandingOpening(importID: importID, entry: id, amount: amount)
        }
        return try ImportedAccount(isWallet: row.bool(0), balance: row.int64(1), opening: entry)
    }

    /// The oldest statement with a balance: of those that were taken in, and of one that is to be.
    ///
    /// OFX need not name its days: then the rows' days count, here and below.
    static let oldest = Statement(
        by: "statement_import_period_idx, import_row_pkey",
        """
        select id, closing, opening, from_day, to_day, format = 'mt940'
        from ledger.statement_import as stated
        where account_id = $1 and (id = $2 or state = 'committed')
            and (closing is not null or opening is not null)
        order by coalesce(from_day, (
            select min(day) from ledger.import_row where import_id = stated.id)), to_day, id
        limit 1
        """
    ) { row in
        try StatedOpening(
            importID: row.value(0),
            closing: row.value(1),
            opening: row.value(2),
            from: row.value(3),
            to: row.value(4),
            isOpenedByDaysEnd: row.bool(5)
        )
    }

    /// What the rows of a statement that are on the account come to, and the first day of them.
    ///
    /// With those that are to be taken in where `$3` is true.
    static let brought = Statement(
        by: "import_row_pkey, imported_row_pkey, money_transaction_pkey",
        """
        select coalesce(sum(amount), 0)::text, min(day)
        from ledger.import_row as r
        left join lateral (
            select transaction_id from ledger.imported_row
            where account_id = $1 and fingerprint = r.fingerprint and occurrence = r.occurrence
            limit 1
        ) as had on true
        left join lateral (
            select id from ledger.money_transaction
            where id = r.known_transaction and reversed_by is null
            limit 1
        ) as known on true
        where import_id = $2 and (
            (is_included and $3) or had.transaction_id is not null or known.id is not null)
        """
    ) { row in try (sum: StatementStatements.wide(row, 0), first: row.value(1, as: Day?.self)) }

    /// What was imported before a day from other files; each transaction once.
    static let earlier = Statement(
        by: "statement_import_period_idx, imported_row_import_id_idx",
        """
        select coalesce(sum(amount), 0)::text, min(day) from (
            select distinct on (had.transaction_id) had.amount, had.day
            from ledger.statement_import as other
            join ledger.imported_row as had on had.import_id = other.id
            where other.account_id = $1 and had.day < $2
                and (other.from_day < $2 or other.from_day is null)
            order by had.transaction_id
        ) as once
        """
    ) { row in try (sum: StatementStatements.wide(row, 0), first: row.value(1, as: Day?.self)) }

    /// All that was ever imported into the account and is on it; each transaction once.
    static let imported = Statement(
        by: "imported_row_amount_idx",
        """
        select coalesce(sum(amount), 0)::text from (
            select distinct on (transaction_id) amount from ledger.imported_row
            where account_id = $1
            order by transaction_id
        ) as once
        """
    ) { row in try StatementStatements.wide(row, 0) }

    /// What a preview's rows will bring: in all, before a day, and of what was entered by hand.
    static let fresh = Statement(
        by: "import_row_pkey, imported_row_pkey, money_transaction_pkey, imported_row_merged_idx",
        """
        select coalesce(sum(amount) filter (where is_fresh and merge is null), 0)::text,
            coalesce(sum(amount) filter (where is_fresh and is_by_hand and day < $3), 0)::text,
            min(day) filter (where is_fresh and is_by_hand and day < $3),
            coalesce(sum(amount) filter (
                where is_fresh and is_by_hand and merge is not null), 0)::text,
            coalesce(max(line), 1)
        from (
            select amount, day, line, merge_transaction as merge,
                is_included and had.transaction_id is null and known.id is null as is_fresh,
                brought.id is null and merged.transaction_id is null as is_by_hand
            from ledger.import_row as r
            left join lateral (
                select transaction_id from ledger.imported_row
                where account_id = $1 and fingerprint = r.fingerprint and occurrence = r.occurrence
                limit 1
            ) as had on true
            left join lateral (
                select id from ledger.money_transaction
                where id = r.known_transaction and reversed_by is null
                limit 1
            ) as known on true
            left join lateral (
                select id from ledger.money_transaction
                where id = r.merge_transaction and import_id is not null
                limit 1
            ) as brought on true
            left join lateral (
                select transaction_id from ledger.imported_row
                where account_id = $1 and transaction_id = r.merge_transaction
                    and kept_day is not null
                limit 1
            ) as merged on true
            where import_id = $2
        ) as told
        """
    ) { row in
        try FreshRows(
            sum: StatementStatements.wide(row, 0),
            earlier: StatementStatements.wide(row, 1),
            first: row.value(2),
            byHand: StatementStatements.wide(row, 3),
            lastLine: Int(row.int32(4))
        )
    }

    /// The entry that stands is this import's from now on.
    static let setEntry = Statement<Void>(
        by: "statement_import_pkey",
        "update ledger.statement_import set opening_entry_id = $2 where id = $1"
    )

    // MARK: Where the account differs

    /// The import's own closing balance and the newest one that was taken in, each at its end.
    static let closings = Statement(
        by: "statement_import_pkey, statement_import_period_idx, import_row_pkey",
        """
        select id, closing, greatest(to_day, (
            select max(day) from ledger.import_row where import_id = stated.id))
        from ledger.statement_import as stated
        where closing is not null and id = any (array(
            select $2
            union
            (select id from ledger.statement_import as newest
            where account_id = $1 and closing is not null and (id = $2 or state = 'committed')
            order by coalesce(to_day, (
                select max(day) from ledger.import_row where import_id = newest.id
            )) desc nulls last, from_day desc, id desc
            limit 1)))
        order by id = $2 desc
        limit 2
        """
    ) { row in
        try StatedClosing(importID: row.value(0), amount: row.int64(1), day: row.value(2))
    }

    /// What is booked after a day: what stands, but for what a preview's rows are merged with, and
    /// what its rows will bring.
    static let after = Statement(
        by: "money_transaction_account_idx, import_row_pkey, imported_row_pkey",
        """
        with fresh as materialized (
            select day, amount, merge_transaction from ledger.import_row as r
            left join lateral (
                select transaction_id from ledger.imported_row
                where account_id = $1 and fingerprint = r.fingerprint and occurrence = r.occurrence
                limit 1
            ) as had on true
            left join lateral (
                select id from ledger.money_transaction
                where id = r.known_transaction and reversed_by is null
                limit 1
            ) as known on true
            where import_id = $2 and is_included and (day > $3 or merge_transaction is not null)
                and had.transaction_id is null and known.id is null
        )
        select (coalesce((
                select sum(amount) from ledger.money_transaction
                where account_id = $1 and reversed_by is null and day > $3
                    and not id = any (array(
                        select merge_transaction from fresh
                        where merge_transaction is not null))), 0)
            + coalesce((select sum(amount) from fresh where day > $3), 0))::text
        """
    ) { row in try StatementStatements.wide(row, 0) }

    /// What other files bring on a statement's last day: perhaps after its end.
    static let others = Statement(
        by: "imported_row_amount_idx, import_row_pkey, imported_row_pkey",
        """
        select (coalesce((
                select sum(amount) from (
                    select distinct on (transaction_id) amount from ledger.imported_row
                    where account_id = $1 and day = $3
                    order by transaction_id
                ) as once), 0)
            + coalesce((
                select sum(case when had.transaction_id is null then amount else 0 end)
                from ledger.import_row as r
                left join lateral (
                    select transaction_id from ledger.imported_row
                    where account_id = $1 and fingerprint = r.fingerprint
                        and occurrence = r.occurrence
                    limit 1
                ) as had on true
                where import_id = $4 and import_id <> $2 and day = $3 and is_included), 0)
            - coalesce((
                select sum(amount) from ledger.import_row as r
                cross join lateral (
                    select transaction_id from ledger.imported_row
                    where account_id = $1 and fingerprint = r.fingerprint
                        and occurrence = r.occurrence
                    limit 1
                ) as had
                where import_id = $2 and day = $3), 0))::text
        """
    ) { row in try StatementStatements.wide(row, 0) }

    static let setDifferences = Statement<Void>(
        by: "statement_import_pkey",
        "update ledger.statement_import set differences = $2 where id = $1"
    )
}
