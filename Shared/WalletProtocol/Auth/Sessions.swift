/// How somebody signs in: by exactly one of the ways there are.
public struct NewSession: JSONObject, Hashable {
    public let identifier: String?
    public let password: String?
    public let method: LogInMethod
    public let channel: ChallengeChannel?
    public let passkey: PasskeyAssertion?
    public let oidcCode: String?
    public let codeVerifier: String?

    public init(
        identifier: String? = nil,
        password: String? = nil,
        method: LogInMethod = .password,
        channel: ChallengeChannel? = nil,
        passkey: PasskeyAssertion? = nil,
        oidcCode: String? = nil,
        codeVerifier: String? = nil
    ) {
        self.identifier = identifier
        self.password = password
        self.method = method
        self.channel = channel
        self.passkey = passkey
        self.oidcCode = oidcCode
        self.codeVerifier = codeVerifier
    }

    public static let json = Object(
        NewSession.init,
        Field(
            "identifier",
            \.identifier,
            .line(1...254),
            about: "The e-mail address or the username, with the password."
        ),
        Field(
            "password",
            \.password,
            .secret(1...Passwords.charactersMax),
            about: "The password, with the identifier."
        ),
        Field("method", \.method, default: .password, about: "Whether a code is wanted as well."),
        Field(
            "channel",
            \.channel,
            about: "Where the code goes; by SMS where there is a phone, else by mail."
        ),
        Field("passkey", \.passkey, about: "A passkey's assertion, alone."),
        Field(
            "oidcCode",
            \.oidcCode,
            .line(1...128),
            about: "What an identity provider's callback gave, alone."
        ),
        Field(
            "codeVerifier",
            \.codeVerifier,
            .line(43...128),
            about: "Of a native client, beside `oidcCode` (RFC 7636)."
        )
    )
}

/// The ways to sign in.
public enum LogInMethod: String, StringEnum {
    /// By the password.
    case password
    /// By the password and a one-time code.
    case otp
}

/// Where a one-time code goes.
public enum ChallengeChannel: String, StringEnum {
    /// By SMS to the verified phone.
    case sms
    /// By mail.
    case email
    /// Shown by the authenticator app; a recovery code stands in for it.
    case totp
}

/// What a one-time code is for.
public enum ChallengePurpose: String, StringEnum {
    /// Signing in.
    case logIn = "log-in"
    /// Proving a phone.
    case phoneVerification = "phone-verification"
    /// Proving oneself again.
    case stepUp = "step-up"
}

/// The purposes that a client may ask a one-time code for; a log-in makes its own.
public enum RequestedPurpose: String, StringEnum {
    /// Proving a phone.
    case phoneVerification = "phone-verification"
    /// Proving oneself again.
    case stepUp = "step-up"
}

/// A session's tokens; with cookies they are not in the body.
public struct SessionTokens: JSONObject, Hashable {
    public let accessToken: String?
    public let tokenType: String?
    public let expiresIn: Int
    public let refreshToken: String?
    public let sessionExpiresAt: Instant
    public let deviceToken: String?

    public init(
        accessToken: String? = nil,
        tokenType: String? = nil,
        expiresIn: Int,
        refreshToken: String? = nil,
        sessionExpiresAt: Instant,
        deviceToken: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.sessionExpiresAt = sessionExpiresAt
        self.deviceToken = deviceToken
    }

    public static let json = Object(
        SessionTokens.init,
        Field("accessToken", \.accessToken, about: "The JWT (ES256) for `Authorization: Bearer`."),
        Field("tokenType", \.tokenType, about: "`Bearer`."),
        Field("expiresIn", \.expiresIn, about: "Seconds until the access token ends."),
        Field("refreshToken", \.refreshToken, about: "What the next tokens are had for, once."),
        Field(
            "sessionExpiresAt",
            \.sessionExpiresAt,
            about: "When the session ends unless it is refreshed."
        ),
        Field(
            "deviceToken",
            \.deviceToken,
            about: "What this device is known again by for seven days: see passkey options."
        )
    )
}

/// A one-time code under way.
public struct ChallengeView: JSONObject, Hashable {
    public let id: ID<Challenge>
    public let purpose: ChallengePurpose
    public let channel: ChallengeChannel
    public let to: String?
    public let expiresAt: Instant
    public let resendsLeft: Int

