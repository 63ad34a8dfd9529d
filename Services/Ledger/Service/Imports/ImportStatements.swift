import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of previews.
enum ImportStatements {
    static let insert = Statement<Void>(
        """
        insert into ledger.statement_import (id, user_id, account_id, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults, columns, mapping, account_number,
            fault_count, file_bytes, balance_fault, mapping_from, proposed_mapping)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19)
        """
    )

    /// What another reading of the same file says.
    static let replace = Statement<Void>(
        by: "statement_import_pkey",
        """
        update ledger.statement_import
        set opening = $2, closing = $3, from_day = $4, to_day = $5, row_count = $6, faults = $7,
            columns = $8, mapping = $9, fault_count = $10, balance_fault = $11,
            mapping_from = null, accepts_balances = false, duplicate_count = $12, refusal = null,
            account_number = $13, proposed_mapping = $14
        where id = $1
        """
    )

    /// Which end of the file is the newest.
    static let setOrder = Statement<Void>(
        by: "statement_import_pkey",
        "update ledger.statement_import set is_newest_first = $2 where id = $1"
    )

    static let insertFile = Statement<Void>(
        "insert into ledger.import_file (import_id, part, content) values ($1, $2, $3)"
    )

    static let file = Statement(
        by: "import_file_pkey",
        "select content from ledger.import_file where import_id = $1 order by part limit 100"
    ) { row in try row.value(0, as: [UInt8].self) }

    static let forgetFile = Statement<Void>(
        by: "import_file_pkey",
        "delete from ledger.import_file where import_id = $1"
    )

    static let copyRows = CopyStatement(
        """
        copy ledger.import_row (import_id, place, line, day, amount, name, description,
            counterparty, end_to_end, fingerprint, occurrence, category_id, is_duplicate,
            known_transaction, look_alikes)
        from stdin (format binary)
        """
    )

    static let deleteRows = Statement<Void>(
        by: "import_row_pkey",
        "delete from ledger.import_row where import_id = $1"
    )

    /// It is another than it was.
    static let touch = Statement<Void>(
        by: "statement_import_pkey",
        "update ledger.statement_import set version = version + 1 where id = $1"
    )

    static let acceptBalances = Statement<Void>(
        by: "statement_import_pkey",
        "update ledger.statement_import set accepts_balances = $2 where id = $1"
    )

    static let find = Statement(
        by: "statement_import_",
        """
        select i.id, i.user_id, account_id, currency, i.state, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults, refusal, created_at,
            columns, mapping, i.version, account_number,
            coalesce(fault_count, jsonb_array_length(faults)), balance_fault, accepts_balances,
            mapping_from, proposed_mapping, differences
        from ledger.statement_import as i join ledger.account on account.id = account_id
        where i.id = $2 and i.user_id = $1
        """
    ) { row in try ImportRecord(row) }

    /// Nothing else changes it meanwhile.
    static let lock = Statement(
        by: "statement_import_",
        """
        select i.id, i.user_id, account_id, currency, i.state, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults, refusal, created_at,
            columns, mapping, i.version, account_number,
            coalesce(fault_count, jsonb_array_length(faults)), balance_fault, accepts_balances,
            mapping_from, proposed_mapping, differences
        from ledger.statement_import as i join ledger.account on account.id = account_id
        where i.id = $2 and i.user_id = $1
        for no key update of i
        """
    ) { row in try ImportRecord(row) }

    static let rows = Statement(
        by: "import_row_pkey, imported_row_import_id_idx",
        """
        select r.place, r.line, r.day, r.amount, r.name, r.description, r.counterparty,
            r.is_duplicate, r.is_included, r.category_id, r.match_account, had.transaction_id,
            had.day, other.name, r.known_transaction, r.look_alikes, r.merge_transaction
        from ledger.import_row as r
        left join ledger.imported_row as had
            on had.import_id = r.match_import and had.place = r.match_place
        left join ledger.import_row as other
            on other.import_id = r.match_import and other.place = r.match_place
        where r.import_id = $1 and r.place > $3
        order by r.place
        limit $2
        """
    ) { row in
        let account = try row.value(10, as: ID<Account>?.self)
        let transaction = try row.value(11, as: ID<MoneyTransaction>?.self)
        let day = try row.value(12, as: Day?.self)
        let name = try row.value(13, as: String?.self)
        var transfer: ImportTransfer?
        if let account, let transaction, let day, let name {
            transfer = ImportTransfer(
                accountID: account,
                transactionID: transaction,
                date: day,
                name: name
            )
        }
        let shown = try StoredImportRow(
            place: row.int32(0),
            line: row.int32(1),
            day: row.value(2),
            amount: row.int64(3),
            name: row.string(4),
            description: row.value(5),
            counterparty: row.value(6),
            isDuplicate: row.bool(7),
            isIncluded: row.bool(8),
            category: row.value(9),
            transfer: transfer,
            known: row.value(14),
            lookAlikes: row.value(15, as: [ID<MoneyTransaction>]?.self) ?? [],
            merge: row.value(16)
        )
        return shown
    }

