internal import Crypto
public import Postgres
public import WalletProtocol

/// An entry of a chain, as its table holds it now.
public struct ChainEntry: Sendable {
    /// The transaction that wrote it: decides its block.
    public let transaction: UInt64
    /// Its name: decides its place among those of its transaction.
    public let id: ID<ChainFault>
    /// Everything that its hash is of, but the transaction.
    public let bytes: [UInt8]
    /// When it was written.
    public let at: Instant
    /// Whether it shows that the service wrote it.
    public let isOurs: Bool
    /// What is wrong with what stands beside it.
    public let fault: ChainFaultKind?

    /// All of it.
    public init(
        transaction: UInt64,
        id: ID<ChainFault>,
        bytes: [UInt8],
        at: Instant,
        isOurs: Bool,
        fault: ChainFaultKind? = nil
    ) {
        self.transaction = transaction
        self.id = id
        self.bytes = bytes
        self.at = at
        self.isOurs = isOurs
        self.fault = fault
    }

    /// The hash of an entry; another one where it was not ours when it was sealed, so that it
    /// stays told apart though keys outside the database be replaced.
    func leaf(isOurs: Bool) -> [UInt8] {
        var all = CanonicalBytes(isOurs ? "EZWallet chain entry v1" : "EZWallet forged entry v1")
        all.append(transaction)
        all.append(id.bytes)
        all.append(bytes)
        return SHA256.digest(all.bytes)
    }
}

/// A block: the entries of the transactions from one on and below another.
struct ChainBlock: Sendable {
    let chain: String
    let height: Int64
    let previousHash: [UInt8]
    let from: UInt64
    let below: UInt64
    let count: Int64
    let leaves: [UInt8]
    let sealedAt: Instant
    let keyID: String
    var hash: [UInt8] = []
    var signature: [UInt8] = []

    static let hashBytes = 32
    /// Before the first block.
    static let noHash = [UInt8](repeating: 0, count: hashBytes)

    /// The hash of every column before it.
    var computedHash: [UInt8] {
        var all = CanonicalBytes("EZWallet chain block v1")
        all.append(chain)
        all.append(height)
        all.append(previousHash)
        all.append(from)
        all.append(below)
        all.append(count)
        all.append(SHA256.digest(leaves))
        all.append(sealedAt.microseconds)
        all.append(keyID)
        return SHA256.digest(all.bytes)
    }

    /// What is signed.
    ///
    /// It begins with a length, and so with a zero, which nothing in the compact form of a token
    /// does: neither signature can be taken for the other.
    static func signedBytes(_ hash: [UInt8]) -> [UInt8] {
        var all = CanonicalBytes("EZWallet chain signature v1")
        all.append(hash)
        return all.bytes
    }

    func leaf(at index: Int) -> ArraySlice<UInt8> {
        leaves[(index * Self.hashBytes)..<((index + 1) * Self.hashBytes)]
    }

    /// The block as it is kept outside.
    var head: ChainHead {
        ChainHead(
            chain: chain,
            height: height,
            hash: hexadecimal(hash),
            keyID: keyID,
            signature: Base64URL.encode(signature),
            sealedAt: sealedAt
        )
    }
}

/// What a block is over: the entries of the transactions from one on and below another.
public struct ChainSpan: Sendable {
    /// The block's number.
    public let height: Int64
    /// The first transaction.
    public let from: UInt64
    /// The first one behind it.
    public let below: UInt64
    /// How many entries.
    public let entries: Int64
}

/// Where the entries of a chain stand.
public protocol ChainSource {
    /// The chain's name: no block of one chain is a block of another.
    var chain: String { get }
    /// Whether any entry's number is `from` or above.
    func hasEntries(from: UInt64) async throws -> Bool
    /// Below the first number nothing can appear any more; nothing has the second yet or one above.
    func horizon(in database: Database) async throws -> (ended: UInt64, next: UInt64)?
    /// The entries in the order of transaction and id: those of transactions from `from` on, or
    /// behind the entry `after` of it; up to `through`.
    func entries(
        from: UInt64,
        after: ID<ChainFault>?,
        through: UInt64,
        limit: Int
    ) async throws -> [ChainEntry]
    /// A page of what stands beside the entries, behind one of them: the first that belongs to none
    /// of them; and the page's last, nil where it was the last page.
    func strays(
        after: ID<ChainFault>?
    ) async throws -> (fault: ChainFault?, last: ID<ChainFault>?)
}

extension ChainSource {
    /// That of entries whose number is the transaction that wrote them.
    public func horizon(
        in database: Database
    ) async throws -> (ended: UInt64, next: UInt64)? {
        try await database.queryOne(ChainStatements.snapshot)
    }

    /// A reader of the entries of some transactions.
    func reader(from: UInt64, through: UInt64) -> ChainReader {
        ChainReader(source: self, from: from, through: through)
    }
}

/// Reads entries one by one, some hundred in memory.
final class ChainReader {
    static let pageMax = 500
    private let source: any ChainSource
    private let through: UInt64
    private var from: UInt64
    private var after: ID<ChainFault>?
    private var page: [ChainEntry] = []
    private var index = 0
    private var isLast = false

    init(source: some ChainSource, from: UInt64, through: UInt64) {
        self.source = source
        self.from = from
        self.through = through
    }

    /// The entry `ahead` of the next one, without taking it.
    func peek(_ ahead: Int = 0) async throws -> ChainEntry? {
        while page.count - index <= ahead {
            guard !isLast else { return nil }
            let more = try await source.entries(
                from: from,
                after: after,
                through: through,
                limit: Self.pageMax
            )
            isLast = more.count < Self.pageMax
            if let last = more.last { (from, after) = (last.transaction, last.id) }
            page = Array(page[index...]) + more
            index = 0
        }
        return page[index + ahead]
    }

    func skip() { index += 1 }

    func next() async throws -> ChainEntry? {
        guard let entry = try await peek() else { return nil }
        skip()
        return entry
    }
}
