import Crypto
import ServiceKit
import WalletProtocol

/// The settings of auth.
enum AuthVariables {
    static let tokenSecret = Variable(
        "EZWALLET_TOKEN_SECRET",
        "secret of refresh tokens, codes and signing keys; the same for every replica of auth",
        kind: .secrets,
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
    static let smsMax = Variable(
        "EZWALLET_SMS_HOURLY_MAX",
        "SMS sent in an hour, in all; 0 for no limit",
        kind: .integer(0...1_000_000),
        default: "2000"
    )
    static let smsCountryMax = Variable(
        "EZWALLET_SMS_COUNTRY_HOURLY_MAX",
        "SMS sent in an hour to the numbers of one country, against toll fraud; 0 for no limit",
        kind: .integer(0...1_000_000),
        default: "500"
    )
    static let codesPerAddressMax = Variable(
        "EZWALLET_CODES_PER_ADDRESS_MAX",
        "codes sent in an hour because one address asks (its network: four times that); "
            + "0 for no limit",
        kind: .integer(0...1_000_000),
        default: "20"
    )
    static let registrationsPerAddressMax = Variable(
        "EZWALLET_REGISTRATIONS_PER_ADDRESS_MAX",
        "registrations tried in an hour from one address (its network: four times that); "
            + "0 for no limit",
        kind: .integer(0...1_000_000),
        default: "60"
    )
    static let emailDomainCheck = Variable(
        "EZWALLET_EMAIL_DOMAIN_CHECK",
        "whether an address whose domain takes no mail, by DNS, is refused",
        kind: .choice(["on", "off"]),
        default: "on"
    )
    static let emailValidatorURL = Variable(
        "EZWALLET_EMAIL_VALIDATOR_URL",
        "an outside validator of addresses, asked by POST; none where empty"
    )
    static let emailValidatorToken = Variable(
        "EZWALLET_EMAIL_VALIDATOR_TOKEN",
        "the bearer token for it",
        secret: true
    )
    /// One secret a service that calls others.
    ///
    /// Cannot fire: the keys are the cases of an enumeration, each once.
    static let clientSecrets: [ServiceName: Variable] = Dictionary(
        uniqueKeysWithValues: ServiceName.allCases.map { service in
            (
                service,
                Variable(
                    "EZWALLET_CLIENT_\(service.rawValue.uppercased())_SECRET",
                    "credentials of \(service.rawValue); new and old by a comma in a change",
                    kind: .secrets,
                    secret: true
                )
            )
        }
    )

    static let signingKeyDays = Variable(
        "EZWALLET_SIGNING_KEY_DAYS",
        "days after which the next key signs the tokens; 0 leaves it to `rotate-keys`",
        kind: .integer(0...3_650),
        default: "30"
    )

    static let all: [Variable] =
        [
            CommonVariables.sealingSecret, tokenSecret, accessTokenSeconds, refreshTokenSeconds,
            signingKeyDays, smsMax, smsCountryMax, codesPerAddressMax,
            registrationsPerAddressMax, emailDomainCheck, emailValidatorURL, emailValidatorToken,
        ]
        + ServiceName.allCases.compactMap { clientSecrets[$0] } + IdentityVariables.all
}

/// Access tokens that would be good after what renews them has ended.
struct AccessOutlivesRefresh: Error, CustomStringConvertible {
    var description: String {
        "\(AuthVariables.accessTokenSeconds.name) is more than "
            + AuthVariables.refreshTokenSeconds.name
    }
}

/// What the settings come to.
struct AuthConfiguration: Sendable {
    let publicURL: String
    let accessTokenSeconds: Int
    let refreshTokenSeconds: Int
    let signingKeyDays: Int
    /// Digests of what a service may show; two while one replaces the other.
    let clientSecrets: [ServiceName: [[UInt8]]]
    /// The first makes refresh tokens, any of them reads one.
    let refreshKeys: [[UInt8]]
    /// The first makes codes and proofs of phones, any of them reads one.
    let codeKeys: [[UInt8]]
    let phoneKeys: [[UInt8]]
    let subjectKey: [UInt8]
    /// Makes up whom a challenge is for that names nobody.
    let passkeyKey: [UInt8]
    /// Any of them checks a device's token, the first makes it.
    let deviceKeys: [[UInt8]]
    let recoveryKeys: [[UInt8]]
    /// The first makes recovery codes, any of them reads one.
    let recoveryCodeKeys: [[UInt8]]
    let totpSeal: Seal
    let smsMax: Int
    let smsCountryMax: Int
    let codesPerAddressMax: Int
    let registrationsPerAddressMax: Int
    /// The first makes codes of entries and proofs of chain keys, any of them checks one.
    let auditKeys: [[UInt8]]
    /// The first makes the secrets of receipts, any of them makes an earlier one again.
    let receiptKeys: [[UInt8]]
    let signingKeySeal: Seal
    let exportSeal: Seal
    let messageSeal: Seal
    let signInSeal: Seal
    let providers: [ProviderSettings]
    let nativeRedirects: [String]
    let signInsPerAddressMax: Int

    init(_ settings: Settings) throws {
        publicURL = settings.text(CommonVariables.publicURL)
        accessTokenSeconds = settings.integer(AuthVariables.accessTokenSeconds)
        refreshTokenSeconds = settings.integer(AuthVariables.refreshTokenSeconds)
        guard accessTokenSeconds <= refreshTokenSeconds else {
            throw AccessOutlivesRefresh()
        }
        signingKeyDays = settings.integer(AuthVariables.signingKeyDays)
        clientSecrets = AuthVariables.clientSecrets.mapValues { variable in
            settings.secrets(variable).map { SHA256.digest($0.utf8) }
        }
        let tokens = settings.secrets(AuthVariables.tokenSecret).map { Array($0.utf8) }
        // One secret, a key for each use: none can be turned into another's.
        func keys(_ use: String) -> [[UInt8]] {
            tokens.map { HMACSHA256.code(use.utf8, key: $0) }
        }
        refreshKeys = keys("refresh")
        codeKeys = keys("code")
        phoneKeys = keys("phone")
        subjectKey = keys("subject")[0]
        passkeyKey = keys("passkey")[0]
        deviceKeys = keys("device")
        auditKeys = keys("audit")
        receiptKeys = keys("receipt")
        recoveryKeys = keys("recovery")
        recoveryCodeKeys = keys("recovery-code")
        guard let totp = Seal(keys: keys("totp")) else { throw SealBroken() }
        totpSeal = totp
        smsMax = settings.integer(AuthVariables.smsMax)
        smsCountryMax = settings.integer(AuthVariables.smsCountryMax)
        codesPerAddressMax = settings.integer(AuthVariables.codesPerAddressMax)
        registrationsPerAddressMax = settings.integer(AuthVariables.registrationsPerAddressMax)
        guard let signing = Seal(keys: keys("signing")), let signIn = Seal(keys: keys("sign-in"))
        else { throw SealBroken() }
        signingKeySeal = signing
        guard let export = Seal(keys: keys("export")) else { throw SealBroken() }
        exportSeal = export
        signInSeal = signIn
        providers = try ProviderSettings.all(settings)
        nativeRedirects = Variable.names(
            in: settings.optional(IdentityVariables.nativeRedirects)
        )
        signInsPerAddressMax = settings.integer(IdentityVariables.perAddressMax)
        messageSeal = try settings.messageSeal()
    }
}
