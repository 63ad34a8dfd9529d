import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of taking in, and taking back.
enum ImportWorkStatements {
    /// Has the rest of the transaction use indexes in their order.
    ///
    /// What was planned while the tables were small would read them whole for each part of a file.
    static let preferIndexes = Statement<Void>(
        """
        select set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true)
        """
    )

    /// What waits longest and nobody is at.
    static let next = Statement(
        by: "statement_import_work_idx, work_begun_pkey",
        """
        select id from ledger.statement_import
        where state in ('committing', 'withdrawing')
            and not exists (
                select from ledger.work_begun as begun
                where begun.kind = 'import' and begun.id = statement_import.id::text
                    and begun.again_at > clock_timestamp())
            and pg_try_advisory_xact_lock(hashtextextended(user_id::text, 7007))
        order by created_at
        limit 1
        for no key update skip locked
        """
    ) { row in try row.value(0, as: ID<StatementImport>.self) }

    /// Whoever is at it holds the row's lock, and loses it when killed.
    ///
    /// One import of a person at a time, or two could wait for each other's accounts.
    static let take = Statement(
        by: "statement_import_pkey",
        """
        select i.id, i.user_id, account_id, currency, i.state, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults, refusal, created_at,
            columns, mapping, i.version, account_number,
            coalesce(fault_count, jsonb_array_length(faults)), balance_fault, accepts_balances,
            mapping_from, proposed_mapping, differences
        from ledger.statement_import as i join ledger.account on account.id = account_id
        where i.id = $1 and i.state in ('committing', 'withdrawing')
            and pg_try_advisory_xact_lock(hashtextextended(i.user_id::text, 7007))
        for no key update of i skip locked
        """
    ) { row in try ImportRecord(row) }

    static let isNewestFirst = Statement(
        by: "statement_import_pkey",
        "select is_newest_first from ledger.statement_import where id = $1"
    ) { row in try row.bool(0) }

    static let giveUp = Statement<Void>(
        by: "statement_import_pkey",
        """
        update ledger.statement_import
        set state = case state when 'committing' then 'preview' else 'committed' end,
            refusal = $2, version = version + 1
        where id = $1 and state in ('committing', 'withdrawing')
        """
    )

    static let finish = Statement<Void>(
        by: "statement_import_pkey",
        """
        update ledger.statement_import
        set state = $2, duplicate_count = $3, refusal = null, version = version + 1
        where id = $1
        """
    )

    /// Those that bring money, or those that take some; a category that is gone meanwhile is none.
    static let rows = Statement(
        by: "import_row_pkey, category_pkey, money_transaction_pkey",
        """
        select r.place, day, amount, r.name, description, kept.id,
            case when not is_match_declined then match_import end, match_place, merge_transaction,
            known_transaction is not null and exists (
                select from ledger.money_transaction
                where id = known_transaction and reversed_by is null)
        from ledger.import_row as r
        left join ledger.category as kept on kept.id = category_id and kept.deleted_at is null
        where import_id = $1 and r.place > $2 and is_included and (amount < 0) = $4
        order by r.place
        limit $3
        """
    ) { row in
        let importID = try row.value(6, as: ID<StatementImport>?.self)
        let place = try row.value(7, as: Int32?.self)
        var match: ImportPlace?
        if let importID, let place { match = ImportPlace(importID: importID, place: place) }
        return try ImportedRow(
            place: row.int32(0),
            day: row.value(1),
            amount: row.int64(2),
            name: row.string(3),
            description: row.value(4),
            category: row.value(5),
            match: match,
            merge: row.value(8),
            isKnown: row.bool(9)
        )
    }

