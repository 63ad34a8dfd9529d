import Crypto
import JOSE
import WalletProtocol

/// A person as a provider knows them.
struct ExternalIdentity: Sendable, Equatable {
    let provider: String
    let issuer: String
    let subject: String
    var email: EmailAddress?
    var emailIsVerified: Bool
}

/// Why an ID token counts for nothing.
enum IDTokenError: Error, Equatable {
    case signature(JOSEError)
    case claim(String)
}

/// What an ID token is held against (OpenID Connect Core 1.0, 3.1.3.7).
struct IDTokenCheck {
    let provider: String
    let issuer: String
    let clientID: String
    let nonce: String
    let accessToken: String?
    var now = Instant.now().secondsSince1970

    /// What clocks may differ by.
    static let leewaySeconds: Int64 = 60
    /// How old a token may be that was just asked for.
    static let ageSecondsMax: Int64 = 600
    /// What providers may sign with: never `none`, never the client's secret.
    static let algorithms: Set<JOSEAlgorithm> = [.rs256, .es256]

    func identity(_ token: String, signedBy keys: JWKSet) throws -> ExternalIdentity {
        let verified: VerifiedJWS
        do throws(JOSEError) {
            verified = try VerifiedJWS(token.utf8, by: keys, allowing: Self.algorithms)
        } catch { throw IDTokenError.signature(error) }
        try require(verified.type == nil || verified.type?.lowercased() == "jwt", "typ")
        guard let claims = try? JSON.read(JSONTree.self, from: verified.payload) else {
            throw IDTokenError.claim("JSON")
        }
        try check(claims, accessToken: accessToken)
        guard case .string(let subject)? = claims["sub"], (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f })
        else { throw IDTokenError.claim("sub") }
        var identity = ExternalIdentity(
            provider: provider,
            issuer: issuer,
            subject: subject,
            email: nil,
            emailIsVerified: false
        )
        identity.takeEmail(from: claims)
        return identity
    }

    private func check(_ claims: JSONTree, accessToken: String?) throws {
        try require(claims["iss"] == .string(issuer), "iss")
        let audiences: [JSONTree] =
            switch claims["aud"] {
            case .string(let one)?: [.string(one)]
            case .array(let many)?: many
            default: []
            }
        try require(audiences.contains(.string(clientID)), "aud")
        // For others, too: then it says that it was made for us.
        try require(audiences.count == 1 || claims["azp"] != nil, "azp")
        try require(claims["azp"] ?? .string(clientID) == .string(clientID), "azp")
        guard let expiry = Self.seconds(claims["exp"]), let issued = Self.seconds(claims["iat"])
        else { throw IDTokenError.claim("exp") }
        try require(expiry > now - Self.leewaySeconds, "exp")
        try require(issued <= now + Self.leewaySeconds, "iat")
        try require(issued >= now - Self.ageSecondsMax - Self.leewaySeconds, "iat")
        if let begin = claims["nbf"] {
            try require(Self.seconds(begin) ?? .max <= now + Self.leewaySeconds, "nbf")
        }
        guard case .string(let told)? = claims["nonce"],
            equalInConstantTime(Array(told.utf8), Array(nonce.utf8))
        else { throw IDTokenError.claim("nonce") }
        if let hash = claims["at_hash"] {
            // Both algorithms hash with SHA-256 (3.1.3.6): its left half.
            let half = SHA256.digest((accessToken ?? "").utf8).prefix(16)
            try require(
                accessToken != nil && hash == .string(Base64URL.encode(half)),
                "at_hash"
            )
        }
    }

    private func require(_ condition: Bool, _ claim: String) throws {
        guard condition else { throw IDTokenError.claim(claim) }
    }

    /// A NumericDate (RFC 7519, 2), within what can be reckoned with.
    private static func seconds(_ value: JSONTree?) -> Int64? {
        switch value {
        case .integer(let seconds)?: (0..<1 << 50).contains(seconds) ? seconds : nil
        case .number(let seconds)?: (0..<1e15).contains(seconds) ? Int64(seconds) : nil
        default: nil
        }
    }
}

extension ExternalIdentity {
    /// Takes the address where it is one; some providers tell the truth value as a text.
    mutating func takeEmail(from claims: JSONTree) {
        guard case .string(let text)? = claims["email"], let address = EmailAddress(canonical: text)
        else {
            return
        }
        email = address
        let told = claims["email_verified"]
        emailIsVerified = told == .bool(true) || told == .string("true")
    }
}
