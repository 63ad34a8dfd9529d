// What browsers answer: the JSON of `PublicKeyCredential.toJSON()` (WebAuthn Level 3, 5.1.8). What
// it says beside what is signed is taken and passed over.

/// What an authenticator says of a passkey that it has made.
public struct PasskeyAttestation: JSONObject, Hashable {
    public let clientDataJSON: String
    public let attestationObject: String
    public let transports: [String]?
    public let authenticatorData: String?
    public let publicKey: String?
    public let publicKeyAlgorithm: Int?

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

    public static let json = Object(
        PasskeyAttestation.init,
        Field(
            "clientDataJSON",
            \.clientDataJSON,
            .line(1...5_462),
            about: "The client data in base64url."
        ),
        Field(
            "attestationObject",
            \.attestationObject,
            .line(1...21_846),
            about: "The attestation object in base64url."
        ),
        Field(
            "transports",
            \.transports,
            .count(0...16),
            about: "How the authenticator is reached."
        ),
        Field(
            "authenticatorData",
            \.authenticatorData,
            .line(1...10_924),
            about: "Within the attestation object, too."
        ),
        Field(
            "publicKey",
            \.publicKey,
            .line(1...2_048),
            about: "Within the attestation object, too."
        ),
        Field(
            "publicKeyAlgorithm",
            \.publicKeyAlgorithm,
            about: "Within the attestation object, too."
        )
    )
}

/// What an authenticator has signed with a passkey.
public struct PasskeySignature: JSONObject, Hashable {
    public let clientDataJSON: String
    public let authenticatorData: String
    public let signature: String
    public let userHandle: String?
    public let attestationObject: String?

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

    public static let json = Object(
        PasskeySignature.init,
        Field(
            "clientDataJSON",
            \.clientDataJSON,
            .line(1...5_462),
            about: "The client data in base64url."
        ),
        Field(
            "authenticatorData",
            \.authenticatorData,
            .line(1...10_924),
            about: "The authenticator data in base64url."
        ),
        Field("signature", \.signature, .line(1...1_024), about: "The signature in base64url."),
        Field("userHandle", \.userHandle, .line(0...128), about: "The user handle in base64url."),
        Field(
            "attestationObject",
            \.attestationObject,
            .line(0...21_846),
            about: "Of newer browsers; not asked for."
        )
    )
}

/// A `PublicKeyCredential` as its `toJSON()` writes it.
public struct PasskeyCredential<Response: JSONObject & Hashable>: JSONObject, Hashable {
    public let id: String
    public let rawID: String?
    public let type: PasskeyType
    public let response: Response
    public let authenticatorAttachment: String?
    public let clientExtensionResults: RawJSON?

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
            Field("id", \.id, .line(1...1_364), about: "The credential's id in base64url."),
            Field("rawId", \.rawID, .line(1...1_364), about: "The same."),
            Field("type", \.type, about: "Always `public-key`."),
            Field("response", \.response, about: "What the authenticator answers."),
            Field(
                "authenticatorAttachment",
                \.authenticatorAttachment,
                .line(0...32),
                about: "`platform` or `cross-platform`."
            ),
            Field(
                "clientExtensionResults",
                \.clientExtensionResults,
                about: "What extensions answer; none is asked for."
            )
        )
    }

    /// `PasskeyCredentialOf` and the response's name.
    public static var schemaName: String { "PasskeyCredentialOf\(Response.schemaName)" }
}

/// A passkey to be registered.
public struct NewPasskey: JSONObject, Hashable {
    public let challengeID: ID<PasskeyCeremony>
    public let credential: PasskeyCredential<PasskeyAttestation>
    public let name: String?

    public init(
        challengeID: ID<PasskeyCeremony>,
        credential: PasskeyCredential<PasskeyAttestation>,
        name: String? = nil
    ) {
        self.challengeID = challengeID
        self.credential = credential
        self.name = name
    }

    public static let json = Object(
        NewPasskey.init,
        Field("challengeId", \.challengeID, about: "Which challenge it answers."),
        Field("credential", \.credential, about: "What the browser answers."),
        Field(
            "name",
            \.name,
            .line(1...80),
            about: "What its owner calls it; the device's name where left out."
        )
    )
}

/// An assertion: that somebody has just used a passkey.
public struct PasskeyAssertion: JSONObject, Hashable {
    public let challengeID: ID<PasskeyCeremony>
    public let credential: PasskeyCredential<PasskeySignature>

    public init(
        challengeID: ID<PasskeyCeremony>,
        credential: PasskeyCredential<PasskeySignature>
    ) {
        self.challengeID = challengeID
        self.credential = credential
    }

    public static let json = Object(
        PasskeyAssertion.init,
        Field("challengeId", \.challengeID, about: "Which challenge it answers."),
        Field("credential", \.credential, about: "What the browser answers.")
    )
}