    /// From one state to another, by whoever is first; balances that do not tie are taken in only
    /// where that is accepted.
    static let advance = Statement<Void>(
        by: "statement_import_pkey",
        """
        update ledger.statement_import set state = $3, refusal = null, version = version + 1
        where id = $1 and state = $2
            and ($3 <> 'committing' or balance_fault is null or accepts_balances)
        """
    )

    /// Of one version, or of any; its rows go after it.
    static let drop = Statement<Void>(
        by: "statement_import_",
        """
        delete from ledger.statement_import
        where id = $1 and state = 'preview' and ($2::int is null or version = $2)
        """
    )

    /// How many a person has, and their files' bytes.
    static let previews = Statement(
        by: "statement_import_user_preview_idx",
        """
        select count(*), coalesce(sum(file_bytes), 0)::bigint from ledger.statement_import
        where user_id = $1 and state = 'preview'
        """
    ) { row in try (count: row.int64(0), bytes: row.int64(1)) }

    /// One of them, for each may have as many rows as a statement has time for.
    static let deleteOldPreview = Statement(
        by: "statement_import_preview_idx",
        """
        delete from ledger.statement_import
        where state = 'preview' and id = any (array(
            select id from ledger.statement_import
            where state = 'preview' and created_at < now() - interval '7 days'
            order by created_at
            limit 1
            for update skip locked))
        returning id
        """
    ) { row in try row.value(0, as: ID<StatementImport>.self) }

    /// It stays so until the transaction ends; nothing while worked on.
    static let shareState = Statement(
        by: "statement_import_pkey",
        "select state from ledger.statement_import where id = $1 for share skip locked"
    ) { row in try row.string(0) }

    // MARK: What is told of rows

    static let includeRows = Statement<Void>(
        by: "import_row_pkey",
        """
        update ledger.import_row as r set is_included = given.is_included
        from unnest($2::int[], $3::bool[]) as given (place, is_included)
        where r.import_id = $1 and r.place = given.place
        """
    )

    static let categorizeRows = Statement<Void>(
        by: "import_row_pkey",
        """
        update ledger.import_row as r set category_id = nullif(given.category, '')::uuid
        from unnest($2::int[], $3::text[]) as given (place, category)
        where r.import_id = $1 and r.place = given.place
        """
    )

    static let declineMatches = Statement<Void>(
        by: "import_row_pkey",
        """
        update ledger.import_row as r set is_match_declined = given.is_declined
        from unnest($2::int[], $3::bool[]) as given (place, is_declined)
        where r.import_id = $1 and r.place = given.place
        """
    )

    static let mergeRows = Statement<Void>(
        by: "import_row_pkey",
        """
        update ledger.import_row as r set merge_transaction = given.merge
        from unnest($2::int[], $3::uuid[]) as given (place, merge)
        where r.import_id = $1 and r.place = given.place
        """
    )

    /// What some rows look like.
    static let lookAlikes = Statement(
        by: "import_row_pkey",
        """
        select place, look_alikes from ledger.import_row
        where import_id = $1 and place = any ($2) and look_alikes is not null
        limit 200000
        """
    ) { row in
        try (place: row.int32(0), transactions: row.value(1, as: [ID<MoneyTransaction>].self))
    }

    static let rowCount = Statement(
        by: "statement_import_pkey",
        "select row_count from ledger.statement_import where id = $1"
    ) { row in try row.int32(0) }

    /// The places of what stands on some lines.
    static let onLines = Statement(
        by: "import_row_pkey",
        """
        select line, place from ledger.import_row
        where import_id = $1 and line = any($2)
        order by place
        limit 200000
        """
    ) { row in try (line: row.int32(0), place: row.int32(1)) }

    /// Those of them that are the person's.
    static let knownCategories = Statement(
        by: "category_",
        """
        select id from ledger.category
        where id = any($2) and user_id = $1 and deleted_at is null
        limit 10000
        """
    ) { row in try row.value(0, as: CategoryID.self) }
}
