import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of notices; each statement names the index that serves it.
enum NoticeStatements {
    /// The one that waits for longest, and that nobody is at.
    static let due = Statement(
        by: "allowance_notice_due_idx, allowance_pkey, account_pkey",
        """
        select noticed.account_id, made.family_id, made.user_id, noticed.kind, noticed.amount,
            account.currency
        from ledger.allowance_notice as noticed
        join ledger.allowance as made on made.account_id = noticed.account_id
        join ledger.account on account.id = noticed.account_id
        where noticed.count > 0 and noticed.due_at <= now()
        order by noticed.due_at
        limit 1
        for no key update of noticed skip locked
        """
    ) { row in
        (
            account: try row.value(0, as: ID<Account>.self),
            family: try row.value(1, as: ID<Family>.self),
            child: try row.value(2, as: ID<User>.self),
            notice: try row.word(3, as: AllowanceNotice.self),
            amount: try Total(minorUnits: row.value(4), row.value(5))
        )
    }

    static let publish = Statement<Void>(
        by: "allowance_notice_pkey",
        """
        update ledger.allowance_notice
        set count = 0, amount = 0, due_at = now() + interval '10 minutes'
        where account_id = $1 and kind = $2
        """
    )
}
