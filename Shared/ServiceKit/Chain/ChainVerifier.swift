internal import Crypto
internal import Loops
public import Postgres
public import WalletProtocol

/// Walks a chain: each block's columns, link and signature, and each of its entries.
///
/// In constant memory: some blocks and some hundred entries at a time. It ends at the first thing
/// that is wrong, or at its deadline, to go on later behind the last good block.
public final class ChainVerifier {
    private let source: any ChainSource
    private let database: Database
    private let keys: ChainKeys
    private let sealSeconds: Int64
    private let onBlock: (ChainSpan) async throws -> Void
    private var found: [String: (key: ES256Key, isProved: Bool)] = [:]
    /// What waited too long when it was looked at before.
    private var seenOverdue: ID<ChainFault>?

    private static let blocksMax: Int32 = 16
    /// How long an entry may wait for its block; the sealer needs a second.
    public static let sealSeconds: Int64 = 60
    /// How long the sealer gets for what comes to light late: a transaction that was open long.
    private static let secondLookNanoseconds: UInt64 = 1_000_000_000

    /// A verifier; `proofKeys` as the sealer has them.
    /// - Parameter onBlock: told of each block that was walked and found good; what it throws ends
    ///   the walk and is thrown on.
    public init(
        _ source: any ChainSource,
        database: Database,
        proofKeys: [[UInt8]],
        sealSeconds: Int64 = ChainVerifier.sealSeconds,
        onBlock: @escaping (ChainSpan) async throws -> Void = { _ in }
    ) {
        self.onBlock = onBlock
        self.source = source
        self.database = database
        self.sealSeconds = sealSeconds
        keys = ChainKeys(proofKeys: proofKeys)
    }

    /// Where the walk stands.
    private struct Walk {
        var height: Int64
        var hash = ChainBlock.noHash
        var below: UInt64 = 0
        var entries: Int64 = 0
        /// The first block whose key nobody vouches for: good as soon as a later block, whose key
        /// is proved, covers it by its hash.
        var unproved: Int64?
    }

    /// What the end of the chain has come to.
    private enum End {
        case done
        /// There is more to look at.
        case again
        /// The deadline has passed.
        case late
    }

    private struct Broken: Error {
        let fault: ChainFault
        init(_ kind: ChainFaultKind, _ height: Int64? = nil, _ entry: ID<ChainFault>? = nil) {
            fault = ChainFault(kind: kind, height: height, entryID: entry)
        }
        init(unsealed count: Int64, from entry: ID<ChainFault>) {
            fault = ChainFault(kind: .entryUnsealed, entryID: entry, count: count)
        }
    }

    /// Verifies everything behind the block `height`: 0 is from nothing.
    /// - Parameters:
    ///   - saved: a head that the chain must still have.
    ///   - deadline: when to end early, in monotonic nanoseconds.
    public func verify(
        after height: Int64 = 0,
        saved: (height: Int64, hash: [UInt8])? = nil,
        until deadline: UInt64 = .max
    ) async throws -> ChainVerification {
        found = [:]
        seenOverdue = nil
        var walk = Walk(height: max(0, height))
        var isComplete = false
        var fault: ChainFault?
        do {
            if let saved, saved.height < 1 { throw Broken(.headDiffers, saved.height) }
            if walk.height > 0 { try await begin(&walk, saved) }
            isComplete = try await run(&walk, saved, until: deadline)
        } catch let broken as Broken { fault = broken.fault }
        let head = try await database.queryOne(ChainStatements.last, source.chain)
        return ChainVerification(
            // What nobody vouches for yet may be good: the walk is to go on.
            isIntact: fault == nil && (isComplete || walk.unproved == nil),
            isComplete: isComplete,
            verifiedFrom: max(0, height),
            verifiedTo: walk.height,
            entries: walk.entries,
            fault: fault,
            head: head?.head,
            checkedAt: .now()
        )
    }

