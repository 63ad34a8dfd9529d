/// A challenge to make a passkey.
public struct PasskeyCreation: JSONObject, Hashable {
    public let challengeID: ID<PasskeyCeremony>
    public let expiresAt: Instant
    public let publicKey: PasskeyCreationOptions

    public init(
        challengeID: ID<PasskeyCeremony>,
        expiresAt: Instant,
        publicKey: PasskeyCreationOptions
    ) {
        self.challengeID = challengeID
        self.expiresAt = expiresAt
        self.publicKey = publicKey
    }

    public static let json = Object(
        PasskeyCreation.init,
        Field("challengeId", \.challengeID, about: "Told again with the answer."),
        Field("expiresAt", \.expiresAt, about: "Until when it can be answered."),
        Field("publicKey", \.publicKey, about: "For `navigator.credentials.create`.")
    )
}

/// Who wants to use a passkey.
public struct PasskeyRequest: JSONObject, Hashable {
    public let identifier: String?
    public let deviceToken: String?
    public let fastForward: Bool

    public init(
        identifier: String? = nil,
        deviceToken: String? = nil,
        fastForward: Bool = true
    ) {
        self.identifier = identifier
        self.deviceToken = deviceToken
        self.fastForward = fastForward
    }

    public static let json = Object(
        PasskeyRequest.init,
        Field(
            "identifier",
            \.identifier,
            .line(1...254),
            about: "The e-mail address or the username, where somebody has typed one."
        ),
        Field(
            "deviceToken",
            \.deviceToken,
            .line(1...256),
            about: "What an earlier log-in gave this device; browsers have it as a cookie."
        ),
        Field(
            "fastForward",
            \.fastForward,
            default: true,
            about: """
                Whether the device's last user is offered first; without it any passkey of the \
                device will do.
                """
        )
    )
}

/// Who signed in on this device last.
public struct SuggestedUser: JSONObject, Hashable {
    public let username: String

    /// A user.
    public init(username: String) {
        self.username = username
    }

    public static let json = Object(
        SuggestedUser.init,
        Field(
            "username",
            \.username,
            about: "The username, masked: a device may have other people before it by now."
        )
    )
}

/// A challenge to use a passkey.
public struct PasskeyChallenge: JSONObject, Hashable {
    public let challengeID: ID<PasskeyCeremony>
    public let expiresAt: Instant
    public let publicKey: PasskeyRequestOptions
    public let suggested: SuggestedUser?

    public init(
        challengeID: ID<PasskeyCeremony>,
        expiresAt: Instant,
        publicKey: PasskeyRequestOptions,
        suggested: SuggestedUser? = nil
    ) {
        self.challengeID = challengeID
        self.expiresAt = expiresAt
        self.publicKey = publicKey
        self.suggested = suggested
    }

    public static let json = Object(
        PasskeyChallenge.init,
        Field("challengeId", \.challengeID, about: "Told again with the answer."),
        Field("expiresAt", \.expiresAt, about: "Until when it can be answered."),
        Field("publicKey", \.publicKey, about: "For `navigator.credentials.get`."),
        Field(
            "suggested",
            \.suggested,
            about: "Whose passkeys these are, on a device that signed in lately."
        )
    )
}

/// A passkey as its owner sees it.
public struct PasskeyView: JSONObject, Hashable {
    public let id: ID<Passkey>
    public let name: String
    public let createdAt: Instant
    public let lastUsedAt: Instant?
    public let backedUp: Bool
    public let transports: [String]

    public init(
        id: ID<Passkey>,
        name: String,
        createdAt: Instant,
        lastUsedAt: Instant? = nil,
        backedUp: Bool,
        transports: [String]
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.backedUp = backedUp
        self.transports = transports
    }

