internal import Crypto
public import WalletProtocol

extension ID {
    /// 128 bits of SHA-256: the same bytes are always the same one.
    public init(digesting bytes: [UInt8]) {
        let digest = SHA256.digest(bytes)
        func half(_ range: Range<Int>) -> UInt64 {
            digest[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(high: half(0..<8), low: half(8..<16))
    }

    /// The same of a key within its scope.
    public init(digesting key: String, in scope: String) {
        self.init(digesting: Array("\(scope)\n\(key)".utf8))
    }
}

/// What stands beside a key of a caller's, for whoever repeats a call that was cut off.
public enum KeyNote {}

extension IdempotencyScope {
    /// What is noted beside the key stands under this.
    public var noteID: ID<KeyNote> { ID(digesting: key, in: scope) }
}
