internal import Crypto
internal import Loops
public import WalletProtocol

/// Where the public keys of tokens come from: the network, or (in auth) the database.
public protocol KeySource: AnyObject {
    /// The key of that name, asked for anew where it is not known; nil: there is none.
    /// - Throws: 503 where nobody can say.
    func key(_ id: String) async throws(APIError) -> VerificationKey?
}

/// A public key.
public struct VerificationKey {
    let key: ES256Key
    /// From its coordinates; nil where it is no key for ES256 signatures.
    public init?(_ view: KeyView) {
        guard view.keyType == "EC", view.curve == "P-256", view.use == "sig",
            view.algorithm == "ES256", let x = Base64URL.decode(view.x.utf8),
            let y = Base64URL.decode(view.y.utf8), let key = try? ES256Key(x: x, y: y),
            key.id == view.keyID
        else { return nil }
        self.key = key
    }
}

/// Verifies tokens on one loop, and remembers which it has verified until they end.
///
/// A remembered token costs one look-up; a new one about 70 µs of ECDSA. It is looked up by a hash
/// that is keyed anew in each process, so that nobody can aim at a place, and then compared whole
/// in constant time, so that nobody learns how much of a guess was right.
/// Source: RFC 7519; RFC 8725 (algorithm by key, type, audience, no header-given keys); RFC 9068.
package final class TokenVerifier {
    static let leewaySeconds = 5

    private let issuer: String
    private let keys: any KeySource
    private let rememberedMax: Int
    private let hash: (ArraySlice<UInt8>) -> Int
    /// By hash: of two tokens that share one, the later takes the place.
    private var remembered: [Int: VerifiedToken] = [:]
    var rememberedCount: Int { remembered.count }

    /// For tokens of that issuer.
    package convenience init(issuer: String, keys: any KeySource) {
        self.init(issuer: issuer, keys: keys, rememberedMax: 8_192, hash: keyedHash)
    }

    init(
        issuer: String,
        keys: any KeySource,
        rememberedMax: Int,
        hash: @escaping (ArraySlice<UInt8>) -> Int
    ) {
        self.issuer = issuer
        self.keys = keys
        self.rememberedMax = rememberedMax
        self.hash = hash
    }

    private struct Header: JSONObject {
        let algorithm: String
        let keyID: String
        let type: String?
        let critical: [String]?
        static let json = Object(
            Header.init,
            Field("alg", \.algorithm),
            Field("kid", \.keyID),
            Field("typ", \.type),
            Field("crit", \.critical)
        )
    }

    /// The claims of a good token, and its key's name.
    /// - Throws: 401, always alike.
    func verify(
        _ token: ArraySlice<UInt8>,
        audience: String
    ) async throws(APIError) -> (claims: AccessClaims, keyID: String) {
        let verified = try await verified(token, audience: audience)
        return (verified.claims, verified.keyID)
    }

    /// Whose token it is.
    /// - Throws: 401, always alike.
    func user(_ token: ArraySlice<UInt8>) async throws(APIError) -> UserIdentity {
        guard let user = try await verified(token, audience: AccessClaims.userAudience).user else {
            throw APIError(.unauthenticated)
        }
        return user
    }

    private func verified(
        _ token: ArraySlice<UInt8>,
        audience: String
    ) async throws(APIError) -> VerifiedToken {
        let now = Int(Instant.now().secondsSince1970)
        let place = hash(token)
        if let known = remembered[place], equalInConstantTime(known.token, token) {
            guard known.claims.expiresAt > now, known.claims.audience == audience else {
                throw APIError(.unauthenticated)
            }
            return known
        }
        let bytes = Array(token)
        guard let parsed = try? CompactJWS(bytes),
            let header = try? JSON.read(
                Header.self,
                from: parsed.header,
                ignoringUnknownFields: true
            ),
            header.algorithm == "ES256", header.critical == nil,
            header.type?.lowercased() == CompactJWS.accessTokenType,
            let key = try await keys.key(header.keyID), parsed.isSigned(by: key.key),
            let claims = try? JSON.read(
                AccessClaims.self,
                from: parsed.payload,
                ignoringUnknownFields: true
            ),
            claims.issuer == issuer, claims.audience == audience, claims.expiresAt > now,
            claims.notBefore ?? 0 <= now + Self.leewaySeconds,
            claims.issuedAt <= now + Self.leewaySeconds
        else { throw APIError(.unauthenticated) }
        if remembered.count >= rememberedMax { forgetExpired(now: now) }
        let verified = VerifiedToken(bytes, claims, keyID: header.keyID)
        remembered[place] = verified
        return verified
    }

    private func forgetExpired(now: Int) {
        remembered = remembered.filter { $0.value.claims.expiresAt > now }
        // Still full: forgetting all costs each one verification, growing without bound more.
        if remembered.count >= rememberedMax { remembered.removeAll() }
    }
}

/// A token whose signature was verified, and what it says.
private struct VerifiedToken {
    let token: [UInt8]
    let claims: AccessClaims
    let keyID: String
    /// Whose it is; nil where it says too little of that.
    let user: UserIdentity?

    init(_ token: [UInt8], _ claims: AccessClaims, keyID: String) {
        self.token = token
        self.claims = claims
        self.keyID = keyID
        user = UserIdentity(claims, keyID: keyID, token: token)
    }
}

/// SipHash under the process's own key, over all bytes at once: `Array` hashes one by one.
func keyedHash(_ bytes: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    // Safety: lent for one call.
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return hasher.finalize()
}
