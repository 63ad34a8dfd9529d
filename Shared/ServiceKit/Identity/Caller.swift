public import WalletProtocol

/// Who is signed in, by a token that was verified and not revoked.
public struct UserIdentity: Sendable, Hashable {
    /// The user.
    public let id: ID<User>
    /// The session that the token is of.
    public let session: ID<Session>
    /// What the user may be.
    public let roles: Set<Role>
    /// The user's generation that the token was made under.
    public let generation: Int
    /// When the user last proved who they are.
    public let authenticatedAt: Instant
    /// How (`amr`, RFC 8176).
    public let methods: [String]
    /// When the token ends; what is still open then (a stream) ends too.
    public let expiresAt: Instant
    /// The key that signed the token.
    public let keyID: String
    /// The token itself, to be sent on when acting for the user within this request.
    public let token: String
    /// How much the session's proofs are worth (`acr`): see `AccessClaims.level(of:)`.
    public internal(set) var level = AccessClaims.oneFactor

    /// How long a proof of identity opens what is dangerous: 10 minutes.
    public static let proofSeconds: Int64 = 600

    /// Whether the user proved who they are within the last 10 minutes, to us: an identity provider
    /// may answer for somebody who left a browser open, and asks for nothing.
    public var hasFreshProof: Bool {
        methods != [AccessClaims.federated]
            && authenticatedAt.adding(seconds: Self.proofSeconds) > .now()
    }

    /// Asks for a proof of identity not older than 10 minutes.
    /// - Throws: 403 `step-up-required`.
    public func requireFreshProof() throws(APIError) {
        guard hasFreshProof else { throw APIError(.stepUpRequired) }
    }
}

extension UserIdentity {
    /// Whose token says this; nil where it says too little.
    init?(_ claims: AccessClaims, keyID: String, token: [UInt8]) {
        guard let id = ID<User>(claims.subject), let session = claims.session,
            let generation = claims.generation
        else { return nil }
        self.init(
            id: id,
            session: session,
            roles: Set(claims.roles ?? []),
            generation: generation,
            authenticatedAt: Instant(
                secondsSince1970: Int64(claims.authenticatedAt ?? claims.issuedAt)
            ),
            methods: claims.methods ?? [],
            expiresAt: Instant(secondsSince1970: Int64(claims.expiresAt)),
            keyID: keyID,
            token: String(decoding: token, as: UTF8.self),
            level: claims.level ?? AccessClaims.oneFactor
        )
    }
}

/// Who asks.
public enum Caller: Sendable, Hashable {
    /// Somebody not signed in.
    case anyone
    /// Somebody signed in.
    case user(UserIdentity)
    /// A service in its own name.
    case service(ServiceName)

    /// The user of an endpoint whose right guarantees one.
    public var user: UserIdentity {
        // Cannot fire: no handler asks whose endpoint is for anyone or for services; where it is
        // for users, nobody else comes so far (`Identity.caller`).
        guard case .user(let user) = self else {
            preconditionFailure("an endpoint for users was called without one")
        }
        return user
    }

    /// The user, where one is signed in.
    public var optionalUser: UserIdentity? {
        if case .user(let user) = self { user } else { nil }
    }

    /// Who it is, as one word: the scope of idempotency keys.
    public var name: String {
        switch self {
        case .anyone: "anyone"
        case .user(let user): user.id.text
        case .service(let service): "service:" + service.rawValue
        }
    }
}

/// What an access token says; the same type writes and reads it.
///
/// Source: RFC 7519; RFC 9068 (`auth_time`, `acr`, `amr`); RFC 8176; RFC 9470.
public struct AccessClaims: JSONObject, Hashable {
    /// Who made it.
    public let issuer: String
    /// Whom it is for.
    public let audience: String
    /// A user's id, or `service:<name>`.
    public let subject: String
    /// The session.
    public let session: ID<Session>?
    /// The user's roles.
    public let roles: [Role]?
    /// The user's generation.
    public let generation: Int?
    /// When it was made, in seconds since 1970.
    public let issuedAt: Int
    /// When it ends.
    public let expiresAt: Int
    /// From when on it counts.
    public let notBefore: Int?
    /// When the user last proved who they are.
    public let authenticatedAt: Int?
    /// How.
    public let methods: [String]?
    /// What that is worth: one factor or more.
    public let level: String?

    /// Claims.
    public init(
        issuer: String,
        audience: String,
        subject: String,
        session: ID<Session>? = nil,
        roles: [Role]? = nil,
        generation: Int? = nil,
        issuedAt: Int,
        expiresAt: Int,
        notBefore: Int? = nil,
        authenticatedAt: Int? = nil,
        methods: [String]? = nil,
        level: String? = nil
    ) {
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.session = session
        self.roles = roles
        self.generation = generation
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.notBefore = notBefore
        self.authenticatedAt = authenticatedAt
        self.methods = methods
        self.level = level
    }

    /// Names as they stand in the token.
    public static let json = Object(
        AccessClaims.init,
        Field("iss", \.issuer),
        Field("aud", \.audience),
        Field("sub", \.subject),
        Field("sid", \.session),
        Field("roles", \.roles),
        Field("gen", \.generation),
        Field("iat", \.issuedAt),
        Field("exp", \.expiresAt),
        Field("nbf", \.notBefore),
        Field("auth_time", \.authenticatedAt),
        Field("amr", \.methods),
        Field("acr", \.level)
    )

    /// `amr` of a proof by another provider.
    public static let federated = "fed"
    /// `acr` of a proof by one factor: a password, a code, an identity elsewhere.
    public static let oneFactor = "1"
    /// `acr` of a proof by two: a password and a code, or a passkey that verified its user.
    public static let twoFactors = "2"

    /// What methods of RFC 8176 are worth together.
    public static func level(of methods: [String]) -> String {
        let isPasskey = methods.contains("hwk") || methods.contains("swk")
        return methods.contains("mfa") || (isPasskey && methods.contains("user"))
            ? twoFactors : oneFactor
    }

    /// The audience of users' tokens.
    public static let userAudience = "ezwallet"
    /// The audience of services' tokens.
    public static let serviceAudience = "ezwallet-internal"
    /// Before the name of a service in `sub`.
    public static let servicePrefix = "service:"
}
