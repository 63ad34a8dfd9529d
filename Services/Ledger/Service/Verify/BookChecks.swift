import Postgres
import WalletProtocol

/// A row that is not as it must be, on its way out of the walk.
struct WrongRow: Error, Equatable {
    let table: String
    let row: String
    let what: String

    init(_ table: String, _ row: String, _ what: String) {
        (self.table, self.row, self.what) = (table, row, what)
    }

    var fault: LedgerFault { LedgerFault(table: table, row: row, what: what) }
}

/// What must hold between the rows of the books, whatever the chain says: each check names the
/// first row where it does not.
///
/// They read everything, by design, with bounded memory: what does not fit is sorted on disk.
/// Belongs into one snapshot.
enum BookChecks {
    /// In the order in which they are made; each with what it is over, and whether it is told the
    /// chain's name.
    static let all: [(what: String, statement: Statement<WrongRow>, takesChain: Bool)] = [
        ("movements", movements, false), ("accounts", accounts, true),
        ("transactions", transactions, false), ("lines", lines, false), ("claims", claims, false),
        ("transfers", transfers, false), ("blocks", strayBlocks, true),
        (last, trialBalance, false),
    ]
    /// The one that reads sums and finds the rest by indexes; the others read whole tables.
    static let last = "trial balance"

    private static func wrong(_ row: borrowing PostgresRow) throws -> WrongRow {
        try WrongRow(row.string(0), row.string(1), row.string(2))
    }

    /// Each movement belongs to an entry, and moves money of one currency between two accounts.
    static let movements = Statement(
        """
        select 'ledger.movement', m.entry_id || ' ' || m.number, case
            when e.id is null then 'belongs to no entry'
            when d.id is null or c.id is null then 'moves money of an account that is not there'
            when m.debit_account = m.credit_account then 'moves money within one account'
            when m.amount <= 0 then 'moves no money'
            when m.currency <> d.currency or m.currency <> c.currency
                then 'is not in the currency of its accounts'
            else 'has a place in the history of a system account, or none in a person''s'
        end
        from ledger.movement as m
        left join ledger.entry as e on e.id = m.entry_id
        left join ledger.account as d on d.id = m.debit_account
        left join ledger.account as c on c.id = m.credit_account
        where e.id is null or d.id is null or c.id is null
            or m.debit_account = m.credit_account or m.amount <= 0
            or m.currency <> d.currency or m.currency <> c.currency
            or (m.debit_seq is null) <> (d.user_id is null)
            or (m.credit_seq is null) <> (c.user_id is null)
        order by m.entry_id, m.number
        limit 1
        """
    ) { row in try wrong(row) }

