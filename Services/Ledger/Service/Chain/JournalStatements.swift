import Postgres
import ServiceKit
import WalletProtocol

/// The SQL that seals the journal; the schema is found by the roles' search_path.
///
/// Run where sequential scans are ruled out: these tables grow, and statistics come late.
enum JournalStatements {
    /// No table: until the transaction's end every plan is a look-up, and the same one for good.
    static let lookUpsAlone = Statement(
        """
        select set_config('enable_seqscan', 'off', true) is not null
            and set_config('plan_cache_mode', 'force_generic_plan', true) is not null
        """
    ) { row in try row.bool(0) }

    static let highest = Statement(
        by: "entry_place_key",
        """
        select place from ledger.entry order by place desc limit 1
        """
    ) { row in try UInt64(clamping: row.int64(0)) }

    /// A page of entries in the order of their places, each as the hash of everything that it is:
    /// by entry_place_key; where it is verified, also by further_movement_pkey,
    /// money_transaction_pkey, transaction_line_pkey, transfer_terms_pkey, and
    /// transfer_ended_by_key for the hold that an entry ended.
    ///
    /// `record_send` writes each column with its type and length, or that it is missing, so that no
    /// two rows share their bytes. Texts are covered by their salted hashes alone. What changes
    /// later is left out: which version counts, and how far a transfer in two phases has come (what
    /// ended it has a row of its own). The same expression, over what is written, is in
    /// `0006_posting/11_write.sql`, and of plain elements in `4_plain.sql`.
    /// - Parameter isVerified: whether the hash is worked out anew, and what stands beside is held
    ///   against the hashes of texts.
    static func entries(
        from: UInt64,
        through: UInt64,
        limit: Int,
        isVerified: Bool
    ) -> BoundStatement<ChainEntry> {
        var builder = StatementBuilder("select id, place, recorded_at, ")
        builder.append(isVerified ? Self.worked : "leaf, null::text from ledger.entry ")
        if isVerified {
            workOut(in: &builder)
            joinParts(to: &builder)
        }
        builder.append(
            "where place between $1 and $2 order by place limit $3",
            Int64(clamping: from),
            Int64(clamping: through),
            limit
        )
        if isVerified { builder.append(") as worked order by place") }
        return builder.statement { row in
            let fault: String? = try row.value(4)
            return try ChainEntry(
                transaction: UInt64(clamping: row.int64(1)),
                id: row.value(0),
                bytes: row.bytes(3),
                at: row.value(2),
                // Nobody but the posting functions may insert; what a superuser did before the
                // block, no code of ours could tell.
                isOurs: true,
                fault: fault.flatMap(ChainFaultKind.init(rawValue:))
            )
        }
    }

    /// What was written with the entry must be what comes of it now.
    private static let worked: StaticString =
        "hash, coalesce(case when leaf <> hash then 'entry-changed' end, fault) from ("

    private static func workOut(in builder: inout StatementBuilder) {
        builder.append(
            """
            select e.id, e.place, e.recorded_at, e.leaf, sha256(record_send(row(
                e.id, e.kind, e.actor_id, e.day, e.recorded_at, e.reverses, e.debit_account,
                e.credit_account, e.currency, e.amount, e.debit_seq, e.credit_seq,
                e.transactions, e.versions, moved.rows, made.rows, sent.bytes,
                case when e.kind in ('capture', 'void', 'expiry') then (
                    select held.id from ledger.transfer_terms as held
                    where held.ended_by = e.id limit 1) end))) as hash,
                coalesce(made.fault, sent.fault) as fault
            from ledger.entry as e

            """
        )
    }

    private static func joinParts(to builder: inout StatementBuilder) {
        builder.append(
            """
            left join lateral (
                select string_agg(record_send(row(
                    m.number, m.debit_account, m.credit_account, m.currency, m.amount,
                    m.debit_seq, m.credit_seq)), '' order by m.number) as rows
                from ledger.further_movement as m
                where m.entry_id = e.id
            ) as moved on true
            left join lateral (
                select string_agg(record_send(row(
                    t.entry_id, t.money_entry_id, t.account_id, t.user_id, t.amount, t.seq, t.day,
                    t.category_id, t.coicop, t.transfer_id, t.own_transfer, t.import_id,
                    t.recorded_at, t.is_split, t.recurrence_id, t.words_hash,
                    case when t.is_split then (
                        select string_agg(record_send(row(
                            l.place, l.user_id, l.day, l.category_id, l.coicop, l.amount)),
                            '' order by l.place)
                        from ledger.transaction_line as l
                        where l.transaction_id = t.id and l.version = t.version
                    ) end)), '' order by named.place) as rows
            """
        )
        builder.append(TextChecks.ofTransaction)
        builder.append(
            """

                from unnest(e.transactions, e.versions)
                    with ordinality as named (id, version, place)
                left join lateral (
                    select *
                    from ledger.money_transaction as kept
                    where kept.id = named.id and kept.version = named.version
                    limit 1
                ) as t on true
            ) as made on true
            left join lateral (
                select record_send(row(
                    f.from_account, f.to_account, f.from_transaction, f.to_transaction,
                    f.debit_amount, f.credit_amount, f.quote_id, f.rate_numerator,
                    f.rate_denominator, f.rate_day, f.rate_source, f.reference_hash,
                    f.expires_at)) as bytes
            """
        )
        builder.append(TextChecks.ofTransfer)
        builder.append(
            """

                from ledger.transfer_terms as f
                where f.id = e.id
                limit 1
            ) as sent on true

            """
        )
    }

