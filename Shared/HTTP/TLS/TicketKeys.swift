internal import COpenSSL
internal import Loops
internal import Synchronization

/// Keys of session tickets, the same on every loop, and on every replica that shares the secret.
///
/// A key belongs to a span of 12 h and is derived from the secret and the span's number, so that
/// rotation needs no message: tickets are sealed with this span's key, and opened (and renewed)
/// with the last one's, too.
public final class TicketKeys: Sendable {
    private static let spanSeconds: Int64 = 12 * 3_600
    private let secret: [UInt8]
    private let cache = Mutex<[Int64: TicketKey]>([:])

    /// Keys from a secret of at least 32 bytes, or from a random one.
    public init(secret: [UInt8]? = nil) {
        if let secret {
            // Cannot fire: the secret is our own; tests alone give one.
            precondition(secret.count >= 32, "a ticket secret has at least 32 bytes")
            self.secret = secret
        } else {
            var random = [UInt8](repeating: 0, count: 32)
            let filled = unsafe RAND_bytes(&random, 32)
            // Cannot fire: nothing comes in; it fails where the system has no randomness.
            precondition(filled == 1, "no random bytes")
            self.secret = random
        }
    }

    private func span() -> Int64 { wallMicroseconds() / 1_000_000 / Self.spanSeconds }

    /// The key to seal with.
    func current() -> TicketKey { key(span()) }

    /// The key that a ticket names, and whether it is the last span's.
    func named(_ name: [UInt8]) -> (key: TicketKey, isOld: Bool)? {
        let now = span()
        for candidate in [now, now - 1, now + 1] {
            let key = key(candidate)
            if key.name == name { return (key, candidate < now) }
        }
        return nil
    }

    private func key(_ span: Int64) -> TicketKey {
        cache.withLock { cache in
            if let key = cache[span] { return key }
            let key = TicketKey(
                name: Array(derive("name", span).prefix(16)),
                cipherKey: derive("cipher", span),
                macKey: derive("mac", span)
            )
            cache = cache.filter { abs($0.key - span) <= 2 }
            cache[span] = key
            return key
        }
    }

    private func derive(_ purpose: String, _ span: Int64) -> [UInt8] {
        let message = Array("tls ticket \(purpose) \(span)".utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 32
        unsafe _ = HMAC(
            EVP_sha256(),
            secret,
            Int32(secret.count),
            message,
            message.count,
            &digest,
            &length
        )
        return digest
    }
}

/// One span's key.
struct TicketKey: Sendable {
    let name: [UInt8]
    let cipherKey: [UInt8]
    let macKey: [UInt8]
}

// Safety: OpenSSL hands over a name of 16 bytes, a vector of at least 16, and two live contexts.
/// What OpenSSL asks for each ticket: 1 use this key, 2 use it and renew, 0 unknown, -1 failed.
func ticketKeyCallback(
    _ ssl: OpaquePointer?,
    _ name: UnsafeMutablePointer<UInt8>?,
    _ vector: UnsafeMutablePointer<UInt8>?,
    _ cipher: OpaquePointer?,
    _ mac: OpaquePointer?,
    _ encrypt: Int32
) -> Int32 {
    guard let name = unsafe name, let vector = unsafe vector,
        let context = unsafe SSL_get_SSL_CTX(ssl),
        let held = unsafe SSL_CTX_get_ex_data(context, ticketKeysIndex)
    else { return -1 }
    let keys = unsafe Unmanaged<TicketKeys>.fromOpaque(held).takeUnretainedValue()
    let key: TicketKey
    var answer: Int32 = 1
    if encrypt == 1 {
        key = keys.current()
        guard unsafe RAND_bytes(vector, 16) == 1 else { return -1 }
        unsafe name.update(from: key.name, count: 16)
        guard
            unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipherKey, vector) == 1
        else { return -1 }
    } else {
        guard
            let found = unsafe keys.named(Array(UnsafeBufferPointer(start: name, count: 16)))
        else { return 0 }
        key = found.key
        if found.isOld { answer = 2 }
        guard
            unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipherKey, vector) == 1
        else { return -1 }
    }
    let isSet = unsafe ezwallet_set_ticket_mac(mac, key.macKey, key.macKey.count) == 1
    return isSet ? answer : -1
}

/// Where a context keeps its ticket keys, of which it holds a reference until it is freed.
let ticketKeysIndex: Int32 = unsafe CRYPTO_get_ex_new_index(
    CRYPTO_EX_INDEX_SSL_CTX,
    0,
    nil,
    nil,
    nil,
    { _, held, _, _, _, _ in
        guard let held = unsafe held else { return }
        unsafe Unmanaged<TicketKeys>.fromOpaque(held).release()
    }
)
