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
}
