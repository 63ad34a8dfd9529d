public import Crypto
public import Postgres
public import WalletProtocol

/// Appends blocks to a chain, behind the writes: at most a round and the cluster's oldest writer
/// behind.
///
/// Which entries a block holds is decided by their numbers alone (a transaction's id, or the place
/// in a journal): those from the last block's end on and below the source's horizon, where every
/// transaction has ended, so that none can appear there later. One replica does it, by a lease;
/// that two believe to hold it (one was frozen and thawed) is harmless, for the height is unique
/// and a block names the one before it.
public final class ChainSealer {
    private let source: any ChainSource
    private let database: Database
    private let keys: ChainKeys
    private let signingKey: () async throws -> ES256Key
    private let announce: (ChainHead, Transaction) async throws -> Void
    private let leaseSeconds: Double
    private let holder = ID<ChainSealer>.new()
    private var keptKey = ""
    /// The last block's end, as far as we know: below it nothing waits.
    private var sealedBelow: UInt64 = 0

    /// The most entries of a block, but for those of its last transaction.
    static let entriesMax = 4_096
    /// How long who held the lease may be silent until another takes over.
    public static let leaseSeconds = 0.8

    /// A sealer of one replica.
    /// - Parameters:
    ///   - proofKeys: secrets that prove keys to be ours; the first makes proofs.
    ///   - announce: called within the transaction of each block.
    public init(
        _ source: any ChainSource,
        database: Database,
        proofKeys: [[UInt8]],
        leaseSeconds: Double = ChainSealer.leaseSeconds,
        signingKey: @escaping () async throws -> ES256Key,
        announce: @escaping (ChainHead, Transaction) async throws -> Void = { _, _ in }
    ) {
        self.source = source
        self.database = database
        keys = ChainKeys(proofKeys: proofKeys)
        self.leaseSeconds = leaseSeconds
        self.signingKey = signingKey
        self.announce = announce
    }

    /// One round: blocks until nothing waits, or another holds the lease.
    /// - Returns: how many blocks were appended.
    @discardableResult
    public func run() async throws -> Int {
        var done = 0
        while try await source.hasEntries(from: sealedBelow), try await hasLease() {
            guard try await sealNext() else { return done }
            done += 1
        }
        return done
    }

    private func hasLease() async throws -> Bool {
        guard
            try await database.queryOne(
                ChainStatements.leaseIsFree,
                source.chain,
                holder
            ) == true
        else {
            // Who holds it seals: what is new for us may be done already.
            sealedBelow =
                try await database.queryOne(ChainStatements.last, source.chain)?.below ?? 0
            return false
        }
        return try await database.queryOne(
            ChainStatements.lease,
            source.chain,
            holder,
            leaseSeconds
        ) == true
    }

    /// Appends a block; false where there is nothing for one yet.
    private func sealNext() async throws -> Bool {
        let last = try await database.queryOne(ChainStatements.last, source.chain)
        let from = last?.below ?? 0
        sealedBelow = from
        guard let snapshot = try await source.horizon(in: database) else {
            return false
        }
        guard snapshot.ended >= from else {
            throw ChainError.transactionsWentBack(below: from)
        }
        guard snapshot.ended > from else { return false }
        let (height, isBeyond) = (last?.height ?? 0).addingReportingOverflow(1)
        // Only a block that was put there by hand stands so high.
        guard !isBeyond else { throw ChainError.noHeightLeft }
        let (leaves, below) = try await leaves(from: from, below: snapshot.ended)
        guard !leaves.isEmpty else { return false }
        let key = try await signingKey()
        if keptKey != key.id {
            try await keys.keep(key, in: database)
            keptKey = key.id
        }
        var block = ChainBlock(
            chain: source.chain,
            height: height,
            previousHash: last?.hash ?? ChainBlock.noHash,
            from: from,
            below: below,
            count: Int64(leaves.count / ChainBlock.hashBytes),
            leaves: leaves,
            sealedAt: .now(),
            keyID: key.id
        )
        block.hash = block.computedHash
        block.signature = key.sign(ChainBlock.signedBytes(block.hash))
        guard try await insert(block) else { return false }
        sealedBelow = below
        return true
    }

    /// The hashes of what comes next, whole transactions; and where they end.
    private func leaves(
        from: UInt64,
        below: UInt64
    ) async throws -> (leaves: [UInt8], below: UInt64) {
        let reader = source.reader(from: from, through: below - 1)
        var leaves: [UInt8] = []
        var transaction: UInt64 = from
        while let entry = try await reader.next() {
            if leaves.count >= Self.entriesMax * ChainBlock.hashBytes,
                entry.transaction != transaction
            {
                return (leaves, entry.transaction)
            }
            transaction = entry.transaction
            leaves.append(contentsOf: entry.leaf(isOurs: entry.isOurs))
        }
        return (leaves, below)
    }

    /// False: another has appended a block of this height meanwhile.
    private func insert(_ block: ChainBlock) async throws -> Bool {
        do {
            try await database.transaction { [announce] transaction in
                try await transaction.execute(
                    ChainStatements.insert,
                    block.chain,
                    block.height,
                    block.previousHash,
                    String(block.from),
                    String(block.below),
                    block.count,
                    block.leaves,
                    block.sealedAt,
                    block.keyID,
                    block.hash,
                    block.signature
                )
                try await announce(block.head, transaction)
            }
            return true
        } catch let error as DatabaseError {
            guard error.violatedConstraint == "chain_block_pkey" else { throw error }
            return false
        }
    }
}
