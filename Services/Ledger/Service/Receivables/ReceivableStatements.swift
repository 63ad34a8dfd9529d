import Postgres
import ServiceKit
import WalletProtocol

/// What was posted for groups under an id.
struct ReceivablePosting: Sendable {
    /// Absent where it was withdrawn before it was posted.
    let posted: (transaction: ID<MoneyTransaction>, version: Int32)?
    let isWithdrawn: Bool

    init(_ row: borrowing PostgresRow) throws {
        if let transaction = try row.value(0, as: ID<MoneyTransaction>?.self) {
            posted = (transaction, try row.int32(1))
        } else {
            posted = nil
        }
        isWithdrawn = try row.bool(2)
    }
}

/// The SQL of receivables and of what is posted to them; each statement names its index.
enum ReceivableStatements {
    // MARK: Receivables

    /// What others owe somebody in a currency.
    static let find = Statement(
        by: "account_receivable_key",
        """
        select id from ledger.account
        where user_id = $1 and kind = 'receivable' and currency = $2 and state <> 'closed'
        limit 1
        """
    ) { row in try row.value(0, as: ID<Account>.self) }

    /// Made with the first claim; of two at once the second waits, and finds the first's.
    static let open = Statement<Void>(
        by: "account_receivable_key",
        """
        insert into ledger.account (id, user_id, kind, currency, exponent, name)
        values ($1, $2, 'receivable', $3, $4, 'Receivable')
        on conflict (user_id, currency) where kind = 'receivable' do nothing
        """
    )

    /// What is open of somebody's, to be released.
    static let unsettled = Statement(
        by: "account_, balance_pkey",
        """
        select owed.id, balance.amount, owed.currency
        from ledger.account as owed
        join ledger.balance on balance.account_id = owed.id
        where owed.user_id = $1 and owed.kind = 'receivable' and balance.amount <> 0
        order by owed.id
        """
    ) { row in
        (
            account: try row.value(0, as: ID<Account>.self),
            amount: try row.int64(1),
            currency: try row.value(2, as: Currency.self)
        )
    }

    // MARK: What was posted for groups

    static let posting = Statement(
        by: "receivable_posting_pkey",
        """
        select transaction_id, version, is_withdrawn from ledger.receivable_posting
        where user_id = $1 and id = $2 and is_clearing = $3
        """
    ) { row in try ReceivablePosting(row) }

    /// Two calls at once come one after another.
    static let lock = Statement(
        by: "receivable_posting_pkey",
        """
        select transaction_id, version, is_withdrawn from ledger.receivable_posting
        where user_id = $1 and id = $2 and is_clearing = $3
        for no key update
        """
    ) { row in try ReceivablePosting(row) }

    /// One row where nobody was quicker; whoever comes second waits until the first has ended.
    static let insert = Statement<Void>(
        by: "receivable_posting_pkey",
        """
        insert into ledger.receivable_posting
            (user_id, id, is_clearing, transaction_id, version, is_withdrawn)
        values ($1, $2, $3, $4, $5, $4::uuid is null)
        on conflict (user_id, id, is_clearing) do nothing
        """
    )

    static let advance = Statement<Void>(
        by: "receivable_posting_pkey",
        """
        update ledger.receivable_posting set version = $4
        where user_id = $1 and id = $2 and is_clearing = $3
        """
    )

    static let withdraw = Statement<Void>(
        by: "receivable_posting_pkey",
        """
        update ledger.receivable_posting set is_withdrawn = true
        where user_id = $1 and id = $2 and is_clearing = $3
        """
    )

    /// money_transaction_pkey: the last version, and whether it counts.
    static func last(
        of transaction: ID<MoneyTransaction>
    ) -> BoundStatement<(row: TransactionRow, isCurrent: Bool)> {
        var builder = StatementBuilder(TransactionStatements.select)
        builder.append(
            """
            , t.reversed_by is null
            from (
                select * from ledger.money_transaction
                where id = $1 order by version desc limit 1
            ) as t
            join ledger.account as a on a.id = t.account_id
            """,
            transaction
        )
        return builder.statement { row in
            (row: try TransactionRow(row), isCurrent: try row.bool(22))
        }
    }
}
