/// The last block of a chain, as whoever wants to find a cut tail later keeps it.
public struct ChainHead: JSONObject, Hashable {
    public let chain: String
    public let height: Int64
    public let hash: String
    public let keyID: String
    public let signature: String
    public let sealedAt: Instant

    public init(
        chain: String,
        height: Int64,
        hash: String,
        keyID: String,
        signature: String,
        sealedAt: Instant
    ) {
        self.chain = chain
        self.height = height
        self.hash = hash
        self.keyID = keyID
        self.signature = signature
        self.sealedAt = sealedAt
    }

    public static let json = Object(
        ChainHead.init,
        Field("chain", \.chain, .line(1...64), about: "Which chain."),
        Field("height", \.height, about: "The block's number, from 1."),
        Field("hash", \.hash, .line(64...64), about: "Its hash, hexadecimal."),
        Field("keyId", \.keyID, .line(1...128), about: "The key that signed it."),
        Field("signature", \.signature, .line(1...128), about: "The signature (ES256), base64url."),
        Field("sealedAt", \.sealedAt, about: "When it was closed.")
    )
}

/// What is wrong with a chain.
public enum ChainFaultKind: String, StringEnum {
    /// There is no block of this height though there are higher ones.
    case blockMissing = "block-missing"
    /// The block's columns are not those that its hash is of.
    case blockChanged = "block-changed"
    /// The block does not follow the one before it.
    case wrongLink = "wrong-link"
    /// The block's key is not known, or nothing shows that it was ours.
    case unknownKey = "unknown-key"
    /// The signature is not the key's.
    case wrongSignature = "wrong-signature"
    /// The entry is not as it was sealed.
    case entryChanged = "entry-changed"
    /// An entry that was sealed is gone.
    case entryMissing = "entry-missing"
    /// The entry stands among those that were sealed without it.
    case entryAdded = "entry-added"
    /// The entry was not written by the service.
    case entryForged = "entry-forged"
    /// The entry is old, and yet in no block.
    case entryUnsealed = "entry-unsealed"
    /// The text beside the entry is not the one that it was written with.
    case textChanged = "text-changed"
    /// The text beside the entry is gone, and its person is not erased.
    case textMissing = "text-missing"
    /// A text belongs to no entry.
    case textAdded = "text-added"
    /// The block is not the one that was saved.
    case headDiffers = "head-differs"
    /// The chain ends before the block that was saved.
    case tailCut = "tail-cut"
}

/// The first thing that is wrong with a chain.
public struct ChainFault: JSONObject, Hashable {
    public let kind: ChainFaultKind
    public let height: Int64?
    public let entryID: ID<ChainFault>?
    public let count: Int64?

    public init(
        kind: ChainFaultKind,
        height: Int64? = nil,
        entryID: ID<ChainFault>? = nil,
        count: Int64? = nil
    ) {
        self.kind = kind
        self.height = height
        self.entryID = entryID
        self.count = count
    }

    public static let json = Object(
        ChainFault.init,
        Field("kind", \.kind, about: "What."),
        Field("height", \.height, about: "The block."),
        Field("entryId", \.entryID, about: "The entry; the first one of several."),
        Field("count", \.count, about: "How many entries, where several can have the fault.")
    )
}

/// What walking a chain has come to.
public struct ChainVerification: JSONObject, Hashable {
    public let isIntact: Bool
    public let isComplete: Bool
    public let verifiedFrom: Int64
    public let verifiedTo: Int64
    public let entries: Int64
    public let fault: ChainFault?
    public let head: ChainHead?
    public let checkedAt: Instant

    public init(
        isIntact: Bool,
        isComplete: Bool,
        verifiedFrom: Int64,
        verifiedTo: Int64,
        entries: Int64,
        fault: ChainFault? = nil,
        head: ChainHead? = nil,
        checkedAt: Instant
    ) {
        self.isIntact = isIntact
        self.isComplete = isComplete
        self.verifiedFrom = verifiedFrom
        self.verifiedTo = verifiedTo
        self.entries = entries
        self.fault = fault
        self.head = head
        self.checkedAt = checkedAt
    }

    public static let json = Object(
        ChainVerification.init,
        Field(
            "intact",
            \.isIntact,
            about: """
                Whether everything walked is as it was sealed; false without a fault while the \
                walk is not complete and the last blocks are vouched for only by one to come.
                """
        ),
        Field(
            "complete",
            \.isComplete,
            about: "Whether the walk came to the end; else go on behind `verifiedTo`."
        ),
        Field(
            "verifiedFrom",
            \.verifiedFrom,
            about: "The block behind which it began: 0 is from nothing."
        ),
        Field("verifiedTo", \.verifiedTo, about: "The last block that was walked and found good."),
        Field("entries", \.entries, about: "How many entries were compared."),
        Field("fault", \.fault, about: "The first thing that is wrong."),
        Field("head", \.head, about: "The last block, once there is one."),
        Field("checkedAt", \.checkedAt, about: "When.")
    )
}
