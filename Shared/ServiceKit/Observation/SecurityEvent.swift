internal import Crypto
public import WalletProtocol

/// A kind of event that operators look for when they suspect an attack.
///
/// Names are interface: append only. `Services/LOGGING.md` lists them, and a test compares it.
/// Source: OWASP ASVS 5.0, 16.3.
public enum SecurityEvent: String, Sendable, CaseIterable {
    /// Somebody signed in.
    case logIn = "log-in"
    /// Somebody registered.
    case registration
    /// Somebody signed in proved again who they are.
    case stepUp = "step-up"
    /// A password, code, passkey or token was wrong.
    case proofRefused = "proof-refused"
    /// Somebody who failed too often has to wait.
    case lockedOut = "locked-out"
    /// A call came without a valid token.
    case unauthenticated
    /// A call came from somebody without the right.
    case forbidden
    /// A call needs a more recent authentication.
    case stepUpRequired = "step-up-required"
    /// A page of another origin used a browser's cookies.
    case originRefused = "origin-refused"
    /// A sender exceeded a rate or a budget.
    case tooManyRequests = "too-many-requests"
    /// A body was too long.
    case bodyTooLarge = "body-too-large"
    /// A message was no well-formed HTTP/1.1.
    case malformedRequest = "malformed-request"

    /// The cause of a refusal because of its `Origin`.
    public static let foreignOrigin = "foreign-origin"

    /// The kind of a refusal; nil for the many that no attack is needed for.
    public init?(_ error: APIError) {
        if error.cause == Self.foreignOrigin {
            self = .originRefused
            return
        }
        switch error.code {
        case .stepUpRequired: self = .stepUpRequired
        case .lockedOut: self = .lockedOut
        case .wrongCredentials, .wrongPassword, .wrongCode, .challengeExhausted, .invalidPasskey,
            .invalidRefreshToken, .refreshTokenReused, .userDisabled:
            self = .proofRefused
        case .invalidRequest, .headersTooLarge, .uriTooLong, .expectationFailed,
            .versionNotSupported, .notImplemented, .requestTimeout:
            self = .malformedRequest
        default:
            switch error.code.status {
            case 401: self = .unauthenticated
            case 403: self = .forbidden
            case 413: self = .bodyTooLarge
            case 429: self = .tooManyRequests
            default: return nil
            }
        }
    }

    /// Whether it is a success, which no operator need be warned of.
    var isSuccess: Bool {
        switch self {
        case .logIn, .registration, .stepUp: true
        default: false
        }
    }
}

/// Who caused a security event.
///
/// A user is the first 16 hexadecimal digits of the SHA-256 of their id: the lines of one person
/// belong together, and only who has the database can say whose they are. An id has 74 random bits,
/// so that nobody finds it by trying.
public enum SecuritySender: Sendable, Hashable {
    /// The executable does not verify tokens.
    case unknown
    /// No valid token came.
    case nobody
    /// Somebody signed in.
    case user(ID<User>)
    /// Another service.
    case service(ServiceName)

    /// As lines of the log have it.
    public var text: String {
        switch self {
        case .unknown: "unknown"
        case .nobody: "nobody"
        case .user(let id): String(hexadecimal(SHA256.digest(id.text.utf8)).prefix(16))
        case .service(let name): "service:" + name.rawValue
        }
    }
}
