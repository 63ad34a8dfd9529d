/// Whether somebody's second factor is on.
public struct TotpView: JSONObject, Hashable {
    public let enabled: Bool
    public let enabledAt: Instant?
    public let recoveryCodesLeft: Int

    /// A state.
    public init(enabled: Bool, enabledAt: Instant? = nil, recoveryCodesLeft: Int) {
        self.enabled = enabled
        self.enabledAt = enabledAt
        self.recoveryCodesLeft = recoveryCodesLeft
    }

    public static let json = Object(
        TotpView.init,
        Field("enabled", \.enabled, about: "Whether a log-in asks for a code."),
        Field("enabledAt", \.enabledAt, about: "Since when."),
        Field(
            "recoveryCodesLeft",
            \.recoveryCodesLeft,
            about: "How many recovery codes are unused."
        )
    )
}

/// What an authenticator app is set up with.
public struct TotpSecret: JSONObject, Hashable {
    public let secret: String
    public let uri: String

    /// A secret.
    public init(secret: String, uri: String) {
        self.secret = secret
        self.uri = uri
    }

    public static let json = Object(
        TotpSecret.init,
        Field("secret", \.secret, about: "The secret in base32, to be typed."),
        Field("otpauthUri", \.uri, about: "The same as `otpauth://` URI, to be shown as a QR code.")
    )
}

/// Recovery codes, shown once.
public struct RecoveryCodesView: JSONObject, Hashable {
    public let codes: [String]

    /// Codes.
    public init(codes: [String]) {
        self.codes = codes
    }

    public static let json = Object(
        RecoveryCodesView.init,
        Field("recoveryCodes", \.codes, about: "Ten codes; each stands in for the app once.")
    )
}

/// What switching the second factor on gives.
public struct EnabledTotp: JSONObject, Hashable {
    public let codes: [String]
    public let session: SessionTokens

    public init(codes: [String], session: SessionTokens) {
        self.codes = codes
        self.session = session
    }

    public static let json = Object(
        EnabledTotp.init,
        Field(
            "recoveryCodes",
            \.codes,
            about: "Ten codes, shown once; each stands in for the app once."
        ),
        Field(
            "session",
            \.session,
            about: "The session, as log-in gives it: its tokens of before are worth nothing."
        )
    )
}

/// The second factor of an account: TOTP (RFC 6238) and recovery codes.
public enum SecondFactors {
    /// The state.
    public static let get = Endpoint<NoQuery, NoBody, TotpView>(
        "getTotp",
        .get,
        "/v1/users/me/totp",
        of: .auth,
        for: .signedIn,
        summary: "Read whether the second factor is on"
    )

    /// A new secret.
    public static let begin = Endpoint<NoQuery, NoBody, TotpSecret>(
        "beginTotp",
        .post,
        "/v1/users/me/totp",
        of: .auth,
        for: .signedIn,
        statuses: [201],
        errors: [.totpEnabled, .stepUpRequired],
        answersSecrets: true,
        summary: "Make a secret for an authenticator app",
        description: """
            In force once a code of it has come to `/v1/users/me/totp/confirmation`, within 30 \
            minutes. SHA-1, six digits, 30 seconds. Needs a fresh proof.
            """
    )

    /// The proof that the app has the secret.
    public static let confirm = Endpoint<NoQuery, ChallengeAnswer, EnabledTotp>(
        "confirmTotp",
        .post,
        "/v1/users/me/totp/confirmation",
        of: .auth,
        for: .signedIn,
        statuses: [200],
        errors: [.totpNotEnabled, .wrongCode, .stepUpRequired, .lockedOut],
        answersSecrets: true,
        summary: "Switch the second factor on",
        description: """
            Other sessions end, for it opened none of them; this one goes on by the tokens \
            that are \
            answered (as cookies alone with our own `Origin`), and by no refresh token of before. \
            Answers ten recovery codes, shown this once. From then on a log-in by password or by \
            another provider answers a challenge with channel `totp`.
            """
    )

    /// Off again.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeTotp",
        .delete,
        "/v1/users/me/totp",
        of: .auth,
        for: .signedIn,
        errors: [.totpNotEnabled, .stepUpRequired],
        summary: "Switch the second factor off",
        description: "Its recovery codes go with it. Needs a fresh proof."
    )

    /// New codes.
    public static let makeCodes = Endpoint<NoQuery, NoBody, RecoveryCodesView>(
        "makeRecoveryCodes",
        .post,
        "/v1/users/me/recovery-codes",
        of: .auth,
        for: .signedIn,
        statuses: [201],
        errors: [.totpNotEnabled, .stepUpRequired],
        answersSecrets: true,
        summary: "Make new recovery codes",
        description: "Ten codes, shown this once; the old ones are void. Needs a fresh proof."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        get.erased, begin.erased, confirm.erased, remove.erased, makeCodes.erased,
    ]
}