    /// Stored balances and the blocks' sums against the movements.
    ///
    /// That places have no gap and no double shows in their number, bounds, sum and sum of squares.
    static let accounts = Statement(
        """
        with moved as (
            select account_id, count(*) as total, count(seq) as placed,
                sum(amount) as amount, min(seq) as first, max(seq) as last,
                sum(seq) as seqs,
                sum(case when seq between 0 and 2147483647 then seq * seq end) as squares
            from (
                select debit_account as account_id, debit_seq as seq, -amount as amount
                from ledger.movement
                union all
                select credit_account, credit_seq, amount
                from ledger.movement
                union all
                -- Lines of which nothing moves have places, too.
                select t.account_id, t.seq, 0
                from ledger.money_transaction as t
                join ledger.entry as made on made.id = t.entry_id
                where made.amount is null
            ) as side
            group by account_id
        ), pending as (
            select from_account as account_id, sum(debit_amount) as amount
            from ledger.transfer_terms
            where state = 'pending'
            group by from_account
        ), last_block as (
            select number_below as below
            from ledger.chain_block
            where chain = $1
            order by height desc
            limit 1
        ), sealed as (
            select distinct on (account_id) account_id, amount
            from ledger.journal_sum
            order by account_id, height desc
        ), tail as (
            select side.account_id, sum(side.amount) as amount
            from ledger.entry as e
            join ledger.movement as m on m.entry_id = e.id
            cross join lateral (values
                (m.debit_account, m.debit_seq, -m.amount),
                (m.credit_account, m.credit_seq, m.amount)
            ) as side (account_id, seq, amount)
            where e.place >= coalesce((select below from last_block), 0)
                and side.seq is null
            group by side.account_id
        )
        select case when a.user_id is null and a.id is not null
                then 'ledger.journal_sum' else 'ledger.balance' end,
            ids.account_id::text, case
            when a.id is null then 'belongs to no account'
            when a.user_id is null and b.account_id is not null
                then 'a system account has a stored balance'
            when a.user_id is null
                then 'the blocks'' sum is not that of the movements: '
                    || (coalesce(s.amount, 0) + coalesce(t.amount, 0)) || ', not '
                    || coalesce(m.amount, 0)
            when b.account_id is null then 'is missing'
            when b.amount <> coalesce(m.amount, 0)
                then 'the amount is ' || b.amount || ', its movements come to '
                    || coalesce(m.amount, 0)
            when b.sequence <> coalesce(m.total, 0)
                then 'the sequence is ' || b.sequence || ', its movements and lines are '
                    || coalesce(m.total, 0)
            when b.held <> coalesce(p.amount, 0)
                then 'held is ' || b.held || ', its pending transfers come to '
                    || coalesce(p.amount, 0)
            when b.amount::numeric - b.held < -9223372036854775807
                then 'what is left beside what is held leaves 64 bits'
            when b.kind is distinct from a.kind or b.state <> a.state
                or b.user_id <> a.user_id or b.currency <> a.currency or b.exponent <> a.exponent
                then 'is not as its account is'
            else 'the places of its movements have gaps'
        end
        from ledger.balance as b
        full join ledger.account as a on a.id = b.account_id
        full join moved as m on m.account_id = coalesce(b.account_id, a.id)
        left join pending as p on p.account_id = b.account_id
        left join sealed as s on s.account_id = a.id
        left join tail as t on t.account_id = a.id
        cross join lateral (select coalesce(b.account_id, a.id, m.account_id) as account_id) as ids
        where a.id is null
            or a.user_id is null and (
                b.account_id is not null
                or coalesce(m.amount, 0) <> coalesce(s.amount, 0) + coalesce(t.amount, 0))
            or a.user_id is not null and (
                b.account_id is null
                or b.amount <> coalesce(m.amount, 0)
                or b.sequence <> coalesce(m.total, 0)
                or b.held <> coalesce(p.amount, 0)
                or b.amount::numeric - b.held < -9223372036854775807
                or b.kind <> a.kind or b.state <> a.state or b.user_id <> a.user_id
                or b.currency <> a.currency or b.exponent <> a.exponent
                or m.total > 0 and (
                    m.placed <> m.total or m.first <> 1 or m.last <> m.total
                    or m.seqs <> m.total::numeric * (m.total + 1) / 2
                    or m.squares <> m.total::numeric * (m.total + 1) * (2 * m.total + 1) / 6))
        order by 2
        limit 1
        """
    ) { row in try wrong(row) }

    /// Each version of a transaction was made by an entry, and what ended it is there.
    static let transactions = Statement(
        """
        select 'ledger.money_transaction', t.id || ' version ' || t.version, case
            when not coalesce(made.is_named, false) then 'was made by no entry'
            when (t.latitude is null) <> (t.longitude is null) then 'has half of a place'
            when t.reversed_by is null then 'counts, though it was taken back'
            else 'was not taken back by what it says'
        end
        from ledger.money_transaction as t
        left join ledger.entry as e on e.id = t.entry_id
        left join lateral (
            select true as is_named
            from unnest(e.transactions, e.versions) as named (id, version)
            where named.id = t.id and named.version = t.version
            limit 1
        ) as made on true
        left join ledger.entry as ending on ending.id = t.reversed_by
        left join ledger.entry as taking on taking.reverses = t.money_entry_id
        left join ledger.money_transaction as next
            on next.id = t.id and next.version = t.version + 1
        where made.is_named is null
            or (t.latitude is null) <> (t.longitude is null)
            or t.reversed_by is null and (taking.id is not null or next.id is not null)
            or t.reversed_by is not null and (
                ending.id is null
                or ending.reverses is distinct from t.money_entry_id
                and next.entry_id is distinct from ending.id)
        order by t.id, t.version
        limit 1
        """
    ) { row in try wrong(row) }

