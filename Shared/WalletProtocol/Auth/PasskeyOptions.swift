// What browsers are asked: the JSON of WebAuthn Level 3, 5.1.9 and 5.1.10, which
// `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON` take whole.

/// The only type of credential there is.
public enum PasskeyType: String, StringEnum {
    /// A public key.
    case publicKey = "public-key"
}

/// A credential by its id.
public struct PasskeyDescriptor: JSONObject, Hashable {
    public let type: PasskeyType
    public let id: String
    public let transports: [String]?

    /// A credential.
    public init(type: PasskeyType = .publicKey, id: String, transports: [String]? = nil) {
        self.type = type
        self.id = id
        self.transports = transports
    }

    public static let json = Object(
        PasskeyDescriptor.init,
        Field("type", \.type, about: "Always `public-key`."),
        Field("id", \.id, about: "The id in base64url."),
        Field(
            "transports",
            \.transports,
            about: "How its authenticator is reached, where that is known and may be told."
        )
    )
}

/// Who asks for a passkey.
public struct PasskeyParty: JSONObject, Hashable {
    public let id: String
    public let name: String

    /// A party.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    public static let json = Object(
        PasskeyParty.init,
        Field("id", \.id, about: "The host of the public address."),
        Field("name", \.name, about: "What people know it as.")
    )
}

/// Whom a passkey is for.
public struct PasskeyUser: JSONObject, Hashable {
    public let id: String
    public let name: String
    public let displayName: String

    /// A user.
    public init(id: String, name: String, displayName: String) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }

    public static let json = Object(
        PasskeyUser.init,
        Field("id", \.id, about: "The user handle in base64url."),
        Field("name", \.name, about: "The username."),
        Field("displayName", \.displayName, about: "What the authenticator shows.")
    )
}

/// An algorithm that is taken.
public struct PasskeyParameter: JSONObject, Hashable {
    public let type: PasskeyType
    public let alg: Int

    /// An algorithm.
    public init(type: PasskeyType = .publicKey, alg: Int) {
        self.type = type
        self.alg = alg
    }

    public static let json = Object(
        PasskeyParameter.init,
        Field("type", \.type, about: "Always `public-key`."),
        Field("alg", \.alg, about: "COSE's number of the algorithm.")
    )
}

/// What the authenticator must be able to do.
public struct PasskeySelection: JSONObject, Hashable {
    public let residentKey: String
    public let requireResidentKey: Bool
    public let userVerification: String

    /// What is asked of all.
    public init(
        residentKey: String = "required",
        requireResidentKey: Bool = true,
        userVerification: String = "required"
    ) {
        self.residentKey = residentKey
        self.requireResidentKey = requireResidentKey
        self.userVerification = userVerification
    }

    public static let json = Object(
        PasskeySelection.init,
        Field(
            "residentKey",
            \.residentKey,
            about: "Always `required`: it is found without a name."
        ),
        Field("requireResidentKey", \.requireResidentKey, about: "The same for older browsers."),
        Field(
            "userVerification",
            \.userVerification,
            about: "Always `required`: by face, finger or PIN."
        )
    )
}

/// What a browser makes a passkey from.
public struct PasskeyCreationOptions: JSONObject, Hashable {
    public let rp: PasskeyParty
    public let user: PasskeyUser
    public let challenge: String
    public let pubKeyCredParams: [PasskeyParameter]
    public let timeout: Int
    public let excludeCredentials: [PasskeyDescriptor]
    public let authenticatorSelection: PasskeySelection
    public let attestation: String

    public init(
        rp: PasskeyParty,
        user: PasskeyUser,
        challenge: String,
        pubKeyCredParams: [PasskeyParameter],
        timeout: Int,
        excludeCredentials: [PasskeyDescriptor],
        authenticatorSelection: PasskeySelection = PasskeySelection(),
        attestation: String = "none"
    ) {
        self.rp = rp
        self.user = user
        self.challenge = challenge
        self.pubKeyCredParams = pubKeyCredParams
        self.timeout = timeout
        self.excludeCredentials = excludeCredentials
        self.authenticatorSelection = authenticatorSelection
        self.attestation = attestation
    }

    public static let json = Object(
        PasskeyCreationOptions.init,
        Field("rp", \.rp, about: "Who asks."),
        Field("user", \.user, about: "For whom."),
        Field("challenge", \.challenge, about: "What is to be signed, in base64url."),
        Field(
            "pubKeyCredParams",
            \.pubKeyCredParams,
            about: "The algorithms, the one preferred first."
        ),
        Field("timeout", \.timeout, about: "How long it can be answered, in milliseconds."),
        Field("excludeCredentials", \.excludeCredentials, about: "What the user has already."),
        Field(
            "authenticatorSelection",
            \.authenticatorSelection,
            about: "What the authenticator must be able to do."
        ),
        Field(
            "attestation",
            \.attestation,
            about: "Always `none`: nobody's brand of authenticator is asked."
        )
    )
}

/// What a browser signs with a passkey.
public struct PasskeyRequestOptions: JSONObject, Hashable {
    public let challenge: String
    public let timeout: Int
    public let rpID: String
    public let allowCredentials: [PasskeyDescriptor]
    public let userVerification: String

    public init(
        challenge: String,
        timeout: Int,
        rpID: String,
        allowCredentials: [PasskeyDescriptor],
        userVerification: String = "required"
    ) {
        self.challenge = challenge
        self.timeout = timeout
        self.rpID = rpID
        self.allowCredentials = allowCredentials
        self.userVerification = userVerification
    }

    public static let json = Object(
        PasskeyRequestOptions.init,
        Field("challenge", \.challenge, about: "What is to be signed, in base64url."),
        Field("timeout", \.timeout, about: "How long it can be answered, in milliseconds."),
        Field("rpId", \.rpID, about: "The host of the public address."),
        Field(
            "allowCredentials",
            \.allowCredentials,
            about: """
                Which passkeys will do, the likeliest first; with none any that the device has for \
                us.
                """
        ),
        Field("userVerification", \.userVerification, about: "Always `required`.")
    )
}
