import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of verifying, beside the chain's own and `BookChecks`.
enum VerifyStatements {
    /// No table: enough for two cores' worth of sorting, and no more; and whole tables, which
    /// look-ups row by row would take for ever to read.
    static let wholeReads = Statement(
        """
        select set_config('work_mem', '64MB', true) is not null
            and set_config('hash_mem_multiplier', '1', true) is not null
            and set_config('enable_seqscan', 'on', true) is not null
            and set_config('enable_bitmapscan', 'on', true) is not null
        """
    ) { row in try row.bool(0) }

    /// How many movements there are in the snapshot: reads them all.
    static let countMovements = Statement("select count(*) from ledger.movement") { row in
        try row.int64(0)
    }

    /// A block's sums of the system's accounts against its movements and the sums before: by
    /// entry_place_key, further_movement_pkey, journal_sum_height_idx, journal_sum_pkey.
    static let wrongSum = Statement(
        by: "entry_place_key, further_movement_pkey, journal_sum_",
        """
        select coalesce(added.account_id, kept.account_id)::text
        from (
            select side.account_id, side.currency, sum(side.amount) as amount
            from ledger.entry as e
            cross join lateral (
                select m.debit_account, m.debit_seq, m.credit_account, m.credit_seq, m.currency,
                    m.amount::numeric as amount
                from ledger.movement as m
                where m.entry_id = e.id
                offset 0
            ) as moved
            cross join lateral (values
                (moved.debit_account, moved.debit_seq, moved.currency, -moved.amount),
                (moved.credit_account, moved.credit_seq, moved.currency, moved.amount)
            ) as side (account_id, sequence, currency, amount)
            where e.place >= $1::text::bigint and e.place < $2::text::bigint
                and side.sequence is null
            group by side.account_id, side.currency
        ) as added
        full join (
            select account_id, currency, amount
            from ledger.journal_sum
            where height = $3
        ) as kept on kept.account_id = added.account_id
        where kept.account_id is null or added.account_id is null
            or kept.currency <> added.currency
            or kept.amount <> added.amount + coalesce((
                select before.amount
                from ledger.journal_sum as before
                where before.account_id = added.account_id and before.height < $3
                order by before.height desc
                limit 1), 0)
        order by 1
        limit 1
        """
    ) { row in try row.string(0) }

    /// What an entry's hash is over, for whoever looks at a wrong one: by entry_pkey,
    /// further_movement_pkey, transfer_terms_pkey.
    static let rowsOf = Statement(
        by: "entry_pkey, further_movement_pkey",
        """
        select left(concat(
            'movements ' || (
                select string_agg(
                    m.debit_account || ' to ' || m.credit_account || ' ' || m.amount, ', '
                    order by m.number)
                from ledger.movement as m
                where m.entry_id = e.id),
            '; transactions ' || (
                select string_agg(named.id || ' version ' || named.version, ', ')
                from unnest(e.transactions, e.versions) as named (id, version)),
            '; transfer ' || (select f.id from ledger.transfer as f where f.id = e.id)), 2000)
        from ledger.entry as e
        where e.id = $1
        """
    ) { row in try row.string(0) }

    /// The transactions of an entry, whose words are not those of their hashes: by entry_pkey.
    static let transactionsOf = Statement(
        by: "entry_pkey",
        """
        select coalesce(string_agg(named.id || ' version ' || named.version, ', '), '')
        from ledger.entry as e
        cross join lateral unnest(e.transactions, e.versions) as named (id, version)
        where e.id = $1
        """
    ) { row in try row.string(0) }

    static let insert = Statement<Void>(
        """
        insert into ledger.verification (id, finished_at, milliseconds, by, is_intact, height_from,
            height, head_hash, entries, movements, wrong_table, wrong_row, wrong)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """
    )

    /// The block by chain_block_pkey.
    static let last = Statement(
        by: "verification_finished_at_idx",
        """
        select v.finished_at, v.milliseconds, v.by, v.is_intact, v.height_from, v.height,
            v.entries, v.movements, v.wrong_table, v.wrong_row, v.wrong,
            b.chain, b.height, b.hash, b.key_id, b.signature, b.sealed_at
        from ledger.verification as v
        left join ledger.chain_block as b
            on b.chain = $1 and encode(b.hash, 'hex') = v.head_hash and b.height = v.height
        order by v.finished_at desc
        limit 1
        """
    ) { row in
        let table: String? = try row.value(8)
        var fault: LedgerFault?
        if let table {
            fault = try LedgerFault(table: table, row: row.string(9), what: row.string(10))
        }
        return try LedgerVerification(
            isIntact: row.bool(3),
            finishedAt: row.value(0),
            milliseconds: row.int64(1),
            by: Verifier(rawValue: row.string(2)) ?? .operator,
            verifiedFrom: row.int64(4),
            verifiedTo: row.int64(5),
            entries: row.int64(6),
            movements: row.int64(7),
            fault: fault,
            head: head(row, from: 11)
        )
    }

    static let head = Statement(
        by: "chain_block_pkey",
        """
        select chain, height, hash, key_id, signature, sealed_at
        from ledger.chain_block
        where chain = $1
        order by height desc
        limit 1
        """
    ) { row in try head(row, from: 0) }

    private static func head(
        _ row: borrowing PostgresRow,
        from first: Int
    ) throws -> ChainHead? {
        let chain: String? = try row.value(first)
        guard let chain else { return nil }
        return try ChainHead(
            chain: chain,
            height: row.int64(first + 1),
            hash: hexadecimal(row.bytes(first + 2)),
            keyID: row.string(first + 3),
            signature: Base64URL.encode(row.bytes(first + 4)),
            sealedAt: row.value(first + 5)
        )
    }

    static let deleteOld = Statement<Void>(
        by: "verification_finished_at_idx",
        "delete from ledger.verification where finished_at < now() - interval '400 days'"
    )

    /// To whoever is first, for as long as it may take.
    static let claim = Statement(
        by: "chain_lease_pkey",
        """
        insert into ledger.chain_lease (chain, holder, until)
        select 'ledger.verification', $1, now() + interval '12 hours'
        where not exists (
            select from ledger.verification
            where finished_at > now() - interval '12 hours' and by = 'service')
        on conflict (chain) do update
        set holder = excluded.holder, until = excluded.until
        where chain_lease.until < now()
        returning true
        """
    ) { row in try row.bool(0) }
}
