internal import COpenSSL

/// What was sealed cannot be opened: another key, other associated data, or changed bytes.
public struct SealBroken: Error, Equatable, Sendable {
    /// Broken.
    public init() {}
}

/// AES-256-GCM under one key, with a random nonce before the ciphertext and the tag after it.
///
/// While a key replaces another both are given: the first seals, any of them opens.
///
/// Shape: 12 bytes nonce, ciphertext, 16 bytes tag. A key seals well under 2^32 messages.
/// Source: NIST SP 800-38D.
public struct Seal: Sendable {
    private let key: [UInt8]
    private let olderKeys: [[UInt8]]

    /// A seal under a key of 32 bytes; nil for any other length.
    public init?(key: [UInt8]) { self.init(keys: [key]) }

    /// A seal under the first key, which opens what the others have sealed; each of 32 bytes.
    public init?(keys: [[UInt8]]) {
        guard let first = keys.first, keys.allSatisfy({ $0.count == 32 }) else { return nil }
        key = first
        olderKeys = Array(keys.dropFirst())
    }

    /// Seals the bytes; `context` is bound to them and must be given again to open.
    public func seal(_ bytes: [UInt8], context: [UInt8]) -> [UInt8] {
        let nonce = randomBytes(12)
        return nonce + Self.encrypt(bytes, key: key, nonce: nonce, context: context)
    }

    /// Opens what `seal` made with the same context.
    public func open(_ sealed: [UInt8], context: [UInt8]) throws(SealBroken) -> [UInt8] {
        guard sealed.count >= 28 else { throw SealBroken() }
        let (text, nonce) = (Array(sealed[12...]), Array(sealed[..<12]))
        do {
            return try Self.decrypt(text, key: key, nonce: nonce, context: context)
        } catch {
            for older in olderKeys {
                if let opened = try? Self.decrypt(
                    text,
                    key: older,
                    nonce: nonce,
                    context: context
                ) {
                    return opened
                }
            }
            throw error
        }
    }

    /// Whether there are keys that open and do not seal.
    public var isInChange: Bool { !olderKeys.isEmpty }

    /// What an older key has sealed, sealed by the first; nil where that did already.
    public func renewed(
        _ sealed: [UInt8],
        context: [UInt8]
    ) throws(SealBroken) -> [UInt8]? {
        if let first = Seal(key: key), (try? first.open(sealed, context: context)) != nil {
            return nil
        }
        return seal(try open(sealed, context: context), context: context)
    }

    /// Ciphertext and tag.
    static func encrypt(
        _ bytes: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        context: [UInt8]
    ) -> [UInt8] {
        // Safety: the context lives in this call alone; buffers are arrays lent for one call each.
        let cipher = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var output = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var count: Int32 = 0
        var done = unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce)
        if !context.isEmpty {
            done &= unsafe EVP_EncryptUpdate(cipher, nil, &count, context, Int32(context.count))
        }
        if !bytes.isEmpty {
            done &= unsafe EVP_EncryptUpdate(cipher, &output, &count, bytes, Int32(bytes.count))
        }
        var rest = [UInt8](repeating: 0, count: 16)
        done &= unsafe EVP_EncryptFinal_ex(cipher, &rest, &count)
        done &= unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        // Cannot fire: keys have 32 bytes (`init`), nonces 12, and what is sealed fits into memory.
        precondition(done == 1, "AES-GCM failed")
        return output + tag
    }

    static func decrypt(
        _ sealed: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        context: [UInt8]
    ) throws(SealBroken) -> [UInt8] {
        let cipher = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        let bytes = Array(sealed.dropLast(16))
        var tag = Array(sealed.suffix(16))
        var output = [UInt8](repeating: 0, count: bytes.count)
        var count: Int32 = 0
        var done = unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce)
        if !context.isEmpty {
            done &= unsafe EVP_DecryptUpdate(cipher, nil, &count, context, Int32(context.count))
        }
        if !bytes.isEmpty {
            done &= unsafe EVP_DecryptUpdate(cipher, &output, &count, bytes, Int32(bytes.count))
        }
        done &= unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, &tag)
        // Cannot fire: any bytes are deciphered; whether they are whole is asked below.
        precondition(done == 1, "AES-GCM failed")
        var rest = [UInt8](repeating: 0, count: 16)
        guard unsafe EVP_DecryptFinal_ex(cipher, &rest, &count) == 1 else { throw SealBroken() }
        return output
    }
}
