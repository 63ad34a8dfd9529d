import Postgres
import ServiceKit
import WalletProtocol

/// An import as it is stored, without its rows.
struct ImportRecord: Sendable {
    let id: ID<StatementImport>
    let user: ID<User>
    let account: ID<Account>
    let currency: Currency
    let state: String
    let format: StatementFormat
    let opening: Int64?
    let closing: Int64?
    let from: Day?
    let to: Day?
    let rowCount: Int32
    let duplicateCount: Int32
    let faults: [ImportFault]
    let openingEntry: ID<JournalEntry>?
    let refusal: String?
    let createdAt: Instant

    func view(rows: [ImportRow]) -> ImportView {
        ImportView(
            id: id,
            accountID: account,
            state: shownState,
            format: format,
            rowCount: Int(rowCount),
            duplicateCount: Int(duplicateCount),
            rows: rows,
            errors: faults,
            opening: opening.map { Money(minorUnits: $0, currency) },
            closing: closing.map { Money(minorUnits: $0, currency) },
            from: from,
            to: to,
            createdAt: createdAt
        )
    }

    /// One that is being taken back counts as taken in until it is done.
    private var shownState: ImportState {
        state == "withdrawing" ? .committed : ImportState(rawValue: state) ?? .preview
    }
}

/// A row that is to be posted.
struct ImportedRow: Sendable {
    let place: Int32
    let day: Day
    let amount: Int64
    let name: String
    let description: String?
}

/// The SQL of imports.
enum ImportStatements {
    static let insert = Statement<Void>(
        """
        insert into ledger.statement_import (id, user_id, account_id, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10)
        """
    )

    /// imported_row_pkey: those that the account has already are marked.
    static let insertRows = Statement<Void>(
        """
        insert into ledger.import_row (import_id, place, line, day, amount, name, description,
            fingerprint, occurrence, is_duplicate)
        select $1, place, line, day, amount, name, nullif(description, ''), fingerprint,
            occurrence, exists (
                select from ledger.imported_row as had
                where had.account_id = $10 and had.fingerprint = given.fingerprint
                    and had.occurrence = given.occurrence)
        from unnest($2::int[], $3::int[], $4::date[], $5::bigint[], $6::text[], $7::text[],
                $8::bytea[], $9::int[])
            as given (place, line, day, amount, name, description, fingerprint, occurrence)
        """
    )

    /// statement_import_pkey, import_row_pkey.
    static let countDuplicates = Statement<Void>(
        """
        update ledger.statement_import set duplicate_count = (
            select count(*) from ledger.import_row where import_id = $1 and is_duplicate)
        where id = $1
        """
    )

    /// statement_import_pkey.
    static let find = Statement(
        """
        select i.id, i.user_id, account_id, currency, i.state, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults, opening_entry_id, refusal,
            created_at
        from ledger.statement_import as i join ledger.account on account.id = account_id
        where i.id = $2 and i.user_id = $1
        """
    ) { row in try record(row) }

    /// statement_import_work_idx; whoever is at it holds the row's lock, and loses it when killed.
    static let takeWork = Statement(
        """
        select i.id, i.user_id, account_id, currency, i.state, format, opening, closing,
            from_day, to_day, row_count, duplicate_count, faults, opening_entry_id, refusal,
            created_at
        from ledger.statement_import as i join ledger.account on account.id = account_id
        where i.state in ('committing', 'withdrawing')
        order by created_at
        limit 1
        for no key update of i skip locked
        """
    ) { row in try record(row) }

    private static func record(_ row: borrowing PostgresRow) throws -> ImportRecord {
        let format = try row.string(5)
        guard let format = StatementFormat(rawValue: format) else {
            throw row.problem(5, "\(format) is no format")
        }
        let faults = try row.value(12, as: PostgresJSON.self).text
        return try ImportRecord(
            id: row.value(0),
            user: row.value(1),
            account: row.value(2),
            currency: row.value(3),
            state: row.string(4),
            format: format,
            opening: row.value(6),
            closing: row.value(7),
            from: row.value(8),
            to: row.value(9),
            rowCount: row.int32(10),
            duplicateCount: row.int32(11),
            faults: JSON.read([ImportFault].self, from: Array(faults.utf8)),
            openingEntry: row.value(13),
            refusal: row.value(14),
            createdAt: row.value(15)
        )
    }

    /// import_row_pkey.
    static let firstRows = Statement(
        """
        select line, day, amount, name, description, is_duplicate
        from ledger.import_row where import_id = $1 order by place limit $2
        """
    ) { row in
        try (
            line: row.int32(0),
            day: row.value(1, as: Day.self),
            amount: row.int64(2),
            name: row.string(3),
            description: row.value(4, as: String?.self),
            isDuplicate: row.bool(5)
        )
    }

    /// statement_import_pkey: from one state to another, by whoever is first.
    static let advance = Statement<Void>(
        """
        update ledger.statement_import set state = $3, refusal = null
        where id = $1 and state = $2
        """
    )

    /// statement_import_pkey.
    static let giveUp = Statement<Void>(
        """
        update ledger.statement_import
        set state = case state when 'committing' then 'preview' else 'committed' end, refusal = $2
        where id = $1 and state in ('committing', 'withdrawing')
        """
    )

    /// statement_import_pkey.
    static let finish = Statement<Void>(
        """
        update ledger.statement_import
        set state = $2, opening_entry_id = $3, duplicate_count = $4, refusal = null
        where id = $1
        """
    )

    /// statement_import_pkey; its rows go with it.
    static let drop = Statement<Void>(
        "delete from ledger.statement_import where id = $1 and state = 'preview'"
    )

    /// statement_import_preview_idx.
    static let deleteOldPreviews = Statement<Void>(
        """
        delete from ledger.statement_import
        where state = 'preview' and created_at < now() - interval '7 days'
        """
    )

    /// imported_row_pkey: what another import has taken in stays out.
    static let claim = Statement<Void>(
        """
        insert into ledger.imported_row (account_id, fingerprint, occurrence, import_id, place)
        select $2, fingerprint, occurrence, import_id, place
        from ledger.import_row where import_id = $1
        order by fingerprint, occurrence
        on conflict do nothing
        """
    )

    /// imported_row_import_id_idx, import_row_pkey.
    static let claimed = Statement(
        """
        select r.place, day, amount, name, description
        from ledger.imported_row as had
        join ledger.import_row as r on r.import_id = had.import_id and r.place = had.place
        where had.import_id = $1 and had.place > $2
        order by had.place
        limit $3
        """
    ) { row in
        try ImportedRow(
            place: row.int32(0),
            day: row.value(1),
            amount: row.int64(2),
            name: row.string(3),
            description: row.value(4)
        )
    }

    /// imported_row_import_id_idx.
    static let release = Statement<Void>("delete from ledger.imported_row where import_id = $1")

    /// statement_import_pkey: it stays so until the transaction ends; nothing while worked on.
    static let shareState = Statement(
        "select state from ledger.statement_import where id = $1 for share skip locked"
    ) { row in try row.string(0) }

    /// money_transaction_import_idx.
    static let transactions = Statement(
        """
        select id, account_id, version from ledger.money_transaction
        where import_id = $1 and reversed_by is null
        limit $2
        """
    ) { row in
        try (
            id: row.value(0, as: ID<MoneyTransaction>.self),
            account: row.value(1, as: ID<Account>.self),
            version: row.int32(2)
        )
    }
}
