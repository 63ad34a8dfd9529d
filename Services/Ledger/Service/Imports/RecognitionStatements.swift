import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of finding what an account has already of a file's rows.
enum RecognitionStatements {
    /// Whether anything was ever imported into it.
    static let hasImported = Statement(
        by: "imported_row_",
        "select exists (select from ledger.imported_row where account_id = $1)"
    ) { row in try row.bool(0) }

    /// Which of these have come before, and what they are.
    static let imported = Statement(
        by: "imported_row_pkey",
        """
        select given.place, had.transaction_id
        from unnest($2::int[], $3::bytea[], $4::int[]) as given (place, fingerprint, occurrence)
        cross join lateral (
            select transaction_id from ledger.imported_row
            where account_id = $1 and fingerprint = given.fingerprint
                and occurrence = given.occurrence
            limit 1
        ) as had
        """
    ) { row in
        try (place: row.int32(0), transaction: row.value(1, as: ID<MoneyTransaction>.self))
    }

    /// What was merged, and with the rows of which import.
    static let merged = Statement(
        by: "imported_row_merged_idx",
        """
        select transaction_id, import_id from ledger.imported_row
        where account_id = $1 and kept_day is not null
        limit 1000000
        """
    ) { row in
        try (
            transaction: row.value(0, as: ID<MoneyTransaction>.self),
            importID: row.value(1, as: ID<StatementImport>.self)
        )
    }

    /// Which of these were read from files of one layout.
    ///
    /// What was withdrawn has given up its rows' fingerprints: what it left is to be looked for.
    static let alike = Statement(
        by: "statement_import_pkey",
        """
        select id from ledger.statement_import
        where id = any ($1) and format = $2
            and columns is not distinct from nullif($3, '')::jsonb and state <> 'withdrawn'
        limit 1000000
        """
    ) { row in try row.value(0, as: ID<StatementImport>.self) }

    /// What stands on some days, behind one.
    static let standing = Statement(
        by: "money_transaction_account_idx",
        """
        select id, day, amount, name, description, import_id from ledger.money_transaction
        where account_id = $1 and reversed_by is null and (day, id) > ($2, $3) and day <= $4
        order by day, id
        limit $5
        """
    ) { row in try StandingTransaction(row) }

    /// Those of them that stand on the account.
    static let named = Statement(
        by: "money_transaction_pkey",
        """
        select last.id, last.day, last.amount, last.name, last.description, last.import_id
        from unnest($2::uuid[]) as given (id)
        cross join lateral (
            select * from ledger.money_transaction
            where id = given.id order by version desc limit 1
        ) as last
        where last.account_id = $1 and last.reversed_by is null
        """
    ) { row in try StandingTransaction(row) }

    /// How the account's last files were read.
    static let mappings = Statement(
        by: "statement_import_mapping_idx",
        """
        select id, columns, mapping from ledger.statement_import
        where account_id = $1 and state = 'committed' and mapping is not null
        order by created_at desc
        limit 20
        """
    ) { row in
        let (columns, mapping) = try (
            row.value(1, as: PostgresJSON.self).text, row.value(2, as: PostgresJSON.self).text
        )
        return try RememberedMapping(
            importID: row.value(0),
            columns: JSON.read([String].self, from: Array(columns.utf8)),
            mapping: JSON.read(CSVMapping.self, from: Array(mapping.utf8))
        )
    }
}

extension StandingTransaction {
    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        day = try row.value(1)
        amount = try row.int64(2)
        name = try row.value(3)
        description = try row.value(4)
        importID = try row.value(5)
    }
}
