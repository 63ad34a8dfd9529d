// What browsers are asked: the JSON of WebAuthn Level 3, 5.1.9 and 5.1.10, which
// `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON` take whole.

/// The only type of credential there is.
public enum PasskeyType: String, StringEnum {
    /// A public key.
    case publicKey = "public-key"
}

/// A credential by its id.
public struct PasskeyDescriptor: JSONObject, Hashable {
    /// Always `public-key`.
    public let type: PasskeyType
    /// The id in base64url.
    public let id: String
    /// How its authenticator is reached, where that is known and may be told.
    public let transports: [String]?

    /// A credential.
    public init(type: PasskeyType = .publicKey, id: String, transports: [String]? = nil) {
        self.type = type
        self.id = id
        self.transports = transports
    }

    /// The description.
    public static let json = Object(
        PasskeyDescriptor.init,
        Field("type", \.type),
        Field("id", \.id),
        Field("transports", \.transports)
    )
}

/// Who asks for a passkey.
public struct PasskeyParty: JSONObject, Hashable {
    /// The host of the public address.
    public let id: String
    /// What people know it as.
    public let name: String

    /// A party.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// The description.
    public static let json = Object(
        PasskeyParty.init,
        Field("id", \.id),
        Field("name", \.name)
    )
}

/// Whom a passkey is for.
public struct PasskeyUser: JSONObject, Hashable {
    /// The user handle in base64url.
    public let id: String
    /// The username.
    public let name: String
    /// What the authenticator shows.
    public let displayName: String

    /// A user.
    public init(id: String, name: String, displayName: String) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }

    /// The description.
    public static let json = Object(
        PasskeyUser.init,
        Field("id", \.id),
        Field("name", \.name),
        Field("displayName", \.displayName)
    )
}

/// An algorithm that is taken.
public struct PasskeyParameter: JSONObject, Hashable {
    /// Always `public-key`.
    public let type: PasskeyType
    /// COSE's number of the algorithm.
    public let alg: Int

    /// An algorithm.
    public init(type: PasskeyType = .publicKey, alg: Int) {
        self.type = type
        self.alg = alg
    }

    /// The description.
    public static let json = Object(
        PasskeyParameter.init,
        Field("type", \.type),
        Field("alg", \.alg)
    )
}

/// What the authenticator must be able to do.
public struct PasskeySelection: JSONObject, Hashable {
    /// Always `required`: it is found without a name.
    public let residentKey: String
    /// The same for older browsers.
    public let requireResidentKey: Bool
    /// Always `required`: by face, finger or PIN.
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

    /// The description.
    public static let json = Object(
        PasskeySelection.init,
        Field("residentKey", \.residentKey),
        Field("requireResidentKey", \.requireResidentKey),
        Field("userVerification", \.userVerification)
    )
}

/// What a browser makes a passkey from.
public struct PasskeyCreationOptions: JSONObject, Hashable {
    /// Who asks.
    public let rp: PasskeyParty
    /// For whom.
    public let user: PasskeyUser
    /// What is to be signed, in base64url.
    public let challenge: String
    /// The algorithms, the one preferred first.
    public let pubKeyCredParams: [PasskeyParameter]
    /// How long it can be answered, in milliseconds.
    public let timeout: Int
    /// What the user has already.
    public let excludeCredentials: [PasskeyDescriptor]
    /// What the authenticator must be able to do.
    public let authenticatorSelection: PasskeySelection
    /// Always `none`: nobody's brand of authenticator is asked.
    public let attestation: String

    /// All of it.
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

    /// The description.
    public static let json = Object(
        PasskeyCreationOptions.init,
        Field("rp", \.rp),
        Field("user", \.user),
        Field("challenge", \.challenge),
        Field("pubKeyCredParams", \.pubKeyCredParams),
        Field("timeout", \.timeout),
        Field("excludeCredentials", \.excludeCredentials),
        Field("authenticatorSelection", \.authenticatorSelection),
        Field("attestation", \.attestation)
    )
}

/// What a browser signs with a passkey.
public struct PasskeyRequestOptions: JSONObject, Hashable {
    /// What is to be signed, in base64url.
    public let challenge: String
    /// How long it can be answered, in milliseconds.
    public let timeout: Int
    /// The host of the public address.
    public let rpID: String
    /// Which passkeys will do, the likeliest first; with none any that the device has for us.
    public let allowCredentials: [PasskeyDescriptor]
    /// Always `required`.
    public let userVerification: String

    /// All of it.
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

    /// The description.
    public static let json = Object(
        PasskeyRequestOptions.init,
        Field("challenge", \.challenge),
        Field("timeout", \.timeout),
        Field("rpId", \.rpID),
        Field("allowCredentials", \.allowCredentials),
        Field("userVerification", \.userVerification)
    )
}
