internal import Crypto
internal import Postgres
internal import WalletProtocol

/// A block's key as the database keeps it.
struct ChainKeyRow: Sendable {
    let id: String
    let x: [UInt8]
    let y: [UInt8]
    let proof: [UInt8]
}

/// The SQL of chains; the tables are found by the roles' search_path.
enum ChainStatements {
    /// To whoever has it, or to anybody once it has run out.
    static let lease = Statement(
        by: "chain_lease_pkey",
        """
        insert into chain_lease (chain, holder, until)
        values ($1, $2, now() + make_interval(secs => $3))
        on conflict (chain) do update
        set holder = excluded.holder, until = excluded.until
        where chain_lease.holder = excluded.holder or chain_lease.until < now()
        returning true
        """
    ) { row in try row.bool(0) }

    /// Spares who has it not the write.
    static let leaseIsFree = Statement(
        by: "chain_lease_pkey",
        """
        select not exists (
            select from chain_lease where chain = $1 and holder <> $2 and until >= now())
        """
    ) { row in try row.bool(0) }

    /// No table: below the first, every transaction has ended; the second is still to begin.
    static let snapshot = Statement(
        """
        select pg_snapshot_xmin(s)::text, pg_snapshot_xmax(s)::text
        from pg_current_snapshot() s
        """
    ) { row in
        try (ended: number(row.string(0)), next: number(row.string(1)))
    }

    static let last = Statement(
        by: "chain_block_pkey",
        """
        select chain, height, previous_hash, number_from::text, number_below::text, entry_count,
            ''::bytea, sealed_at, key_id, hash, signature
        from chain_block
        where chain = $1
        order by height desc
        limit 1
        """
    ) { row in try block(row) }

    static let blocks = Statement(
        by: "chain_block_pkey",
        """
        select chain, height, previous_hash, number_from::text, number_below::text, entry_count,
            leaves, sealed_at, key_id, hash, signature
        from chain_block
        where chain = $1 and height > $2
        order by height
        limit $3
        """
    ) { row in try block(row) }

    private static func block(_ row: borrowing PostgresRow) throws -> ChainBlock {
        try ChainBlock(
            chain: row.string(0),
            height: row.int64(1),
            previousHash: row.bytes(2),
            from: number(row.string(3)),
            below: number(row.string(4)),
            count: row.int64(5),
            leaves: row.bytes(6),
            sealedAt: row.value(7),
            keyID: row.string(8),
            hash: row.bytes(9),
            signature: row.bytes(10)
        )
    }

    /// A transaction's id or a place of a journal, which travels as text.
    static func number(_ text: String) throws -> UInt64 {
        guard let number = UInt64(text) else { throw ChainError.unreadable(text) }
        return number
    }

    /// Of two workers that believe to hold the lease, one is refused.
    static let insert = Statement<Void>(
        """
        insert into chain_block (chain, height, previous_hash, number_from, number_below,
            entry_count, leaves, sealed_at, key_id, hash, signature)
        values ($1, $2, $3, $4::text::bigint, $5::text::bigint, $6, $7, $8, $9, $10, $11)
        """
    )

    static let insertKey = Statement<Void>(
        """
        insert into chain_key (key_id, x, y, proof)
        values ($1, $2, $3, $4)
        on conflict do nothing
        """
    )

    /// One row a proof.
    static let key = Statement(
        by: "chain_key_pkey",
        """
        select key_id, x, y, proof
        from chain_key
        where key_id = $1
        order by proof
        limit 100
        """
    ) { row in
        try ChainKeyRow(
            id: row.string(0),
            x: row.bytes(1),
            y: row.bytes(2),
            proof: row.bytes(3)
        )
    }
}

/// Why a chain cannot go on.
enum ChainError: Error, Equatable {
    /// The database's transaction ids lie below those of the chain, as after a logical restore:
    /// they are to be raised (`pg_resetwal --epoch`) before anything is written.
    case transactionsWentBack(below: UInt64)
    case unreadable(String)
    /// The last block has the highest number there is.
    case noHeightLeft
}
