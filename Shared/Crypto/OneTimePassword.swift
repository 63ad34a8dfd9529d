internal import COpenSSL

/// Codes of authenticator apps: TOTP with SHA-1, six digits, 30 seconds.
///
/// Source: RFC 6238; RFC 4226, 5.3 (truncation).
public enum OneTimePassword {
    /// How long a code is shown, in seconds.
    public static let stepSeconds: Int64 = 30

    /// The code of a step.
    public static func code(secret: [UInt8], step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let digest = hmacSHA1(counter, key: secret)
        let offset = Int(digest[19] & 15)
        let number = digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let digits = String((number & 0x7FFF_FFFF) % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The step whose code it is: that of `seconds`, the one before or the one after, for clocks
    /// differ (RFC 6238, 5.2); nil for none, in the same time.
    public static func step(of code: String, secret: [UInt8], at seconds: Int64) -> Int64? {
        let given = Array(code.utf8)
        let now = seconds / stepSeconds
        var found: Int64?
        for step in [now + 1, now - 1, now]
        where equalInConstantTime(Array(Self.code(secret: secret, step: step).utf8), given) {
            found = step
        }
        return found
    }

    private static func hmacSHA1(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 20)
        var length: UInt32 = 20
        // Safety: arrays lent for one call; the output is as long as the digest.
        let done = unsafe HMAC(
            EVP_sha1(),
            key,
            Int32(key.count),
            bytes,
            bytes.count,
            &output,
            &length
        )
        // Cannot fire: eight bytes, under a secret that was made here.
        precondition(unsafe done != nil && length == 20, "HMAC failed")
        return output
    }
}

/// Base32 without padding (RFC 4648, 6), as authenticator apps take secrets.
public enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The text of the bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(pending >> bits & 31)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