    /// What the movements of a new block add to the system's accounts: by chain_block_pkey,
    /// entry_place_key, further_movement_pkey, journal_sum_pkey.
    static let addSums = Statement<Void>(
        by: "chain_block_pkey, entry_place_key, further_movement_pkey",
        """
        insert into ledger.journal_sum (account_id, height, currency, amount)
        select added.account_id, $2, added.currency,
            added.amount + coalesce((
                select before.amount
                from ledger.journal_sum as before
                where before.account_id = added.account_id
                order by before.height desc
                limit 1), 0)
        from (
            select side.account_id, side.currency, sum(side.amount) as amount
            from ledger.chain_block as b
            join ledger.entry as e on e.place >= b.number_from and e.place < b.number_below
            cross join lateral (
                select e.debit_account, e.debit_seq, e.credit_account, e.credit_seq, e.currency,
                    e.amount::numeric as amount
                where e.debit_seq is null or e.credit_seq is null
                union all
                select m.debit_account, m.debit_seq, m.credit_account, m.credit_seq, m.currency,
                    m.amount::numeric
                from ledger.further_movement as m
                where m.entry_id = e.id and (e.debit_seq is null or e.credit_seq is null)
            ) as moved
            cross join lateral (values
                (moved.debit_account, moved.debit_seq, moved.currency, -moved.amount),
                (moved.credit_account, moved.credit_seq, moved.currency, moved.amount)
            ) as side (account_id, sequence, currency, amount)
            where b.chain = $1 and b.height = $2 and side.sequence is null
                and side.account_id is not null
            group by side.account_id, side.currency
        ) as added
        order by added.account_id
        """
    )

    static let signingKey = Statement(
        by: "chain_signing_key_pkey",
        """
        select key_id, sealed_private_key
        from ledger.chain_signing_key
        where chain = $1
        """
    ) { row in try (id: row.string(0), sealed: row.bytes(1)) }

    /// Of two replicas one makes it.
    static let insertSigningKey = Statement<Void>(
        by: "chain_signing_key_pkey",
        """
        insert into ledger.chain_signing_key (chain, key_id, sealed_private_key)
        values ($1, $2, $3)
        on conflict (chain) do nothing
        """
    )

    static let sealAnew = Statement<Void>(
        by: "chain_signing_key_pkey",
        """
        update ledger.chain_signing_key
        set sealed_private_key = $3
        where chain = $1 and sealed_private_key = $2
        """
    )
}

/// Words against their salted hashes, as columns of `JournalStatements.entries`.
///
/// Written out here rather than called: a function of the database could be replaced there.
enum TextChecks {
    /// Of the transaction version `t`: a salt may be missing where its person, its account's or
    /// the other party of its transfer is erased, and then the words are, too.
    static let ofTransaction: StaticString = """
        , min(case
            when t.id is null then null
            when t.salt is not null then
                case when t.words_hash is distinct from sha256(uuid_send(t.salt) || convert_to(
                    coalesce(octet_length(t.name) || ':' || t.name, '-')
                    || coalesce(octet_length(t.description) || ':' || t.description, '-')
                    || coalesce(octet_length(t.place) || ':' || t.place, '-')
                    || coalesce(t.latitude || ',' || t.longitude, '-')
                    || cardinality(t.tags) || ':' || array_to_string(t.tags, chr(10)),
                    'UTF8'))
                then 'text-changed' end
            when exists (
                select from ledger.erased_user
                where user_id in (
                    t.user_id, (select user_id from ledger.account where id = t.account_id))
            ) then
                case when t.name <> 'Deleted user' or t.description is not null
                    or t.place is not null or t.latitude is not null or t.tags <> '{}'
                then 'text-added' end
            when exists (
                select
                from ledger.transfer as between_both
                join ledger.account as side
                    on side.id in (between_both.from_account, between_both.to_account)
                join ledger.erased_user as gone on gone.user_id = side.user_id
                where between_both.id = t.transfer_id
            ) then case when t.name is distinct from 'Deleted user' then 'text-added' end
            else 'text-missing'
        end) as fault
        """

    /// Of the transfer `f`.
    static let ofTransfer: StaticString = """
        , case
            when f.salt is not null then
                case when f.reference is null or f.reference_hash is distinct from
                    sha256(uuid_send(f.salt) || convert_to(
                        octet_length(f.reference) || ':' || f.reference || '---0:', 'UTF8'))
                then 'text-changed' end
            when f.reference is not null then 'text-added'
            when f.reference_hash is not null and not exists (
                select
                from ledger.account as side
                join ledger.erased_user as gone on gone.user_id = side.user_id
                where side.id in (f.from_account, f.to_account)
            ) then 'text-missing'
        end as fault
        """
}
