import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of taking back what was merged.
enum ImportMergeStatements {
    /// Hands what this import brought, and a row of another one was merged with, over to that;
    /// whose it was, and whose it is.
    static let handOver = Statement(
        by: "imported_row_import_id_idx, imported_row_merged_idx",
        """
        with heir as materialized (
            select had.place, next.import_id, next.place as next_place
            from ledger.imported_row as had
            cross join lateral (
                select import_id, place from ledger.imported_row as other
                where account_id = had.account_id and transaction_id = had.transaction_id
                    and kept_day is not null and import_id <> $1
                order by import_id, place
                limit 1
            ) as next
            where had.import_id = $1 and had.kept_day is null
        ), kept as (
            update ledger.imported_row as r set kept_day = null
            from heir
            where r.import_id = heir.import_id and r.place = heir.next_place
        )
        delete from ledger.imported_row as r
        using heir
        where r.import_id = $1 and r.place = heir.place
        returning heir.place, heir.import_id, heir.next_place
        """
    ) { row in
        try (
            place: row.int32(0),
            heir: ImportPlace(importID: row.value(1), place: row.int32(2))
        )
    }

    /// The later row's part in an own transfer is its heir's.
    static let handOverMatch = Statement<Void>(
        by: "import_match_pkey",
        """
        update ledger.import_match set import_id = $3, place = $4
        where import_id = $1 and place = $2
        """
    )

    /// So is the earlier row's.
    static let handOverOtherMatch = Statement<Void>(
        by: "import_match_other_key",
        """
        update ledger.import_match set other_import_id = $3, other_place = $4
        where other_import_id = $1 and other_place = $2
        """
    )

    /// Where another row was merged on top of this import's, that one keeps the day of before both.
    static let passKeptDays = Statement<Void>(
        by: "imported_row_import_id_idx, imported_row_merged_idx",
        """
        update ledger.imported_row as r set kept_day = had.kept_day
        from ledger.imported_row as had
        where had.import_id = $1 and had.kept_day is not null
            and r.account_id = had.account_id and r.transaction_id = had.transaction_id
            and r.kept_day = had.day and r.import_id <> $1
        """
    )

    /// What has a row's day by this import alone, and the day that it had.
    static let merged = Statement(
        by: "imported_row_import_id_idx, imported_row_merged_idx, money_transaction_pkey",
        """
        select had.place, had.transaction_id, had.kept_day
        from ledger.imported_row as had
        cross join lateral (
            select account_id, day, reversed_by, transfer_id from ledger.money_transaction
            where id = had.transaction_id order by version desc limit 1
        ) as last
        where had.import_id = $1 and had.place > $2 and had.kept_day <> had.day
            and last.reversed_by is null and last.day = had.day and last.transfer_id is null
            and last.account_id = had.account_id and not exists (
                select from ledger.imported_row as other
                where other.account_id = had.account_id
                    and other.transaction_id = had.transaction_id
                    and other.kept_day is not null and other.import_id <> $1
                    and other.day = had.day)
        order by had.place
        limit $3
        """
    ) { row in
        try (
            place: row.int32(0),
            transaction: row.value(1, as: ID<MoneyTransaction>.self),
            day: row.value(2, as: Day.self)
        )
    }
}
