import Crypto
import WalletProtocol

/// What a device that signed in is known again by: who it was, and when.
///
/// Shape: base64url of 16 bytes user, 8 bytes microseconds, 32 bytes HMAC-SHA-256. It signs nobody
/// in: it only chooses whose passkeys are offered first. Nothing of it is kept; the user's
/// `devices_valid_from` voids all that were made before.
struct DeviceToken: Equatable, Sendable {
    let user: ID<User>
    let madeAt: Instant

    static let lifeSeconds: Int64 = 7 * 86_400

    init(user: ID<User>, madeAt: Instant = .now()) {
        self.user = user
        self.madeAt = madeAt
    }

    /// Reads a token that is ours and has not ended.
    init?(_ text: some Collection<UInt8>, keys: [[UInt8]], now: Instant = .now()) {
        guard text.count == 75, let bytes = Base64URL.decode(text), bytes.count == 56,
            let user = ID<User>(bytes: bytes[0..<16])
        else { return nil }
        let micros = bytes[16..<24].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        self.init(user: user, madeAt: Instant(microseconds: micros))
        let told = Array(bytes[24...])
        guard keys.contains(where: { equalInConstantTime(code($0), told) }),
            madeAt.adding(seconds: Self.lifeSeconds) > now
        else { return nil }
    }

    /// The token as it is given out.
    func text(key: [UInt8]) -> String { Base64URL.encode(body + code(key)) }

    private var body: [UInt8] {
        user.bytes
            + (0..<8).map { UInt8(truncatingIfNeeded: madeAt.microseconds >> (56 - 8 * $0)) }
    }

    private func code(_ key: [UInt8]) -> [UInt8] { HMACSHA256.code(body, key: key) }
}
