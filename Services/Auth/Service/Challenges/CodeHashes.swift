import Crypto

/// Our codes over something secret: made by the newest key, good by any, so that what is under way
/// while one secret replaces another stays good.
struct CodeHashes {
    private let body: [UInt8]
    private let keys: [[UInt8]]

    /// - Parameter keys: the newest first; one at least, as the settings hold it.
    init(of body: [UInt8], keys: [[UInt8]]) {
        self.body = body
        self.keys = keys
    }

    /// What is kept.
    var made: [UInt8] { HMACSHA256.code(body, key: keys[0]) }

    /// Whether what is kept was made of the same.
    func hold(_ kept: [UInt8]) -> Bool {
        keys.contains { equalInConstantTime(HMACSHA256.code(body, key: $0), kept) }
    }
}
