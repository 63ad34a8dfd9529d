internal import COpenSSL

/// What a key of somebody else signs with.
public enum SignatureAlgorithm: Sendable, Hashable, CaseIterable {
    /// ECDSA over P-256 with SHA-256; the signature is DER.
    case es256
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256
    /// EdDSA over Ed25519.
    case ed25519
}

// Safety: an EVP_PKEY is reference-counted and only read after it was made; OpenSSL 3 allows that
// from any thread.
/// A public key that somebody else holds the private half of.
@safe public final class PublicKey: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// What it verifies, and nothing else.
    public let algorithm: SignatureAlgorithm

    init(owning pointer: OpaquePointer, _ algorithm: SignatureAlgorithm) {
        unsafe self.pointer = pointer
        self.algorithm = algorithm
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// A P-256 key by its coordinates of 32 bytes; the point must lie on the curve.
    public convenience init(x: [UInt8], y: [UInt8]) throws(InvalidKey) {
        guard x.count == 32, y.count == 32 else { throw InvalidKey() }
        let point: [UInt8] = [4] + x + y
        guard let key = unsafe ezwallet_p256_from_point(point, point.count) else {
            throw InvalidKey()
        }
        unsafe self.init(owning: key, .es256)
    }

    /// An RSA key of 2048 to 4096 bits whose exponent is odd and from 65537 up to 32 bits.
    ///
    /// Source: NIST SP 800-131A (2048 at least); FIPS 186-5, 5.4 (exponents above 2^16).
    public convenience init(modulus: [UInt8], exponent: [UInt8]) throws(InvalidKey) {
        guard let first = modulus.first, first != 0,
            (2_048...4_096).contains(modulus.count * 8 - first.leadingZeroBitCount),
            modulus.last.map({ $0 & 1 }) == 1, (3...4).contains(exponent.count),
            exponent.first != 0, exponent.last.map({ $0 & 1 }) == 1,
            let key = unsafe ezwallet_rsa_from_parts(
                modulus,
                modulus.count,
                exponent,
                exponent.count
            )
        else { throw InvalidKey() }
        unsafe self.init(owning: key, .rs256)
    }

    /// An Ed25519 key by its 32 bytes.
    public convenience init(ed25519 bytes: [UInt8]) throws(InvalidKey) {
        guard bytes.count == 32,
            let key = unsafe ezwallet_ed25519_from_raw(bytes, bytes.count)
        else { throw InvalidKey() }
        unsafe self.init(owning: key, .ed25519)
    }

    /// Whether the signature is this key's over the bytes.
    public func verify(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        unsafe ezwallet_verify(
            pointer,
            algorithm == .ed25519 ? 0 : 1,
            signature,
            signature.count,
            bytes,
            bytes.count
        ) == 1
    }

    /// Whether it is of the kind that signs by this algorithm.
    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        // Safety: the names are constants of OpenSSL's headers, lent for one call.
        case .es256: unsafe EVP_PKEY_is_a(pointer, "EC") == 1 && EVP_PKEY_get_bits(pointer) == 256
        case .rs256: unsafe EVP_PKEY_is_a(pointer, "RSA") == 1
        case .ed25519: unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1
        }
    }
}