    /// The block to begin behind: itself good, its entries taken as verified before.
    private func begin(_ walk: inout Walk, _ saved: (height: Int64, hash: [UInt8])?) async throws {
        let blocks = try await database.query(
            ChainStatements.blocks,
            source.chain,
            walk.height - 1,
            Int32(1)
        )
        guard let block = blocks.first, block.height == walk.height else {
            walk.height = 0
            throw Broken(.tailCut, blocks.first?.height)
        }
        walk.height -= 1
        walk.hash = block.previousHash
        walk.below = block.from
        try await check(block, &walk, saved)
        follow(block, &walk)
        if let saved, saved.height < block.height { try await hold(against: saved) }
    }

    /// A saved head below the block to begin behind, which the walk does not come by.
    private func hold(against saved: (height: Int64, hash: [UInt8])) async throws {
        let blocks = try await database.query(
            ChainStatements.blocks,
            source.chain,
            saved.height - 1,
            Int32(1)
        )
        guard let block = blocks.first, block.height == saved.height else {
            throw Broken(.blockMissing, saved.height)
        }
        guard block.hash == block.computedHash else { throw Broken(.blockChanged, block.height) }
        guard block.hash == saved.hash else { throw Broken(.headDiffers, block.height) }
    }

    private func run(
        _ walk: inout Walk,
        _ saved: (height: Int64, hash: [UInt8])?,
        until deadline: UInt64
    ) async throws -> Bool {
        while true {
            let blocks = try await database.query(
                ChainStatements.blocks,
                source.chain,
                walk.height,
                Self.blocksMax
            )
            guard let below = blocks.map(\.below).max() else {
                // More may have been sealed while the rest was looked at.
                switch try await finish(walk, saved, until: deadline) {
                case .done: return true
                case .late: return false
                case .again: continue
                }
            }
            let reader = source.reader(from: walk.below, through: max(below, 1) - 1)
            for block in blocks {
                try await check(block, &walk, saved)
                try await compare(block, reader, &walk)
                follow(block, &walk)
                try await onBlock(
                    ChainSpan(
                        height: block.height,
                        from: block.from,
                        below: block.below,
                        entries: block.count
                    )
                )
            }
            if monotonicNanoseconds() >= deadline { return false }
        }
    }

    private func follow(_ block: ChainBlock, _ walk: inout Walk) {
        walk.height = block.height
        walk.hash = block.hash
        walk.below = block.below
    }

    /// The block itself.
    private func check(
        _ block: ChainBlock,
        _ walk: inout Walk,
        _ saved: (height: Int64, hash: [UInt8])?
    ) async throws {
        guard block.height == walk.height + 1 else { throw Broken(.blockMissing, walk.height + 1) }
        guard block.hash == block.computedHash,
            block.leaves.count % ChainBlock.hashBytes == 0,
            Int64(block.leaves.count / ChainBlock.hashBytes) == block.count
        else { throw Broken(.blockChanged, block.height) }
        guard block.previousHash == walk.hash, block.from == walk.below, block.below > block.from
        else { throw Broken(.wrongLink, block.height) }
        guard let (key, isProved) = try await key(block.keyID) else {
            throw Broken(.unknownKey, block.height)
        }
        guard key.verify(block.signature, over: ChainBlock.signedBytes(block.hash)) else {
            throw Broken(.wrongSignature, block.height)
        }
        walk.unproved = isProved ? nil : walk.unproved ?? block.height
        if let saved, saved.height == block.height, saved.hash != block.hash {
            throw Broken(.headDiffers, block.height)
        }
    }

    private func key(_ id: String) async throws -> (key: ES256Key, isProved: Bool)? {
        if let known = found[id] { return known }
        let key = try await keys.find(id, in: database)
        found[id] = key
        return key
    }

