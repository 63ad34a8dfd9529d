/// A public key (RFC 7517).
public struct KeyView: JSONObject, Hashable {
    public let keyType: String
    public let curve: String
    public let x: String
    public let y: String
    public let keyID: String
    public let use: String
    public let algorithm: String

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

    public static let json = Object(
        KeyView.init,
        Field("kty", \.keyType, about: "The family: `EC`."),
        Field("crv", \.curve, about: "The curve: `P-256`."),
        Field("x", \.x, about: "The first coordinate, base64url."),
        Field("y", \.y, about: "The second coordinate, base64url."),
        Field("kid", \.keyID, about: "The name that tokens give."),
        Field("use", \.use, about: "`sig`."),
        Field("alg", \.algorithm, about: "`ES256`.")
    )
}

/// The keys that tokens are checked with (RFC 7517).
public struct KeySetView: JSONObject, Hashable {
    public let keys: [KeyView]

    public init(keys: [KeyView]) {
        self.keys = keys
    }

    public static let json = Object(
        KeySetView.init,
        Field(
            "keys",
            \.keys,
            about: "The keys: the one in use, the next, and those whose tokens still live."
        )
    )
}

/// What OpenID Connect Discovery 1.0 wants to know.
public struct OpenIDConfiguration: JSONObject, Hashable {
    public let issuer: String
    public let keySetURI: String
    public let tokenEndpoint: String
    public let responseTypes: [String]
    public let subjectTypes: [String]
    public let signingAlgorithms: [String]

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

    public static let json = Object(
        OpenIDConfiguration.init,
        Field("issuer", \.issuer, about: "The issuer of the tokens."),
        Field("jwks_uri", \.keySetURI, about: "Where the keys are."),
        Field("token_endpoint", \.tokenEndpoint, about: "Where sessions begin."),
        Field("response_types_supported", \.responseTypes, about: "None beyond the token."),
        Field("subject_types_supported", \.subjectTypes, about: "`public`."),
        Field("id_token_signing_alg_values_supported", \.signingAlgorithms, about: "`ES256`.")
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
        caching: .everybody(seconds: 300),
        summary: "Public keys of the access tokens"
    )

    /// The configuration.
    public static let configuration = Endpoint<NoQuery, NoBody, OpenIDConfiguration>(
        "getOpenIDConfiguration",
        .get,
        "/.well-known/openid-configuration",
        of: .auth,
        for: .anyone,
        caching: .everybody(seconds: 300),
        summary: "Where the keys and tokens are"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [keys.erased, configuration.erased]
}
