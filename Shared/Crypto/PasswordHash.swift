internal import CArgon2
internal import JSONCodec
internal import Loops

/// argon2id with OWASP's parameters, in the PHC string format; to be run on a `BlockingPool`.
///
/// Cost: 19 MiB and about 50 ms of one core. Source: RFC 9106; OWASP Password Storage Cheat Sheet.
public enum PasswordHash {
    static let iterations: UInt32 = 2
    static let memoryKiB: UInt32 = 19_456
    static let lanes: UInt32 = 1

    /// Set by the first hash: whoever never hashes keeps nothing.
    private static let isMemoryKept: Void = keepLargeBlocks()

    /// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash` of the password.
    public static func make(_ password: String) -> String {
        Self.isMemoryKept
        let salt = randomBytes(16)
        let bytes = Array(password.utf8)
        var encoded = [CChar](repeating: 0, count: 256)
        // Safety: arrays lent for one call, their lengths passed along.
        let result = unsafe argon2id_hash_encoded(
            iterations,
            memoryKiB,
            lanes,
            bytes,
            bytes.count,
            salt,
            salt.count,
            32,
            &encoded,
            encoded.count
        )
        // Cannot fire: parameters are constants, and passwords no longer than a body; it fails
        // where 19 MiB are not to be had.
        precondition(result == 0, "argon2id failed with \(result)")
        return String(
            decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }

    /// Whether the password is the one that the hash was made of.
    public static func verify(_ password: String, against hash: String) -> Bool {
        Self.isMemoryKept
        let bytes = Array(password.utf8)
        return unsafe argon2id_verify(hash, bytes, bytes.count) == 0
    }

    /// A hash of nobody's password: verifying against it takes the time that a real one takes.
    public static let ofNobody = make(
        String(decoding: Base64URL.encodedBytes(randomBytes(24)), as: UTF8.self)
    )
}