    public static let json = Object(
        PasskeyView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "What its owner calls it."),
        Field("createdAt", \.createdAt, about: "When it was registered."),
        Field("lastUsedAt", \.lastUsedAt, about: "When it last signed in."),
        Field(
            "backedUp",
            \.backedUp,
            about: "Whether its provider has a copy, so that a lost device does not lose it."
        ),
        Field("transports", \.transports, about: "How its authenticator is reached.")
    )
}

/// Signing in by face, finger or PIN (WebAuthn).
public enum Passkeys {
    /// Begins a registration.
    public static let options = Endpoint<NoQuery, NoBody, PasskeyCreation>(
        "passkeyOptions",
        .post,
        "/v1/passkeys/options",
        of: .auth,
        for: .signedIn,
        statuses: [201],
        errors: [.stepUpRequired, .tooManyPasskeys],
        answersSecrets: true,
        summary: "Begin to register a passkey",
        description: """
            Wants a proof not older than ten minutes. The options are for \
            `PublicKeyCredential.parseCreationOptionsFromJSON`; they can be answered once, for \
            five minutes.
            """
    )

    /// Ends a registration.
    public static let register = Endpoint<NoQuery, NewPasskey, PasskeyView>(
        "registerPasskey",
        .post,
        "/v1/passkeys",
        of: .auth,
        for: .signedIn,
        statuses: [201],
        errors: [
            .invalidPasskey, .passkeyTaken, .challengeExpired, .challengeExhausted,
            .tooManyPasskeys,
        ],
        summary: "Register a passkey",
        description: """
            `credential` is what `PublicKeyCredential.toJSON()` gives. ES256, RS256 or EdDSA \
            (Ed25519); the user must have been verified. 422 `invalid-passkey` tells the rule \
            that is broken as `reason`. The owner is mailed.
            """
    )

    /// The passkeys of who asks.
    public static let list = Endpoint<NoQuery, NoBody, Page<PasskeyView>>(
        "listPasskeys",
        .get,
        "/v1/passkeys",
        of: .auth,
        for: .signedIn,
        summary: "List one's passkeys",
        description: "Newest first, all on one page: there are at most eight."
    )

    /// Takes one away.
    public static let delete = Endpoint<NoQuery, NoBody, NoView>(
        "deletePasskey",
        .delete,
        "/v1/passkeys/{id}",
        of: .auth,
        for: .signedIn,
        errors: [.notFound, .stepUpRequired, .lastCredential],
        summary: "Delete a passkey",
        description: """
            Wants a proof not older than ten minutes. 409 `last-credential` where nothing else \
            would be left to sign in with. The owner is mailed.
            """
    )

    /// Begins to use a passkey.
    public static let challenge = Endpoint<NoQuery, PasskeyRequest, PasskeyChallenge>(
        "passkeyChallenge",
        .post,
        "/v1/sessions/passkey-options",
        of: .auth,
        for: .anyone,
        statuses: [201],
        errors: [.lockedOut],
        answersSecrets: true,
        summary: "Begin to log in, or to prove oneself, by a passkey",
        description: """
            With an `identifier` that user's passkeys alone will do; none is listed, so that \
            known and unknown names answer alike. A device that signed in within seven days (its \
            cookie, or `deviceToken`) is offered its last user's. Who is signed in gets their own. \
            Else any passkey that the device has will do. The assertion goes to `POST \
            /v1/sessions` or `POST /v1/passkeys/proofs`; five a challenge are looked at.
            """
    )

    /// Proves oneself again.
    public static let prove = Endpoint<NoQuery, PasskeyAssertion, SessionTokens>(
        "provePasskey",
        .post,
        "/v1/passkeys/proofs",
        of: .auth,
        for: .signedIn,
        statuses: [201],
        errors: [.invalidPasskey, .challengeExpired, .challengeExhausted],
        answersSecrets: true,
        summary: "Prove oneself again by a passkey (step-up)",
        description: "Answers the next tokens of the session, whose proof is fresh."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        options.erased, register.erased, list.erased, delete.erased, challenge.erased,
        prove.erased,
    ]
}
