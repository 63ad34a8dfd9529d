public import Crypto

/// The public key of a credential, as COSE writes it: ES256, RS256 or EdDSA over Ed25519 alone.
///
/// Source: RFC 9053, 2 and 7; RFC 8812, 2; WebAuthn Level 3, 6.5.1.1 (no further parameters).
public struct CredentialKey: Sendable {
    /// COSE's number of the algorithm.
    public let algorithm: Int64
    /// The key.
    public let key: PublicKey

    /// The algorithms that are offered, the one preferred first.
    public static let algorithms: [Int64] = [-8, -7, -257]

    /// Reads a key that was kept as it came.
    public init(cose: [UInt8]) throws(WebAuthnError) {
        guard let value = try? CBOR(document: cose) else { throw .malformedKey }
        try self.init(value)
    }

    init(_ value: CBOR) throws(WebAuthnError) {
        guard case .map(let pairs) = value, case .integer(let algorithm)? = pairs[.integer(3)],
            case .integer(let type)? = pairs[.integer(1)]
        else { throw .malformedKey }
        guard let signature = Self.signature(of: algorithm) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        do {
            switch (signature, type) {
            case (.es256, 2):
                guard pairs.count == 5, pairs[.integer(-1)] == .integer(1),
                    case .bytes(let x)? = pairs[.integer(-2)],
                    case .bytes(let y)? = pairs[.integer(-3)]
                else { throw InvalidKey() }
                key = try PublicKey(x: x, y: y)
            case (.ed25519, 1):
                guard pairs.count == 4, pairs[.integer(-1)] == .integer(6),
                    case .bytes(let x)? = pairs[.integer(-2)]
                else { throw InvalidKey() }
                key = try PublicKey(ed25519: x)
            case (.rs256, 3):
                guard pairs.count == 4, case .bytes(let modulus)? = pairs[.integer(-1)],
                    case .bytes(let exponent)? = pairs[.integer(-2)]
                else { throw InvalidKey() }
                key = try PublicKey(modulus: modulus, exponent: exponent)
            default: throw InvalidKey()
            }
        } catch { throw .malformedKey }
    }

    /// What COSE's number means, where it is one of ours.
    static func signature(of algorithm: Int64) -> SignatureAlgorithm? {
        switch algorithm {
        case -7: .es256
        case -8: .ed25519
        case -257: .rs256
        default: nil
        }
    }
}
