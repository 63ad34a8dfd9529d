// What browsers answer: the JSON of `PublicKeyCredential.toJSON()` (WebAuthn Level 3, 5.1.8). What
// it says beside what is signed is taken and passed over.

/// What an authenticator says of a passkey that it has made.
public struct PasskeyAttestation: JSONObject, Hashable {
    /// The client data in base64url.
    public let clientDataJSON: String
    /// The attestation object in base64url.
    public let attestationObject: String
    /// How the authenticator is reached.
    public let transports: [String]?
    /// Within the attestation object, too.
    public let authenticatorData: String?
    /// Within the attestation object, too.
    public let publicKey: String?
    /// Within the attestation object, too.
    public let publicKeyAlgorithm: Int?

    /// All of it.
    public init(
        clientDataJSON: String,
        attestationObject: String,
        transports: [String]? = nil,
        authenticatorData: String? = nil,
        publicKey: String? = nil,
        publicKeyAlgorithm: Int? = nil
    ) {
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        self.authenticatorData = authenticatorData
        self.publicKey = publicKey
        self.publicKeyAlgorithm = publicKeyAlgorithm
    }

    /// The description.
    public static let json = Object(
        PasskeyAttestation.init,
        Field("clientDataJSON", \.clientDataJSON, .line(1...5_462)),
        Field("attestationObject", \.attestationObject, .line(1...21_846)),
        Field("transports", \.transports, .count(0...16)),
        Field("authenticatorData", \.authenticatorData, .line(1...10_924)),
        Field("publicKey", \.publicKey, .line(1...2_048)),
        Field("publicKeyAlgorithm", \.publicKeyAlgorithm)
    )
}

/// What an authenticator has signed with a passkey.
public struct PasskeySignature: JSONObject, Hashable {
    /// The client data in base64url.
    public let clientDataJSON: String
    /// The authenticator data in base64url.
    public let authenticatorData: String
    /// The signature in base64url.
    public let signature: String
    /// The user handle in base64url.
    public let userHandle: String?
    /// Of newer browsers; not asked for.
    public let attestationObject: String?

    /// All of it.
    public init(
        clientDataJSON: String,
        authenticatorData: String,
        signature: String,
        userHandle: String? = nil,
        attestationObject: String? = nil
    ) {
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
        self.attestationObject = attestationObject
    }

    /// The description.
    public static let json = Object(
        PasskeySignature.init,
        Field("clientDataJSON", \.clientDataJSON, .line(1...5_462)),
        Field("authenticatorData", \.authenticatorData, .line(1...10_924)),
        Field("signature", \.signature, .line(1...1_024)),
        Field("userHandle", \.userHandle, .line(0...128)),
        Field("attestationObject", \.attestationObject, .line(0...21_846))
    )
}

/// A `PublicKeyCredential` as its `toJSON()` writes it.
public struct PasskeyCredential<Response: JSONObject & Hashable>: JSONObject, Hashable {
    /// The credential's id in base64url.
    public let id: String
    /// The same.
    public let rawID: String?
    /// Always `public-key`.
    public let type: PasskeyType
    /// What the authenticator answers.
    public let response: Response
    /// `platform` or `cross-platform`.
    public let authenticatorAttachment: String?
    /// What extensions answer; none is asked for.
    public let clientExtensionResults: RawJSON?

    /// All of it.
    public init(
        id: String,
        rawID: String? = nil,
        type: PasskeyType = .publicKey,
        response: Response,
        authenticatorAttachment: String? = nil,
        clientExtensionResults: RawJSON? = nil
    ) {
        self.id = id
        self.rawID = rawID
        self.type = type
        self.response = response
        self.authenticatorAttachment = authenticatorAttachment
        self.clientExtensionResults = clientExtensionResults
    }

    /// The description.
    public static var json:
        Object<
            PasskeyCredential, String, String?, PasskeyType, Response, String?, RawJSON?
        >
    {
        Object(
            { @Sendable in
                PasskeyCredential(
                    id: $0,
                    rawID: $1,
                    type: $2,
                    response: $3,
                    authenticatorAttachment: $4,
                    clientExtensionResults: $5
                )
            },
            Field("id", \.id, .line(1...1_364)),
            Field("rawId", \.rawID, .line(1...1_364)),
            Field("type", \.type),
            Field("response", \.response),
            Field("authenticatorAttachment", \.authenticatorAttachment, .line(0...32)),
            Field("clientExtensionResults", \.clientExtensionResults)
        )
    }

    /// `PasskeyCredentialOf` and the response's name.
    public static var schemaName: String { "PasskeyCredentialOf\(Response.schemaName)" }
}

/// A passkey to be registered.
public struct NewPasskey: JSONObject, Hashable {
    /// Which challenge it answers.
    public let challengeID: ID<PasskeyCeremony>
    /// What the browser answers.
    public let credential: PasskeyCredential<PasskeyAttestation>
    /// What its owner calls it; the device's name where left out.
    public let name: String?

    /// All of it.
    public init(
        challengeID: ID<PasskeyCeremony>,
        credential: PasskeyCredential<PasskeyAttestation>,
        name: String? = nil
    ) {
        self.challengeID = challengeID
        self.credential = credential
        self.name = name
    }

    /// The description.
    public static let json = Object(
        NewPasskey.init,
        Field("challengeId", \.challengeID),
        Field("credential", \.credential),
        Field("name", \.name, .line(1...80))
    )
}

/// An assertion: that somebody has just used a passkey.
public struct PasskeyAssertion: JSONObject, Hashable {
    /// Which challenge it answers.
    public let challengeID: ID<PasskeyCeremony>
    /// What the browser answers.
    public let credential: PasskeyCredential<PasskeySignature>

    /// All of it.
    public init(
        challengeID: ID<PasskeyCeremony>,
        credential: PasskeyCredential<PasskeySignature>
    ) {
        self.challengeID = challengeID
        self.credential = credential
    }

    /// The description.
    public static let json = Object(
        PasskeyAssertion.init,
        Field("challengeId", \.challengeID),
        Field("credential", \.credential)
    )
}