    /// The block's entries, each against its hash.
    private func compare(
        _ block: ChainBlock,
        _ reader: ChainReader,
        _ walk: inout Walk
    ) async throws {
        var index = 0
        while let entry = try await reader.peek(), entry.transaction < block.below {
            guard index < block.count else { throw Broken(.entryAdded, block.height, entry.id) }
            let leaf = entry.leaf(isOurs: true)
            guard block.leaf(at: index).elementsEqual(leaf) || isProvedSince(entry, index, block)
            else { throw try await mismatch(entry, leaf, at: index, of: block, reader) }
            if let fault = entry.fault { throw Broken(fault, block.height, entry.id) }
            reader.skip()
            index += 1
        }
        guard index == block.count else { throw Broken(.entryMissing, block.height) }
        walk.entries += block.count
    }

    /// Whether the entry was sealed as forged by a replica that had not yet the secret of the one
    /// that wrote it, as while a new one is rolled out; under that secret it is ours.
    private func isProvedSince(_ entry: ChainEntry, _ index: Int, _ block: ChainBlock) -> Bool {
        entry.isOurs && block.leaf(at: index).elementsEqual(entry.leaf(isOurs: false))
    }

    /// What happened to an entry that is not the one sealed in its place.
    private func mismatch(
        _ entry: ChainEntry,
        _ leaf: [UInt8],
        at index: Int,
        of block: ChainBlock,
        _ reader: ChainReader
    ) async throws -> Broken {
        if block.leaf(at: index).elementsEqual(entry.leaf(isOurs: false)) {
            return Broken(.entryForged, block.height, entry.id)
        }
        if index + 1 < block.count, block.leaf(at: index + 1).elementsEqual(leaf) {
            return Broken(.entryMissing, block.height)
        }
        if let next = try await reader.peek(1),
            block.leaf(at: index).elementsEqual(next.leaf(isOurs: true))
        {
            return Broken(.entryAdded, block.height, entry.id)
        }
        return Broken(.entryChanged, block.height, entry.id)
    }

    /// Behind the last block: what waits for the next one, and what can be in none.
    private func finish(
        _ walk: Walk,
        _ saved: (height: Int64, hash: [UInt8])?,
        until deadline: UInt64
    ) async throws -> End {
        if let unproved = walk.unproved { throw Broken(.unknownKey, unproved) }
        if let saved, saved.height > walk.height { throw Broken(.tailCut, walk.height + 1) }
        var overdue: ID<ChainFault>?
        var overdueCount: Int64 = 0
        let reader = source.reader(from: walk.below, through: .max)
        var highest: (transaction: UInt64, id: ID<ChainFault>)?
        while let entry = try await reader.next() {
            guard entry.isOurs else { throw Broken(.entryForged, nil, entry.id) }
            if let fault = entry.fault { throw Broken(fault, nil, entry.id) }
            highest = (entry.transaction, entry.id)
            // Whatever holds sealing back, be it a horizon that went back with a logical restore.
            guard entry.at.adding(seconds: sealSeconds) < .now() else { continue }
            overdue = overdue ?? entry.id
            overdueCount += 1
        }
        // A transaction of the future writes nothing: the entry was put there by hand.
        if let highest, let now = try await source.horizon(in: database),
            highest.transaction >= now.next
        {
            throw Broken(.entryAdded, nil, highest.id)
        }
        let last = try await database.queryOne(ChainStatements.last, source.chain)
        guard (last?.height ?? 0) <= walk.height else { return .again }
        if let overdue {
            guard seenOverdue != overdue else {
                throw Broken(unsealed: overdueCount, from: overdue)
            }
            seenOverdue = overdue
            try await database.loop.sleep(nanoseconds: Self.secondLookNanoseconds)
            return .again
        }
        return try await lookForStrays(until: deadline)
    }

    private func lookForStrays(until deadline: UInt64) async throws -> End {
        var place: ID<ChainFault>?
        while true {
            let page = try await source.strays(after: place)
            if let fault = page.fault { throw Broken(fault.kind, nil, fault.entryID) }
            guard let last = page.last else { return .done }
            place = last
            if monotonicNanoseconds() >= deadline { return .late }
        }
    }
}
