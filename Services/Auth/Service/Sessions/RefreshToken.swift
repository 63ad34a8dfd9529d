import Crypto
import WalletProtocol

/// A refresh token: which family, which number within it, and our code over both.
///
/// Shape: base64url of 16 bytes family, 8 bytes number, 32 bytes HMAC-SHA-256. Nothing of it is
/// stored but the number, so that the last one can be made again for a lost answer.
struct RefreshToken: Equatable, Sendable {
    let family: ID<Session>
    let number: Int64

    init(family: ID<Session>, number: Int64) {
        self.family = family
        self.number = number
    }

    /// Reads a token and checks its code in constant time; nil: it is none of ours.
    /// - Parameter keys: several while one secret replaces another.
    init?(_ text: String, keys: [[UInt8]]) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == 56,
            let family = ID<Session>(bytes: bytes[0..<16])
        else { return nil }
        let number = bytes[16..<24].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard number > 0 else { return nil }
        self.init(family: family, number: number)
        let given = Array(bytes[24...])
        guard keys.contains(where: { equalInConstantTime(code($0), given) }) else { return nil }
    }

    /// The token as it is given out.
    func text(key: [UInt8]) -> String { Base64URL.encode(body + code(key)) }

    private var body: [UInt8] {
        family.bytes + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private func code(_ key: [UInt8]) -> [UInt8] { HMACSHA256.code(body, key: key) }
}
