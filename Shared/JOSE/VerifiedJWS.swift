public import Crypto
internal import JSONCodec

/// Why a token of somebody else is refused.
public enum JOSEError: Error, Equatable, Sendable {
    /// No compact JWS in its one spelling, or a header that is no JSON object.
    case malformed
    /// `crit` or `b64`: what we do not understand must not be passed over.
    case critical
    /// An algorithm that is not offered, or not the key's.
    case wrongAlgorithm
    /// No key, or more than one, goes by that name.
    case unknownKey
    /// The signature is not the key's.
    case wrongSignature
}

/// What a token's header says, of which only the name of a key is believed.
struct JOSEHeader {
    let algorithm: String
    let keyID: String?
    let type: String?

    init(_ bytes: [UInt8]) throws(JOSEError) {
        // Doubled members and bad UTF-8 are refused by the reader (RFC 7515, 4).
        guard let tree = try? JSON.value(JSONTree.self, of: bytes), case .object = tree,
            case .string(let algorithm)? = tree["alg"]
        else { throw .malformed }
        guard tree["crit"] == nil, tree["b64"] == nil else { throw .critical }
        self.algorithm = algorithm
        keyID = try Self.text(tree["kid"])
        type = try Self.text(tree["typ"])
        // `jwk`, `jku`, `x5c` and `x5u` are never looked at: a token does not bring its own key.
    }

    private static func text(_ member: JSONTree?) throws(JOSEError) -> String? {
        guard let member else { return nil }
        guard case .string(let text) = member else { throw .malformed }
        return text
    }
}

/// A token whose signature was verified by a key of a set (RFC 7515, RFC 8725).
public struct VerifiedJWS: Sendable {
    /// The payload.
    public let payload: [UInt8]
    /// `typ` of the header.
    public let type: String?
    /// What it was signed with.
    public let algorithm: JOSEAlgorithm

    /// The largest token that is looked at.
    public static let bytesMax = 32_768

    /// Verifies a token in the compact form.
    /// - Parameter allowed: the algorithms that are taken at all.
    public init(
        _ token: some Collection<UInt8>,
        by keys: JWKSet,
        allowing allowed: Set<JOSEAlgorithm>
    ) throws(JOSEError) {
        guard let parsed = try? CompactJWS(token, bytesMax: Self.bytesMax) else {
            throw .malformed
        }
        let header = try JOSEHeader(parsed.header)
        guard let algorithm = JOSEAlgorithm(rawValue: header.algorithm),
            allowed.contains(algorithm)
        else { throw .wrongAlgorithm }
        let key = try keys.key(header)
        guard key.algorithm == algorithm else { throw .wrongAlgorithm }
        guard parsed.isSigned(by: key) else { throw .wrongSignature }
        payload = parsed.payload
        type = header.type
        self.algorithm = algorithm
    }
}
