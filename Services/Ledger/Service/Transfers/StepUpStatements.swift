import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what has been sent; each statement names the index that serves it.
enum StepUpStatements {
    /// One transfer of a person is announced at a time.
    static let lock = Statement<Void>(
        "select pg_advisory_xact_lock(hashtextextended($1::text, 4998))"
    )

    /// What has been posted counts as such, what was refused not at all.
    static let deleteDecided = Statement<Void>(
        by: "sending_pkey, entry_op_key, operation_pkey",
        """
        delete from ledger.sending
        where user_id = $1 and (
            ends_at < now()
            or exists (select from ledger.entry where entry.op = sending.op)
            or exists (select from ledger.operation where operation.op = sending.op)
        )
        """
    )

    /// What was posted; transfer_pending_from_idx: what is held, which goes without another word of
    /// whoever sent it; sending_pkey: what is being posted, but for this transfer itself, which may
    /// have been asked for before; standing_order_unproved_idx: what is about to be sent.
    ///
    /// A transaction's id tells when it was made, and its day is the one where the person is: one
    /// of four days within the last 24 hours, so that four short ranges of the index are read, of
    /// however many transactions.
    static let sent = Statement(
        by: "money_transaction_user_idx, standing_order_",
        """
        select account.currency,
            least(coalesce(sum(lines.amount), 0), 9223372036854775807)::bigint,
            sum(lines.count)::bigint
        from (
            select account_id, -sum(amount) filter (
                    where amount < 0 and transfer_id is not null and not own_transfer
                ) as amount, count(*) as count
            from (
                select account_id, amount, transfer_id, own_transfer
                from ledger.money_transaction
                where user_id = $1 and reversed_by is null and id >= $2
                    and day = any (array[$3::date - 2, $3::date - 1, $3::date, $3::date + 1])
                limit $5
            ) as made
            group by account_id
        ) as lines
        join ledger.account on account.id = lines.account_id
        group by account.currency
        union all
        select account.currency,
            least(coalesce(sum(held.amount), 0), 9223372036854775807)::bigint,
            sum(held.count)::bigint
        from ledger.account
        cross join lateral (
            select sum(debit_amount) as amount, count(*) as count
            from (
                select debit_amount, to_account from ledger.transfer_terms as terms
                where from_account = account.id and state = 'pending' and terms.id >= $2
                limit $5
            ) as pending
            where not exists (
                select from ledger.account as payee
                where payee.id = to_account and payee.user_id = $1
            )
        ) as held
        where account.user_id = $1
        group by account.currency
        union all
        select currency, amount, 0
        from ledger.sending
        where user_id = $1 and op <> $4 and ends_at >= now()
            and not exists (select from ledger.entry where entry.op = sending.op)
            and not exists (select from ledger.operation where operation.op = sending.op)
        union all
        select currency, amount, 0
        from ledger.standing_order as standing
        where user_id = $1 and deleted_at is null and not is_own and not is_proved
            and (look_at < now() + interval '1 day' or $6::uuid is not null)
            and id is distinct from $6::uuid
        """
    ) { row in
        (
            currency: try row.value(0, as: Currency.self),
            amount: try row.int64(1),
            lines: try row.int64(2)
        )
    }

    static let announce = Statement<Void>(
        by: "sending_pkey",
        """
        insert into ledger.sending (user_id, op, currency, amount, ends_at)
        values ($1, $2, $3, $4, now() + make_interval(secs => $5::int4))
        on conflict (user_id, op) do update
        set currency = excluded.currency, amount = excluded.amount, ends_at = excluded.ends_at
        """
    )

    static let withdraw = Statement<Void>(
        by: "sending_pkey",
        "delete from ledger.sending where user_id = $1 and op = $2"
    )

    static let deleteOld = Statement<Void>(
        by: "sending_ends_at_idx",
        "delete from ledger.sending where ends_at < now()"
    )
}
