import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of finding own accounts' rows that tell of the same money.
enum OwnTransferStatements {
    /// What each open account is known by, and whether anything was imported into it.
    static let numbers = Statement(
        by: "account_user_id_idx, statement_import_account_idx, imported_row_",
        """
        select id, iban, array(
            select distinct account_number from ledger.statement_import
            where account_id = account.id and account_number is not null and state = 'committed'
            limit 20), exists (
            select from ledger.imported_row where account_id = account.id)
        from ledger.account
        where user_id = $1 and state = 'open'
        order by id
        limit 1000
        """
    ) { row in
        try (
            account: row.value(0, as: ID<Account>.self),
            iban: row.value(1, as: String?.self),
            others: row.value(2, as: [String].self),
            hasRows: row.bool(3)
        )
    }

    /// Rows with evidence of one kind or another.
    static let candidates = Statement(
        by:
            "import_row_pkey, account_user_id_idx, imported_row_amount_idx, money_transaction_pkey",
        """
        select r.place, own.id, had.import_id, had.place, r.counterparty, other.counterparty,
            coalesce(r.end_to_end = other.end_to_end, false),
            owner.display_name <> '' and lower(r.name) = lower(owner.display_name)
                and lower(other.name) = lower(owner.display_name)
        from ledger.import_row as r
        join ledger.person as owner on owner.user_id = $2
        join ledger.account as own on own.user_id = $2
        cross join lateral (
            select import_id, place, transaction_id from ledger.imported_row
            where account_id = own.id and amount = -r.amount and kept_day is null
                and day between r.day - $5::int and r.day + $5::int
            order by day
            limit 20
        ) as had
        join ledger.import_row as other
            on other.import_id = had.import_id and other.place = had.place
        cross join lateral (
            select account_id, amount, transfer_id, reversed_by from ledger.money_transaction
            where id = had.transaction_id order by version desc limit 1
        ) as last
        where r.import_id = $1 and own.id <> $3 and own.currency = $4 and own.state = 'open'
            and r.is_included and not r.is_duplicate and not r.is_match_declined and r.amount <> 0
            and r.merge_transaction is null
            and (r.counterparty is not null or other.counterparty is not null
                or r.end_to_end = other.end_to_end
                or lower(r.name) = lower(owner.display_name))
            and last.reversed_by is null and last.transfer_id is null
            and last.account_id = own.id and last.amount = -r.amount
        order by r.place
        limit 200000
        """
    ) { row in
        try OwnTransferCandidate(
            place: row.int32(0),
            account: row.value(1),
            other: ImportPlace(importID: row.value(2), place: row.int32(3)),
            counterparty: row.value(4),
            otherCounterparty: row.value(5),
            sameEndToEnd: row.bool(6),
            sameOwner: row.bool(7)
        )
    }

    static let clear = Statement<Void>(
        by: "import_row_pkey",
        """
        update ledger.import_row
        set match_account = null, match_import = null, match_place = null
        where import_id = $1 and match_import is not null
        """
    )

    static let mark = Statement<Void>(
        by: "import_row_pkey",
        """
        update ledger.import_row as r
        set match_account = given.account, match_import = given.import,
            match_place = given.other_place
        from unnest($2::int[], $3::uuid[], $4::uuid[], $5::int[])
            as given (place, account, import, other_place)
        where r.import_id = $1 and r.place = given.place
        """
    )
}

extension Transaction {
    /// Marks the rows of a preview that match one of another own account, and no others.
    func matchOwnTransfers(_ work: ImportRecord) async throws {
        try await execute(OwnTransferStatements.clear, work.id)
        var numbers: [ID<Account>: [String]] = [:]
        var isElsewhere = false
        for known in try await query(OwnTransferStatements.numbers, work.user) {
            numbers[known.account] = known.others + [known.iban].compactMap { $0 }
            if known.hasRows, known.account != work.account { isElsewhere = true }
        }
        guard isElsewhere else { return }
        if let own = work.accountNumber { numbers[work.account, default: []].append(own) }
        let candidates = try await query(
            OwnTransferStatements.candidates,
            work.id,
            work.user,
            work.account,
            work.currency,
            Int32(OwnTransfers.daysMax)
        )
        let pairs = OwnTransfers(numbers: numbers, account: work.account).pairs(among: candidates)
        guard !pairs.isEmpty else { return }
        try await execute(
            OwnTransferStatements.mark,
            work.id,
            pairs.map(\.place),
            pairs.map(\.account),
            pairs.map(\.other.importID),
            pairs.map(\.other.place)
        )
    }
}
