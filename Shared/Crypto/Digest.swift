internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The 32 bytes of the digest.
    public static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let input = Array(bytes)
        var output = [UInt8](repeating: 0, count: 32)
        // Safety: arrays lent for one call; the output is as long as the digest.
        let done = unsafe EVP_Digest(input, input.count, &output, nil, sha256.pointer, nil)
        // Cannot fire: it takes any bytes, and fails where OpenSSL has no memory or no SHA-256.
        precondition(done == 1, "SHA-256 failed")
        return output
    }
}

// Safety: OpenSSL's algorithms are counted and may be used by any thread; it is never freed.
/// The algorithm, fetched once: `EVP_sha256()` is looked up again at each use.
@safe private struct Algorithm: @unchecked Sendable {
    let pointer: OpaquePointer
}

private let sha256: Algorithm = {
    // Cannot fire: nothing comes in; it fails where OpenSSL has no memory or no SHA-256.
    guard let found = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
        preconditionFailure("SHA-256 failed")
    }
    return unsafe Algorithm(pointer: found)
}()

/// SHA-256 of what comes in pieces.
@safe public final class SHA256Hasher {
    // Safety: the context is ours alone, made with the object and freed with it; pieces and the
    // output are lent for one call.
    private let context: OpaquePointer

    /// Nothing yet.
    public init() {
        // Cannot fire: nothing comes in; it fails where OpenSSL has no memory or no SHA-256.
        guard let context = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        else { preconditionFailure("SHA-256 failed") }
        unsafe self.context = context
    }

    /// The next piece.
    public func update(_ bytes: [UInt8]) {
        // Cannot fire: any bytes are taken, by a context that was made.
        precondition(
            unsafe EVP_DigestUpdate(context, bytes, bytes.count) == 1,
            "SHA-256 failed"
        )
    }

    /// The 32 bytes of the digest of all pieces; nothing comes after it.
    public func finish() -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        // Cannot fire: the output is as long as the digest, by a context that was made.
        precondition(unsafe EVP_DigestFinal_ex(context, &output, nil) == 1, "SHA-256 failed")
        return output
    }

    deinit { unsafe EVP_MD_CTX_free(context) }
}

/// HMAC-SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
    /// The 32 bytes of the code.
    public static func code(_ bytes: some Collection<UInt8>, key: [UInt8]) -> [UInt8] {
        let input = Array(bytes)
        var output = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 32
        let done = unsafe HMAC(
            EVP_sha256(),
            key,
            Int32(key.count),
            input,
            input.count,
            &output,
            &length
        )
        // Cannot fire: any bytes are taken, and keys are our own, of some bytes each.
        precondition(unsafe done != nil && length == 32, "HMAC failed")
        return output
    }
}

/// Whether two secrets are the same, in a time that tells nothing of where they differ.
public func equalInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe CRYPTO_memcmp(a, b, a.count) == 0
}

/// The same of a secret and of a part of what was sent.
public func equalInConstantTime(_ a: [UInt8], _ b: ArraySlice<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    // Safety: both lent for one call, and as long as it is told.
    return unsafe a.withUnsafeBytes { a in
        unsafe b.withUnsafeBytes { b in
            unsafe CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}

/// Random bytes fit for keys (OpenSSL's generator, seeded by the system).
public func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = unsafe RAND_bytes(&bytes, Int32(count))
    // Cannot fire: counts are constants; it fails where the system has no randomness, and then
    // there is no key to go on with.
    precondition(done == 1, "no randomness")
    return bytes
}