    public init(
        id: ID<Challenge>,
        purpose: ChallengePurpose,
        channel: ChallengeChannel,
        to: String?,
        expiresAt: Instant,
        resendsLeft: Int
    ) {
        self.id = id
        self.purpose = purpose
        self.channel = channel
        self.to = to
        self.expiresAt = expiresAt
        self.resendsLeft = resendsLeft
    }

    public static let json = Object(
        ChallengeView.init,
        Field("id", \.id, about: "The identifier."),
        Field("purpose", \.purpose, about: "What it is for."),
        Field("channel", \.channel, about: "Where it went."),
        Field("to", \.to, about: "The address or phone, masked; none for an authenticator app."),
        Field("expiresAt", \.expiresAt, about: "When it ends."),
        Field(
            "resendsLeft",
            \.resendsLeft,
            about: "How many more codes there can be: sent anew, or for an app, tried anew."
        )
    )
}

/// A log-in that waits for a code.
public struct PendingLogIn: JSONObject, Hashable {
    public let challenge: ChallengeView

    public init(challenge: ChallengeView) {
        self.challenge = challenge
    }

    public static let json = Object(
        PendingLogIn.init,
        Field("challenge", \.challenge, about: "Answered at `/v1/challenges/{id}/answers`.")
    )
}

/// The code as it was received.
public struct ChallengeAnswer: JSONObject, Hashable {
    public let code: String

    public init(code: String) {
        self.code = code
    }

    public static let json = Object(
        ChallengeAnswer.init,
        Field(
            "code",
            \.code,
            .code(4...16),
            about: "The code; white space in it and around it does not count."
        )
    )
}

/// What a session is refreshed with.
public struct SessionRefresh: JSONObject, Hashable {
    public let refreshToken: String?

    public init(refreshToken: String? = nil) {
        self.refreshToken = refreshToken
    }

    public static let json = Object(
        SessionRefresh.init,
        Field(
            "refreshToken",
            \.refreshToken,
            .line(1...512),
            about: "The token; left out by browsers, whose cookie has it."
        )
    )
}

/// A device signed in.
public struct SessionView: JSONObject, Hashable {
    public let id: ID<Session>
    public let current: Bool
    public let createdAt: Instant
    public let lastUsedAt: Instant
    public let expiresAt: Instant
    public let deviceName: String
    public let addressFamily: String
    public let methods: [String]

    public init(
        id: ID<Session>,
        current: Bool,
        createdAt: Instant,
        lastUsedAt: Instant,
        expiresAt: Instant,
        deviceName: String,
        addressFamily: String,
        methods: [String]
    ) {
        self.id = id
        self.current = current
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.deviceName = deviceName
        self.addressFamily = addressFamily
        self.methods = methods
    }

    public static let json = Object(
        SessionView.init,
        Field("id", \.id, about: "The identifier."),
        Field("current", \.current, about: "Whether it is the one that asks."),
        Field("createdAt", \.createdAt, about: "When it signed in."),
        Field("lastUsedAt", \.lastUsedAt, about: "When it was last refreshed."),
        Field("expiresAt", \.expiresAt, about: "When it ends unless it is used."),
        Field("deviceName", \.deviceName, about: "Program and system: «Firefox on Linux»."),
        Field(
            "addressFamily",
            \.addressFamily,
            about: "From where it was last used, as far as that is kept: `IPv4` or `IPv6`."
        ),
        Field("methods", \.methods, about: "How it was proved (`amr`, RFC 8176).")
    )
}

/// What a one-time code is asked for, other than by logging in.
public struct NewChallenge: JSONObject, Hashable {
    public let purpose: RequestedPurpose
    public let phone: String?
    public let channel: ChallengeChannel?

    /// A request.
    public init(
        purpose: RequestedPurpose,
        phone: String? = nil,
        channel: ChallengeChannel? = nil
    ) {
        self.purpose = purpose
        self.phone = phone
        self.channel = channel
    }

    public static let json = Object(
        NewChallenge.init,
        Field(
            "purpose",
            \.purpose,
            about: "`phone-verification` (anyone) or `step-up` (signed in)."
        ),
        Field("phone", \.phone, .line(4...16), about: "The phone to verify, E.164."),
        Field("channel", \.channel, about: "Where the code goes; SMS where there is a phone.")
    )
}

/// The proof that a phone is the visitor's.
public struct PhoneProof: JSONObject, Hashable {
    public let phoneToken: String
    public let expiresAt: Instant

