import Crypto
import Postgres
import WalletProtocol

/// The proof that a code sent to a phone was answered: good once, for 30 minutes.
///
/// Shape: base64url of the phone, the end in seconds, 16 random bytes and our code over them. That
/// it is used once is held by `used_phone_token`, written in the transaction of its effect.
struct PhoneToken {
    static let lifeSeconds: Int64 = 1_800

    static func make(_ phone: String, keys: [[UInt8]]) -> PhoneProof {
        let expiresAt = Instant.now().adding(seconds: lifeSeconds)
        let body = Array("\(phone)|\(expiresAt.secondsSince1970)|".utf8) + randomBytes(16)
        return PhoneProof(
            phoneToken: Base64URL.encode(CodeHashes(of: body, keys: keys).made + body),
            expiresAt: expiresAt
        )
    }

    /// Whether the token proves this phone now.
    static func proves(_ phone: String, _ token: String, keys: [[UInt8]]) -> Bool {
        guard let bytes = Base64URL.decode(token.utf8), bytes.count > 48 else {
            return false
        }
        let body = Array(bytes[32...])
        guard CodeHashes(of: body, keys: keys).hold(Array(bytes[..<32])) else { return false }
        let parts = body.split(separator: UInt8(ascii: "|"), maxSplits: 2)
        guard parts.count == 3, parts[0].elementsEqual(phone.utf8),
            let seconds = Int64(String(decoding: parts[1], as: UTF8.self))
        else { return false }
        return seconds > Instant.now().secondsSince1970
    }

    /// Uses the token up within the transaction of what it is good for.
    /// - Throws: 422 at `/phoneToken` where it was used before.
    static func use(_ token: String, in transaction: Transaction) async throws {
        let hash = SHA256.digest(Base64URL.decode(token.utf8) ?? [])
        guard try await transaction.execute(PhoneTokenStatements.use, hash) == 1 else {
            throw APIError.field("/phoneToken", .invalidValue, "was used before")
        }
    }

    /// Whether a text is a phone in E.164.
    static func isPhone(_ text: String) -> Bool {
        text.first == "+" && (8...16).contains(text.utf8.count)
            && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
            && text.dropFirst().first != "0"
    }
}
