import Crypto
import ServiceKit
import WalletProtocol

/// The settings of auth.
enum AuthVariables {
    static let tokenSecret = Variable(
        "EZWALLET_TOKEN_SECRET",
        "secret of refresh tokens, codes and signing keys; the same for every replica of auth",
        required: true,
        secret: true
    )
    static let accessTokenSeconds = Variable(
        "EZWALLET_ACCESS_TOKEN_SECONDS",
        "life of an access token, in seconds",
        kind: .integer(60...25_200),
        default: "3600"
    )
    static let refreshTokenSeconds = Variable(
        "EZWALLET_REFRESH_TOKEN_SECONDS",
        "life of a refresh token, in seconds",
        kind: .integer(3_600...864_000),
        default: "604800"
    )
    /// One secret a service that calls others.
    static let clientSecrets: [ServiceName: Variable] = Dictionary(
        uniqueKeysWithValues: ServiceName.allCases.map { service in
            (
                service,
                Variable(
                    "EZWALLET_CLIENT_\(service.rawValue.uppercased())_SECRET",
                    "credentials of \(service.rawValue)",
                    secret: true
                )
            )
        }
    )

    static let all: [Variable] =
        [CommonVariables.sealingSecret, tokenSecret, accessTokenSeconds, refreshTokenSeconds]
        + ServiceName.allCases.compactMap { clientSecrets[$0] }
}

/// What the settings come to.
struct AuthConfiguration: Sendable {
    let publicURL: String
    let accessTokenSeconds: Int
    let refreshTokenSeconds: Int
    let clientSecrets: [ServiceName: [UInt8]]
    let refreshKey: [UInt8]
    let codeKey: [UInt8]
    let phoneKey: [UInt8]
    let subjectKey: [UInt8]
    let signingKeySeal: Seal
    let messageSeal: Seal

    init(_ settings: Settings) throws {
        publicURL = settings.text(CommonVariables.publicURL)
        accessTokenSeconds = settings.integer(AuthVariables.accessTokenSeconds)
        refreshTokenSeconds = settings.integer(AuthVariables.refreshTokenSeconds)
        var secrets: [ServiceName: [UInt8]] = [:]
        for (service, variable) in AuthVariables.clientSecrets {
            guard let secret = settings.optional(variable) else { continue }
            secrets[service] = SHA256.digest(secret.utf8)
        }
        clientSecrets = secrets
        let token = Array(settings.text(AuthVariables.tokenSecret).utf8)
        // One secret, a key for each use: none can be turned into another's.
        refreshKey = HMACSHA256.code("refresh".utf8, key: token)
        codeKey = HMACSHA256.code("code".utf8, key: token)
        phoneKey = HMACSHA256.code("phone".utf8, key: token)
        subjectKey = HMACSHA256.code("subject".utf8, key: token)
        guard let signing = Seal(key: HMACSHA256.code("signing".utf8, key: token)) else {
            throw SealBroken()
        }
        signingKeySeal = signing
        messageSeal = try settings.messageSeal()
    }
}