    /// What another import has taken in stays out.
    static let claim = Statement(
        by: "import_row_pkey",
        """
        insert into ledger.imported_row (account_id, fingerprint, occurrence, import_id, place,
            day, amount, transaction_id, kept_day)
        select $2, fingerprint, occurrence, import_id, r.place, day, amount, given.id,
            given.kept_day
        from unnest($3::int[], $4::uuid[], $5::date[]) as given (place, id, kept_day)
        join ledger.import_row as r on r.import_id = $1 and r.place = given.place
        order by r.place
        on conflict do nothing
        returning place
        """
    ) { row in try row.int32(0) }

    static let release = Statement<Void>(
        by: "imported_row_import_id_idx",
        "delete from ledger.imported_row where import_id = $1"
    )

    /// Import_match's two keys: what came of each row.
    ///
    /// Those that took money, or those that brought some, as they stand now.
    static let results = Statement(
        by: "imported_row_import_id_idx, money_transaction_pkey",
        """
        select had.place, had.transaction_id,
            case when last.reversed_by is null then last.account_id end, later.transfer_id,
            later.other_import_id, later.other_place, earlier.transfer_id, earlier.import_id,
            earlier.place
        from ledger.imported_row as had
        left join lateral (
            select account_id, reversed_by, amount from ledger.money_transaction
            where id = had.transaction_id order by version desc limit 1
        ) as last on true
        left join ledger.import_match as later
            on later.import_id = had.import_id and later.place = had.place
        left join ledger.import_match as earlier
            on earlier.other_import_id = had.import_id and earlier.other_place = had.place
        where had.import_id = $1 and had.place > $2 and had.kept_day is null
            and (coalesce(last.amount, had.amount) < 0) = $4
        order by had.place
        limit $3
        """
    ) { row in
        let later = try row.value(3, as: ID<Transfer>?.self)
        let earlier = try row.value(6, as: ID<Transfer>?.self)
        var match: ImportResult.Match?
        if let later {
            let other = try ImportPlace(importID: row.value(4), place: row.int32(5))
            match = ImportResult.Match(transfer: later, other: other, isLater: true)
        } else if let earlier {
            let other = try ImportPlace(importID: row.value(7), place: row.int32(8))
            match = ImportResult.Match(transfer: earlier, other: other, isLater: false)
        }
        return try ImportResult(
            place: row.int32(0),
            transaction: row.value(1),
            account: row.value(2),
            match: match
        )
    }

    static let insertMatch = Statement<Void>(
        """
        insert into ledger.import_match
            (import_id, place, other_import_id, other_place, transfer_id)
        values ($1, $2, $3, $4, $5)
        """
    )

    static let deleteMatch = Statement<Void>(
        by: "import_match_pkey",
        "delete from ledger.import_match where import_id = $1 and place = $2"
    )

    static let transaction = Statement(
        by: "imported_row_import_id_idx",
        "select transaction_id from ledger.imported_row where import_id = $1 and place = $2"
    ) { row in try row.value(0, as: ID<MoneyTransaction>.self) }

    static let latestVersion = Statement(
        by: "money_transaction_pkey",
        """
        select version from ledger.money_transaction where id = $1 order by version desc limit 1
        """
    ) { row in try row.int32(0) }

    static let transfer = Statement(
        by: "entry_pkey, transfer_terms_pkey",
        """
        select from_account, to_account, from_transaction from ledger.transfer where id = $1
        """
    ) { row in
        try (
            source: row.value(0, as: ID<Account>.self),
            target: row.value(1, as: ID<Account>.self),
            transaction: row.value(2, as: ID<MoneyTransaction>.self)
        )
    }
}

/// What came of a row that was taken in.
struct ImportResult: Sendable {
    /// The transfer that it is one side of.
    struct Match: Sendable {
        let transfer: ID<Transfer>
        /// The other account's row.
        let other: ImportPlace
        /// Whether this row came after the other.
        let isLater: Bool
    }

    let place: Int32
    let transaction: ID<MoneyTransaction>
    /// Where the transaction stands now; nil where it was deleted or became part of a transfer.
    let account: ID<Account>?
    let match: Match?
}
