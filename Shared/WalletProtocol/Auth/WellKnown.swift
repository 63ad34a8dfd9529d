/// A public key (RFC 7517).
public struct KeyView: JSONObject, Hashable {
    /// The family: `EC`.
    public let keyType: String
    /// The curve: `P-256`.
    public let curve: String
    /// The first coordinate, base64url.
    public let x: String
    /// The second coordinate, base64url.
    public let y: String
    /// The name that tokens give.
    public let keyID: String
    /// `sig`.
    public let use: String
    /// `ES256`.
    public let algorithm: String

    /// All of it.
    public init(
        keyType: String,
        curve: String,
        x: String,
        y: String,
        keyID: String,
        use: String,
        algorithm: String
    ) {
        self.keyType = keyType
        self.curve = curve
        self.x = x
        self.y = y
        self.keyID = keyID
        self.use = use
        self.algorithm = algorithm
    }

    /// The description.
    public static let json = Object(
        KeyView.init,
        Field("kty", \.keyType),
        Field("crv", \.curve),
        Field("x", \.x),
        Field("y", \.y),
        Field("kid", \.keyID),
        Field("use", \.use),
        Field("alg", \.algorithm)
    )
}

/// The keys that tokens are checked with (RFC 7517).
public struct KeySetView: JSONObject, Hashable {
    /// The keys: the one in use, the next, and those whose tokens still live.
    public let keys: [KeyView]

    /// All of it.
    public init(keys: [KeyView]) {
        self.keys = keys
    }

    /// The description.
    public static let json = Object(
        KeySetView.init,
        Field("keys", \.keys)
    )
}

/// What OpenID Connect Discovery 1.0 wants to know.
public struct OpenIDConfiguration: JSONObject, Hashable {
    /// The issuer of the tokens.
    public let issuer: String
    /// Where the keys are.
    public let keySetURI: String
    /// Where sessions begin.
    public let tokenEndpoint: String
    /// None beyond the token.
    public let responseTypes: [String]
    /// `public`.
    public let subjectTypes: [String]
    /// `ES256`.
    public let signingAlgorithms: [String]

    /// All of it.
    public init(
        issuer: String,
        keySetURI: String,
        tokenEndpoint: String,
        responseTypes: [String],
        subjectTypes: [String],
        signingAlgorithms: [String]
    ) {
        self.issuer = issuer
        self.keySetURI = keySetURI
        self.tokenEndpoint = tokenEndpoint
        self.responseTypes = responseTypes
        self.subjectTypes = subjectTypes
        self.signingAlgorithms = signingAlgorithms
    }

    /// The description.
    public static let json = Object(
        OpenIDConfiguration.init,
        Field("issuer", \.issuer),
        Field("jwks_uri", \.keySetURI),
        Field("token_endpoint", \.tokenEndpoint),
        Field("response_types_supported", \.responseTypes),
        Field("subject_types_supported", \.subjectTypes),
        Field("id_token_signing_alg_values_supported", \.signingAlgorithms)
    )
}

/// What token checkers read.
public enum WellKnown {
    /// The keys.
    public static let keys = Endpoint<NoQuery, NoBody, KeySetView>(
        "getKeys",
        .get,
        "/.well-known/jwks.json",
        of: .auth,
        for: .anyone,
        summary: "Public keys of the access tokens"
    )

    /// The configuration.
    public static let configuration = Endpoint<NoQuery, NoBody, OpenIDConfiguration>(
        "getOpenIDConfiguration",
        .get,
        "/.well-known/openid-configuration",
        of: .auth,
        for: .anyone,
        summary: "Where the keys and tokens are"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [keys.erased, configuration.erased]
}
