import BankFiles
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of statements, all of which run in one snapshot; each names the index that serves it.
enum StatementStatements {
    /// The account of a statement, for whoever may have one.
    ///
    /// The one place that decides it; closed ones have them, too.
    static let account = Statement(
        by: "account_pkey, person_pkey, account_member_",
        """
        select account.id, coalesce(name, ''), iban, account.currency, display_name
        from ledger.account
        join ledger.person on person.user_id = account.user_id
        where account.id = $2 and kind <> 'receivable' and erased_at is null and (
            account.user_id = $1 or exists (
                select from ledger.account_member
                where account_id = account.id and account_member.user_id = $1 and left_at is null
            )
        )
        """
    ) { row in
        try StatementAccount(
            id: row.value(0),
            name: row.string(1),
            iban: row.value(2),
            currency: row.value(3),
            owner: row.string(4)
        )
    }

    /// The journal's balance is that of all its days.
    ///
    /// Less what came on the first day and after it is the opening one. What a wallet was opened
    /// with has no day of its own, and counts as before them all.
    static let sums = Statement(
        by: "balance_pkey, money_transaction_account_idx",
        """
        select (coalesce((select amount from ledger.balance where account_id = $1), 0)
                - coalesce(sum(t.amount), 0))::text,
            coalesce(sum(t.amount) filter (where t.day <= $3 and t.amount >= 0), 0)::text,
            coalesce(sum(t.amount) filter (where t.day <= $3 and t.amount < 0), 0)::text,
            count(*) filter (where t.day <= $3 and t.amount >= 0),
            count(*) filter (where t.day <= $3 and t.amount < 0),
            coalesce(max(abs(t.amount::numeric)) filter (where t.day <= $3), 0)::text
        from ledger.money_transaction as t
        where t.account_id = $1 and t.reversed_by is null and t.day >= $2
        """
    ) { row in
        try StatementSums(
            opening: wide(row, 0),
            credits: wide(row, 1),
            debits: wide(row, 2),
            creditCount: row.int64(3),
            debitCount: row.int64(4),
            largest: wide(row, 5)
        )
    }

    /// Then a look-up each by category_pkey, entry_pkey, transfer_terms_pkey and account_pkey.
    static let lines = Statement(
        by: "money_transaction_account_idx",
        """
        select t.id, t.day, t.amount, coalesce(t.name, category.name, ''),
            coalesce(t.description, side.reference, ''), coalesce(category.name, ''), other.iban,
            t.transfer_id is not null
        from (
            select * from ledger.money_transaction
            where account_id = $1 and reversed_by is null and (day, id) > ($2, $3) and day <= $4
            order by day, id
            limit $5
        ) as t
        left join lateral (
            select name from ledger.category where id = t.category_id limit 1
        ) as category on true
        left join lateral (
            select reference,
                case when from_transaction = t.id then to_account else from_account end as id
            from ledger.transfer where id = t.transfer_id limit 1
        ) as side on true
        left join lateral (
            select iban from ledger.account where id = side.id limit 1
        ) as other on true
        order by t.day, t.id
        """
    ) { row in
        try StatementLine(
            id: row.value(0),
            day: row.value(1),
            amount: row.int64(2),
            name: row.string(3),
            description: row.string(4),
            category: row.string(5),
            counterIBAN: row.value(6),
            isTransfer: row.bool(7)
        )
    }

    /// More than 64 bits.
    static func wide(
        _ row: borrowing PostgresRow,
        _ column: Int
    ) throws -> Int128 {
        let text = try row.string(column)
        guard let value = Int128(text) else { throw row.problem(column, "is no whole number") }
        return value
    }
}

/// An account as its statement names it.
struct StatementAccount: Sendable {
    let id: ID<Account>
    let name: String
    let iban: String?
    let currency: Currency
    let owner: String
}

/// What the lines of some days come to.
struct StatementSums: Sendable {
    let opening: Int128
    let credits: Int128
    let debits: Int128
    let creditCount: Int64
    let debitCount: Int64
    /// The largest magnitude of a line.
    let largest: Int128
}