    /// A proof.
    public init(phoneToken: String, expiresAt: Instant) {
        self.phoneToken = phoneToken
        self.expiresAt = expiresAt
    }

    public static let json = Object(
        PhoneProof.init,
        Field(
            "phoneToken",
            \.phoneToken,
            about: "Good once, for 30 minutes, at registration or in a profile."
        ),
        Field("expiresAt", \.expiresAt, about: "Until when.")
    )
}

/// Signing in and out.
public enum Sessions {
    /// Signs in, or begins to.
    public static let logIn = Endpoint<NoQuery, NewSession, Either<SessionTokens, PendingLogIn>>(
        "logIn",
        .post,
        "/v1/sessions",
        of: .auth,
        for: .anyone,
        statuses: [201, 202],
        errors: [
            .wrongCredentials, .lockedOut, .channelUnavailable, .userDisabled,
            .challengeExpired, .challengeExhausted, .tooManyRequests,
        ],
        answersSecrets: true,
        summary: "Log in",
        description: """
            201 with the tokens; 202 with a challenge where a one-time code was asked for, or is \
            needed because the account has a second factor (channel `totp`). Unknown users and \
            wrong passwords cannot be told apart.
            """
    )

    /// Asks for a one-time code.
    public static let challenge = Endpoint<NoQuery, NewChallenge, ChallengeView>(
        "makeChallenge",
        .post,
        "/v1/challenges",
        of: .auth,
        for: .anyone,
        statuses: [202],
        errors: [.tooManyRequests, .channelUnavailable, .unauthenticated],
        answersSecrets: true,
        summary: "Ask for a one-time code",
        description: """
            Six digits, good for five minutes. `phone-verification` is for anyone and never tells \
            whether an account has the phone; `step-up` is for somebody signed in, by the \
            authenticator app where there is one, and answered by the same session alone.
            """
    )

    /// Answers a challenge; that of a log-in gives the session.
    public static let answer = Endpoint<
        NoQuery, ChallengeAnswer, Either<SessionTokens, PhoneProof>
    >(
        "answerChallenge",
        .post,
        "/v1/challenges/{id}/answers",
        of: .auth,
        for: .anyone,
        statuses: [201, 200],
        errors: [
            .notFound, .wrongCode, .challengeExhausted, .challengeExpired, .lockedOut,
            .userDisabled, .unauthenticated,
        ],
        answersSecrets: true,
        summary: "Answer a one-time code",
        description: """
            A log-in answers the session, a step-up the session's next tokens with a fresh proof, \
            a phone its `phoneToken`. A wrong code is 422 `wrong-code` with `resendsLeft`: it is \
            burnt, and a new one is sent under the same id, twice at most. Then it is 409 \
            `challenge-exhausted`, and 429 to ask for another while the pair of phone and user \
            cools down.
            """
    )

    /// Gives the next tokens.
    public static let refresh = Endpoint<NoQuery, SessionRefresh, SessionTokens>(
        "refreshSession",
        .post,
        "/v1/sessions/refresh",
        of: .auth,
        for: .anyone,
        statuses: [201],
        errors: [.invalidRefreshToken, .refreshTokenReused],
        answersSecrets: true,
        summary: "Refresh a session",
        description: """
            Rotates the refresh token. The one just replaced gives the same successor for ten \
            seconds, then it revokes the session.
            """
    )

    /// The devices signed in.
    public static let list = Endpoint<NoQuery, NoBody, Page<SessionView>>(
        "listSessions",
        .get,
        "/v1/sessions",
        of: .auth,
        for: .signedIn,
        summary: "List the devices signed in"
    )

    /// Signs one out; `session` is an identifier or `current`.
    public static let end = Endpoint<NoQuery, NoBody, NoView>(
        "endSession",
        .delete,
        "/v1/sessions/{session}",
        of: .auth,
        for: .signedIn,
        errors: [.notFound],
        summary: "Log out one device, or `current`"
    )

    /// Signs all others out.
    public static let endOthers = Endpoint<NoQuery, NoBody, NoView>(
        "endOtherSessions",
        .delete,
        "/v1/sessions",
        of: .auth,
        for: .signedIn,
        summary: "Log out all other devices"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        logIn.erased, challenge.erased, answer.erased, refresh.erased, list.erased, end.erased,
        endOthers.erased,
    ]
}
