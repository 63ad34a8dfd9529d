import JSONCodec
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of imports into groups; each statement names the index that serves it.
enum GroupImportStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.group_import (
            id, group_id, user_id, format, people, summary, duplicate_count, content)
        values ($1, $2, $3, $4, $5::text::json, $6::text::json, $7, $8)
        """
    )

    /// How many previews somebody has.
    static let previews = Statement(
        by: "group_import_user_idx",
        "select count(*) from groups.group_import where user_id = $1 and state = 'preview'"
    ) { row in try row.int64(0) }

    static let find = Statement(
        by: "group_import_",
        """
        select id, group_id, user_id, state, format, people::text, summary::text,
            duplicate_count, leaves_out_errors, version, created_at
        from groups.group_import
        where id = $1 and user_id = $2
        limit 1
        """
    ) { row in try GroupImportRecord(row) }

    /// Nothing else changes it meanwhile.
    static let lock = Statement(
        by: "group_import_",
        """
        select id, group_id, user_id, state, format, people::text, summary::text,
            duplicate_count, leaves_out_errors, version, created_at
        from groups.group_import
        where id = $1 and user_id = $2
        for no key update
        limit 1
        """
    ) { row in try GroupImportRecord(row) }

    static let content = Statement(
        by: "group_import_pkey",
        "select content from groups.group_import where id = $1 and content is not null limit 1"
    ) { row in try row.value(0, as: [UInt8].self) }

    static let change = Statement<Void>(
        by: "group_import_pkey",
        """
        update groups.group_import
        set people = $2::text::json, leaves_out_errors = $3, version = version + 1
        where id = $1
        """
    )

    /// Taken in: the file is needed no more.
    static let commit = Statement<Void>(
        by: "group_import_pkey",
        """
        update groups.group_import
        set state = 'committed', people = $2::text::json, duplicate_count = $3, content = null,
            version = version + 1
        where id = $1
        """
    )

    static let delete = Statement<Void>(
        by: "group_import_pkey",
        "delete from groups.group_import where id = $1"
    )

    /// Those of more than a day ago, some at a time.
    static let deleteOld = Statement<Void>(
        by: "group_import_created_at_idx, group_import_pkey",
        """
        delete from groups.group_import
        where id = any (array(
            select id
            from groups.group_import
            where created_at < now() - interval '1 day'
            order by created_at
            limit 100
            for update skip locked))
        """
    )

    /// Which of these rows the group has.
    static let known = Statement(
        by: "imported_row_pkey",
        """
        select fingerprint, occurrence
        from groups.imported_row
        where group_id = $1 and fingerprint = any($2)
        limit 1000000
        """
    ) { row in
        GroupImportFingerprint(
            digest: try row.value(0, as: [UInt8].self),
            occurrence: try row.int32(1)
        )
    }

    // MARK: Rows by the thousand

    static let copyExpenses = CopyStatement(
        """
        copy groups.expense (group_id, id, name, description, amount, currency, day, split_kind,
            added_by, category_id, payer_ids, paid, bearer_ids, borne, share_values)
        from stdin (format binary)
        """
    )

    static let copyDebts = CopyStatement(
        """
        copy groups.expense_debt (group_id, expense_id, debtor_id, creditor_id, currency, amount)
        from stdin (format binary)
        """
    )

    static let copySettlements = CopyStatement(
        "copy groups.settlement (group_id, id, recorded_by, day) from stdin (format binary)"
    )

    static let copySettlementPayments = CopyStatement(
        """
        copy groups.settlement_payment (group_id, settlement_id, currency, debtor_id, creditor_id,
            amount)
        from stdin (format binary)
        """
    )

    static let copyImported = CopyStatement(
        """
        copy groups.imported_row (group_id, fingerprint, occurrence, expense_id, settlement_id)
        from stdin (format binary)
        """
    )
}