    /// Each line belongs to a version that has lines, and counts where that does.
    static let lines = Statement(
        """
        select 'ledger.transaction_line',
            l.transaction_id || ' version ' || l.version || ' place ' || l.place, case
            when t.id is null or not t.is_split then 'belongs to no transaction with lines'
            else 'does not count as its transaction does'
        end
        from ledger.transaction_line as l
        left join ledger.money_transaction as t
            on t.id = l.transaction_id and t.version = l.version
        where t.id is null or not t.is_split or l.is_current <> (t.reversed_by is null)
        order by l.transaction_id, l.version, l.place
        limit 1
        """
    ) { row in try wrong(row) }

    /// What a transaction has beside its lines went to a receivable, or came from one.
    static let claims = Statement(
        """
        select 'ledger.money_transaction', t.id || ' version ' || t.version,
            'has ' || t.amount - listed.amount || ' beside its lines, and its receivable '
                || owed.amount
        from ledger.money_transaction as t
        cross join lateral (
            select coalesce(sum(l.amount), 0) as amount
            from ledger.transaction_line as l
            where l.transaction_id = t.id and l.version = t.version
        ) as listed
        cross join lateral (
            select coalesce(sum(case a.id when m.debit_account then -m.amount else m.amount end), 0)
                as amount
            from ledger.movement as m
            join ledger.account as a
                on a.id in (m.debit_account, m.credit_account) and a.kind = 'receivable'
            where m.entry_id = t.money_entry_id
        ) as owed
        where t.is_split and t.amount - listed.amount <> -owed.amount
        order by t.id, t.version
        limit 1
        """
    ) { row in try wrong(row) }

    /// Each transfer was made by an entry, and what ended a hold is there.
    static let transfers = Statement(
        """
        select 'ledger.transfer_terms', f.id::text, case
            when e.id is null then 'was made by no entry'
            when f.state = 'pending' then 'is pending, though it was ended'
            else 'was not ended as it says'
        end
        from ledger.transfer_terms as f
        left join ledger.entry as e
            on e.id = f.id and e.kind in ('transfer', 'deposit', 'hold')
        left join ledger.entry as ending on ending.id = f.ended_by
        where e.id is null
            or f.ended_by is not null and coalesce(ending.kind <> case f.state
                when 'posted' then 'capture' when 'voided' then 'void'
                when 'expired' then 'expiry' end, true)
            or f.ended_by is null and f.state <> case when e.kind = 'hold'
                then 'pending' else 'posted' end
        order by f.id
        limit 1
        """
    ) { row in try wrong(row) }

    /// Sums and blocks beside the chain: of another name, or of no block.
    static let strayBlocks = Statement(
        """
        select wrong_table, wrong_row, what
        from (
            select 'ledger.chain_block' as wrong_table, chain || ' ' || height as wrong_row,
                'belongs to no chain' as what, height, chain as name
            from ledger.chain_block
            where chain <> $1
            union all
            select 'ledger.journal_sum', s.account_id || ' ' || s.height, 'belongs to no block',
                s.height, s.account_id::text
            from ledger.journal_sum as s
            where not exists (
                select from ledger.chain_block as b where b.chain = $1 and b.height = s.height)
        ) as stray
        order by wrong_table, height, name
        limit 1
        """
    ) { row in try wrong(row) }

    /// Stored balances and the system's sums come to zero.
    static let trialBalance = Statement(
        """
        select 'ledger.trial_balance', currency, 'comes to ' || (users + system) || ', not to 0'
        from ledger.trial_balance
        where users + system <> 0
        order by currency
        limit 1
        """
    ) { row in try wrong(row) }
}
