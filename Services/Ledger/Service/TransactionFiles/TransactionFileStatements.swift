import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of files of transactions; each statement names the index that serves it.
///
/// The rows are the list's own (`TransactionListStatements`).
enum TransactionFileStatements {
    /// What accounts that somebody sees are called; those of `TransactionStatements.accounts`.
    static let accounts = Statement(
        by: "account_user_id_idx, account_member_",
        """
        select id, coalesce(name, ''), currency, user_id = $1, opened_at from ledger.account
        where user_id = $1 and kind <> 'receivable'
        union all
        select account.id, coalesce(name, ''), currency, false, opened_at
        from ledger.account_member as member
        join ledger.account on account.id = member.account_id
        where member.user_id = $1 and left_at is null
        order by id
        """
    ) { row in
        try FileAccount(
            id: row.value(0),
            name: row.string(1),
            currency: row.value(2),
            isOwn: row.bool(3),
            openedAt: row.value(4)
        )
    }

    /// Folders that somebody is in.
    static let folders = Statement(
        by: "folder_member_, folder_pkey",
        """
        select f.id, f.name from ledger.folder_member as mine
        join ledger.folder as f on f.id = mine.folder_id
        where mine.user_id = $1 and mine.left_at is null
        """
    ) { row in try (id: row.value(0, as: ID<Folder>.self), name: row.string(1)) }

    /// What each account held before a day, or before all of its rows; and its first row's day.
    static let openings = Statement(
        by: "balance_pkey, money_transaction_account_idx",
        """
        select chosen.id, (coalesce(stored.amount, 0) - coalesce((
                select sum(t.amount) from ledger.money_transaction as t
                where t.account_id = chosen.id and t.reversed_by is null
                    and t.day >= coalesce($2::date, '-infinity')
            ), 0))::text,
            (
                select t.day from ledger.money_transaction as t
                where t.account_id = chosen.id and t.reversed_by is null
                order by t.day, t.id
                limit 1
            )
        from unnest($1::uuid[]) as chosen (id)
        left join ledger.balance as stored on stored.account_id = chosen.id
        """
    ) { row in
        try FileOpening(
            account: row.value(0),
            amount: StatementStatements.wide(row, 1),
            firstDay: row.value(2)
        )
    }

    /// The other side of each transfer, and its row as it counts.
    static let sides = Statement(
        by: "entry_pkey, transfer_terms_pkey, account_pkey, money_transaction_pkey",
        """
        select wanted.id, other.id, other.iban, other.currency, side.reference,
            case when not far.is_split then far.amount end
        from unnest($1::uuid[], $2::uuid[]) as wanted (id, transfer)
        cross join lateral (
            select reference,
                case when from_transaction = wanted.id then to_account else from_account
                end as account,
                case when from_transaction = wanted.id then to_transaction
                    else from_transaction end as transaction
            from ledger.transfer where id = wanted.transfer limit 1
        ) as side
        cross join lateral (
            select id, iban, currency from ledger.account where id = side.account limit 1
        ) as other
        left join lateral (
            select amount, is_split from ledger.money_transaction
            where id = side.transaction and reversed_by is null
            order by version desc limit 1
        ) as far on true
        """
    ) { row in
        try (
            id: row.value(0, as: ID<MoneyTransaction>.self),
            side: TransferSide(
                account: row.value(1),
                iban: row.value(2),
                currency: row.value(3),
                reference: row.value(4),
                amount: row.value(5)
            )
        )
    }
}

/// An account as a file names it.
struct FileAccount: Sendable {
    let id: ID<Account>
    let name: String
    let currency: Currency
    let isOwn: Bool
    let openedAt: Instant
}

/// What an account held before a file's rows.
struct FileOpening: Sendable {
    let account: ID<Account>
    let amount: Int128
    let firstDay: Day?
}

/// The other side of a transfer.
struct TransferSide: Sendable {
    let account: ID<Account>
    let iban: String?
    let currency: Currency
    let reference: String?
    /// What its row is of; nil where that has lines, or does not count.
    let amount: Int64?
}
