/// Another password.
public struct PasswordChange: JSONObject, Hashable {
    public let currentPassword: String?
    public let newPassword: String
    public let confirmPassword: String?

    /// A change.
    public init(
        currentPassword: String? = nil,
        newPassword: String,
        confirmPassword: String? = nil
    ) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
        self.confirmPassword = confirmPassword
    }

    public static let json = Object(
        PasswordChange.init,
        Field(
            "currentPassword",
            \.currentPassword,
            .secret(1...Passwords.charactersMax),
            about: "The password so far; left out where there is none."
        ),
        Field(
            "newPassword",
            \.newPassword,
            .secret(8...Passwords.charactersMax),
            about: "The next one."
        ),
        Field(
            "confirmPassword",
            \.confirmPassword,
            .secret(0...Passwords.charactersMax),
            about: "The next one again, where the form asks twice."
        )
    )
}

/// Marks identifiers of recoveries.
public enum PasswordRecovery {}

/// Whose password is to be recovered.
public struct NewRecovery: JSONObject, Hashable {
    public let email: String

    /// A request.
    public init(email: String) {
        self.email = email
    }

    public static let json = Object(
        NewRecovery.init,
        Field("email", \.email, .email, about: "The address of the account.")
    )
}

/// A recovery under way.
public struct RecoveryView: JSONObject, Hashable {
    public let id: ID<PasswordRecovery>
    public let expiresAt: Instant

    /// A recovery.
    public init(id: ID<PasswordRecovery>, expiresAt: Instant) {
        self.id = id
        self.expiresAt = expiresAt
    }

    public static let json = Object(
        RecoveryView.init,
        Field("id", \.id, about: "The identifier."),
        Field("expiresAt", \.expiresAt, about: "Until when the mailed code is good.")
    )
}

/// The mailed code.
public struct RecoveryAnswer: JSONObject, Hashable {
    public let code: String

    /// An answer.
    public init(code: String) {
        self.code = code
    }

    public static let json = Object(
        RecoveryAnswer.init,
        Field(
            "code",
            \.code,
            .code(4...16),
            about: "The code; white space in it and around it does not count."
        )
    )
}

/// The proof that the mailbox is one's own.
public struct RecoveryProof: JSONObject, Hashable {
    public let recoveryToken: String
    public let expiresAt: Instant

    /// A proof.
    public init(recoveryToken: String, expiresAt: Instant) {
        self.recoveryToken = recoveryToken
        self.expiresAt = expiresAt
    }

    public static let json = Object(
        RecoveryProof.init,
        Field("recoveryToken", \.recoveryToken, about: "By which the password is set, once."),
        Field("expiresAt", \.expiresAt, about: "Until when.")
    )
}

/// The password that ends a recovery.
public struct RecoveredPassword: JSONObject, Hashable {
    public let recoveryToken: String
    public let newPassword: String
    public let confirmPassword: String?

    /// A password.
    public init(recoveryToken: String, newPassword: String, confirmPassword: String? = nil) {
        self.recoveryToken = recoveryToken
        self.newPassword = newPassword
        self.confirmPassword = confirmPassword
    }

    public static let json = Object(
        RecoveredPassword.init,
        Field("recoveryToken", \.recoveryToken, .line(1...256), about: "The proof."),
        Field(
            "newPassword",
            \.newPassword,
            .secret(8...Passwords.charactersMax),
            about: "The password."
        ),
        Field(
            "confirmPassword",
            \.confirmPassword,
            .secret(0...Passwords.charactersMax),
            about: "The password again, where the form asks twice."
        )
    )
}

/// One's own password.
public enum Passwords {
    /// As long as a password may be, wherever one is chosen or told.
    public static let charactersMax = 256

    /// Another one.
    public static let change = Endpoint<NoQuery, PasswordChange, SessionTokens>(
        "changePassword",
        .put,
        "/v1/users/me/password",
        of: .auth,
        for: .signedIn,
        statuses: [200],
        errors: [.wrongPassword, .samePassword, .lockedOut, .stepUpRequired],
        answersSecrets: true,
        summary: "Change the password",
        description: """
            All other sessions end, and so does a change of address that waits. Answers the next \
            tokens of this session, whose refresh tokens of before are void at once. Who has no \
            password yet leaves `currentPassword` out and needs a fresh proof instead; who has an \
            authenticator app needs a fresh proof by it, or by a passkey, too.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [change.erased]
}

/// Recovering a forgotten password.
public enum Recoveries {
    /// Has a code mailed.
    public static let begin = Endpoint<NoQuery, NewRecovery, RecoveryView>(
        "beginPasswordRecovery",
        .post,
        "/v1/password-recoveries",
        of: .auth,
        for: .anyone,
        statuses: [202],
        errors: [.tooManyRequests],
        answersSecrets: true,
        summary: "Recover a password",
        description: """
            Mails a code of eight digits, good for 15 minutes, where an account has the address; \
            answers alike where none has.
            """
    )

    /// Takes the code.
    public static let answer = Endpoint<NoQuery, RecoveryAnswer, RecoveryProof>(
        "answerPasswordRecovery",
        .post,
        "/v1/password-recoveries/{id}/answers",
        of: .auth,
        for: .anyone,
        statuses: [200],
        errors: [.notFound, .wrongCode, .recoveryExpired],
        answersSecrets: true,
        summary: "Answer a recovery's code",
        description: """
            Three tries, nothing is sent again. A wrong one is 422 `wrong-code` with `triesLeft`; \
            the third ends the recovery.
            """
    )

    /// Sets the password.
    public static let finish = Endpoint<NoQuery, RecoveredPassword, NoView>(
        "finishPasswordRecovery",
        .put,
        "/v1/password-recoveries/{id}/password",
        of: .auth,
        for: .anyone,
        errors: [.notFound, .recoveryExpired, .samePassword],
        summary: "Set the password of a recovery",
        description: "All sessions end. A second factor stays in force."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [begin.erased, answer.erased, finish.erased]
}
