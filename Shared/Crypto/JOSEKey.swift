internal import COpenSSL

/// The signature algorithms of JOSE that others may sign with (RFC 7518, 3.1; RFC 8037).
///
/// Not among them: `none`, and the HMACs, whose key would be no public one.
public enum JOSEAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSA with PKCS #1 1.5 and SHA-256.
    case rs256 = "RS256"
    /// RSA with PKCS #1 1.5 and SHA-384.
    case rs384 = "RS384"
    /// RSA with PKCS #1 1.5 and SHA-512.
    case rs512 = "RS512"
    /// RSA-PSS with SHA-256.
    case ps256 = "PS256"
    /// RSA-PSS with SHA-384.
    case ps384 = "PS384"
    /// RSA-PSS with SHA-512.
    case ps512 = "PS512"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// ECDSA on P-521 with SHA-512.
    case es512 = "ES512"
    /// Ed25519.
    case edDSA = "EdDSA"

    var digestBits: Int32 {
        switch self {
        case .rs256, .ps256, .es256: 256
        case .rs384, .ps384, .es384: 384
        case .rs512, .ps512, .es512, .edDSA: 512
        }
    }

    /// Curve and bytes of a coordinate, for ECDSA.
    var curve: (name: String, bytes: Int)? {
        switch self {
        case .es256: ("P-256", 32)
        case .es384: ("P-384", 48)
        case .es512: ("P-521", 66)
        default: nil
        }
    }

    var isPSS: Bool { self == .ps256 || self == .ps384 || self == .ps512 }
    var isRSA: Bool { digestBits > 0 && curve == nil && self != .edDSA }
}

// Safety: an EVP_PKEY is reference-counted and only read after it was made; OpenSSL 3 allows that
// from any thread.
/// Somebody else's public key, good for one algorithm alone.
///
/// The key decides how a signature is verified, never what came with the signature (RFC 8725, 3.1).
@safe public final class JOSEKey: @unchecked Sendable {
    /// Sizes of an RSA modulus that are taken, in bits (NIST SP 800-131A; an upper bound, because
    /// verifying costs with its square).
    public static let modulusBits = 2_048...8_192

    /// What it verifies.
    public let algorithm: JOSEAlgorithm
    private let pointer: OpaquePointer
    private let signatureBytes: Int

    private init(
        owning pointer: OpaquePointer?,
        _ algorithm: JOSEAlgorithm,
        signatureBytes: Int
    ) throws(InvalidKey) {
        guard let pointer = unsafe pointer else { throw InvalidKey() }
        unsafe self.pointer = pointer
        self.algorithm = algorithm
        self.signatureBytes = signatureBytes
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// An RSA key: a modulus of 2048 to 8192 bits, an odd exponent of 3 or more in 8 bytes.
    /// - Throws: also for a modulus of the broken generator CVE-2017-15361 («ROCA»).
    public convenience init(
        modulus: [UInt8],
        exponent: [UInt8],
        algorithm: JOSEAlgorithm
    ) throws(InvalidKey) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard algorithm.isRSA, let first = modulus.first, let last = modulus.last,
            Self.modulusBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
            last & 1 == 1, (1...8).contains(exponent.count), exponent.last.map({ $0 & 1 }) == 1,
            exponent != [1], !WeakModulus.isOfROCA(modulus)
        else { throw InvalidKey() }
        let key = unsafe ezwallet_rsa_from_numbers(
            modulus,
            modulus.count,
            exponent,
            exponent.count
        )
        unsafe try self.init(owning: key, algorithm, signatureBytes: modulus.count)
    }

    /// A point on the algorithm's curve, by coordinates of exactly its size.
    public convenience init(
        x: [UInt8],
        y: [UInt8],
        algorithm: JOSEAlgorithm
    ) throws(InvalidKey) {
        guard let curve = algorithm.curve, x.count == curve.bytes, y.count == curve.bytes else {
            throw InvalidKey()
        }
        let point: [UInt8] = [4] + x + y
        let key = unsafe ezwallet_ec_from_point(curve.name, point, point.count)
        unsafe try self.init(owning: key, algorithm, signatureBytes: 2 * curve.bytes)
    }

    /// A key of Ed25519, 32 bytes (RFC 8032).
    public convenience init(ed25519 bytes: [UInt8]) throws(InvalidKey) {
        guard bytes.count == 32 else { throw InvalidKey() }
        let key = unsafe ezwallet_ed25519_from_bytes(bytes)
        unsafe try self.init(owning: key, .edDSA, signatureBytes: 64)
    }

    /// Whether the signature, as JOSE writes it, is this key's over the bytes.
    ///
    /// ECDSA: R ‖ S of the curve's size, each from 1 to n - 1; a high S counts, as JOSE has it.
    public func verify(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        guard signature.count == signatureBytes else { return false }
        let bits = algorithm.digestBits
        if let curve = algorithm.curve {
            return unsafe ezwallet_ecdsa_verify(
                pointer,
                bits,
                bytes,
                bytes.count,
                signature,
                Int32(curve.bytes)
            ) == 1
        }
        if algorithm == .edDSA {
            return unsafe ezwallet_ed25519_verify(pointer, bytes, bytes.count, signature) == 1
        }
        return unsafe ezwallet_rsa_verify(
            pointer,
            bits,
            algorithm.isPSS ? 1 : 0,
            bytes,
            bytes.count,
            signature,
            signature.count
        ) == 1
    }
}

/// Moduli that are known to be factored with little work.
enum WeakModulus {
    private static let primes: [UInt32] = [
        11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
    ]

    /// Whether a modulus has the fingerprint of the primes k·M + (65537^a mod M).
    ///
    /// Then it is, modulo each small prime, a power of 65537; of other moduli one in 2^27 is.
    /// Source: Nemec et al., «The Return of Coppersmith's Attack», 2017.
    static func isOfROCA(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let rest = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % prime }
            var power: UInt32 = 1
            for _ in 0..<prime {
                if power == rest { return true }
                power = power * (65_537 % prime) % prime
            }
            return false
        }
    }
}
