public import Crypto
public import JSONCodec

/// Why a key is not taken.
public enum JWKError: Error, Equatable, Sendable {
    /// No JSON object, or a member that is missing or of the wrong kind.
    case malformed
    /// A family, curve or algorithm that we do not verify with.
    case unsupported
    /// A secret where a public key belongs: `oct`, or private members.
    case secret
    /// Meant for something else than verifying signatures (`use`, `key_ops`).
    case wrongUse
    /// Numbers that make no safe key.
    case invalid
    /// A set with the same `kid` twice, or with too many keys.
    case ambiguous
}

/// Somebody else's public key as JSON tells it (RFC 7517; RFC 7518, 6; RFC 8037).
public struct JWK: Sendable {
    /// Its name, where it has one.
    public let keyID: String?
    /// The key, good for one algorithm.
    public let key: JOSEKey

    /// Reads a key; members that we do not know are passed over.
    ///
    /// `alg` decides; without it a curve has its own algorithm, and RSA is RS256.
    public init(_ tree: JSONTree) throws(JWKError) {
        guard case .object = tree, case .string(let type)? = tree["kty"] else {
            throw .malformed
        }
        for name in ["k", "d", "p", "q", "dp", "dq", "qi", "oth"] where tree[name] != nil {
            throw .secret
        }
        guard type != "oct" else { throw .secret }
        if let use = tree["use"] {
            guard use == .string("sig") else { throw .wrongUse }
        }
        if let operations = tree["key_ops"] {
            guard case .array(let list) = operations, list.contains(.string("verify")) else {
                throw .wrongUse
            }
        }
        keyID = try Self.text(tree["kid"])
        guard keyID?.utf8.count ?? 0 <= 512 else { throw .malformed }
        let algorithm = try Self.algorithm(of: tree, type: type)
        do throws(InvalidKey) {
            key = try Self.key(tree, type: type, algorithm)
        } catch { throw .invalid }
    }

    private static func algorithm(
        of tree: JSONTree,
        type: String
    ) throws(JWKError) -> JOSEAlgorithm {
        let own: [JOSEAlgorithm]
        switch (type, tree["crv"]) {
        case ("EC", .string("P-256")?): own = [.es256]
        case ("EC", .string("P-384")?): own = [.es384]
        case ("EC", .string("P-521")?): own = [.es512]
        case ("OKP", .string("Ed25519")?): own = [.edDSA]
        case ("RSA", _): own = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        default: throw .unsupported
        }
        guard let told = try text(tree["alg"]) else { return own[0] }
        guard let algorithm = JOSEAlgorithm(rawValue: told), own.contains(algorithm) else {
            throw .unsupported
        }
        return algorithm
    }

    private static func key(
        _ tree: JSONTree,
        type: String,
        _ algorithm: JOSEAlgorithm
    ) throws(InvalidKey) -> JOSEKey {
        switch type {
        case "RSA":
            return try JOSEKey(
                modulus: bytes(tree["n"]),
                exponent: bytes(tree["e"]),
                algorithm: algorithm
            )
        case "EC":
            return try JOSEKey(
                x: bytes(tree["x"]),
                y: bytes(tree["y"]),
                algorithm: algorithm
            )
        default: return try JOSEKey(ed25519: bytes(tree["x"]))
        }
    }

    private static func bytes(_ member: JSONTree?) throws(InvalidKey) -> [UInt8] {
        guard case .string(let text)? = member,
            let bytes = Base64URL.decode(text.utf8)
        else { throw InvalidKey() }
        return bytes
    }

    private static func text(_ member: JSONTree?) throws(JWKError) -> String? {
        guard let member else { return nil }
        guard case .string(let text) = member else { throw .malformed }
        return text
    }
}

/// A set of public keys (RFC 7517, 5).
public struct JWKSet: Sendable {
    /// Those that verify signatures.
    public let keys: [JWK]

    /// How many members a set may have.
    public static let keysMax = 64

    /// These keys.
    public init(keys: [JWK]) { self.keys = keys }

    /// Reads a set: `{"keys":[…]}`.
    ///
    /// Keys of other families and for other uses are passed over, as the RFC wants; a secret among
    /// them, or one name for two keys, spoils the whole.
    public init(_ bytes: [UInt8]) throws(JWKError) {
        let tree: JSONTree
        do throws(JSONFault) {
            tree = try JSON.value(JSONTree.self, of: bytes)
        } catch { throw .malformed }
        guard case .array(let members)? = tree["keys"] else { throw .malformed }
        guard members.count <= Self.keysMax else { throw .ambiguous }
        var keys: [JWK] = []
        for member in members {
            do throws(JWKError) {
                keys.append(try JWK(member))
            } catch {
                switch error {
                case .unsupported, .wrongUse, .invalid: continue
                case .malformed, .secret, .ambiguous: throw error
                }
            }
        }
        let names = keys.compactMap(\.keyID)
        guard Set(names).count == names.count else { throw .ambiguous }
        self.keys = keys
    }

    /// The key that a header names; without a name, the only one of its algorithm.
    func key(_ header: JOSEHeader) throws(JOSEError) -> JOSEKey {
        let found = keys.filter { key in
            header.keyID == nil || key.keyID == header.keyID
                || key.keyID == nil && keys.count == 1
        }
        let fitting = found.filter { $0.key.algorithm.rawValue == header.algorithm }
        guard let key = fitting.first else {
            throw found.isEmpty ? .unknownKey : .wrongAlgorithm
        }
        guard fitting.count == 1 else { throw .unknownKey }
        return key.key
    }
}
