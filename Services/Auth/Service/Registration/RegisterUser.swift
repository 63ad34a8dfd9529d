import Crypto
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes a user and their first session at once.
struct RegisterUser: Handler {
    static let endpoint = Users.register
    let users: UserStore
    let blocking: BlockingPool
    let database: Database
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, NewUser>,
        as caller: Caller
    ) async throws -> Response<RegistrationView> {
        let body = request.body
        // Here alone it is told which names are taken: not to who asks for many.
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .tooManyRequests
        )
        try await attempts.check(.taken(request.clientAddress))
        let password = body.password
        let isCommon = try await blocking.run { CommonPasswords.contains(password) }
        let email = try checked(body, isPasswordCommon: isCommon)
        let hash = try await blocking.run { PasswordHash.make(password) }
        let username = body.username ?? Username.made(from: email, suffix: nil)
        let registration = Registration(
            id: .new(),
            email: email,
            username: username,
            usernameFolded: TextFolding.caseFolded(username),
            passwordHash: hash,
            firstName: body.firstName,
            lastName: body.lastName,
            dateOfBirth: body.dateOfBirth,
            phone: body.phone,
            area: body.area,
            currency: body.currency ?? AreaCurrency.currency(of: body.area),
            language: body.language ?? "en",
            timeZone: body.timeZone ?? "UTC",
            roles: [.user]
        )
        let made: (profile: Profile, session: OpenedSession)
        do {
            made = try await users.register(
                registration,
                isUsernameChosen: body.username != nil,
                on: Device(request)
            )
        } catch let error as APIError where error.code.status == 409 {
            try await attempts.count(.taken(request.clientAddress))
            throw error
        }
        let answer = SessionAnswer(made.session, for: request, configuration: configuration)
        return answer.on(
            .created(
                RegistrationView(
                    user: made.profile.view(sessionExpiresAt: made.session.sessionExpiresAt),
                    session: answer.tokens
                ),
                at: "/v1/users/me"
            )
        )
    }

    /// Whether a text has the shape of a language tag (RFC 5646, 2.1).
    static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) }
            && (2...8).contains(parts[0].count) && parts[0].allSatisfy { $0 > 0x40 }
    }

    /// Whether a text has the shape of ISO 3166-1 (`CH`) or 3166-2 (`CH-ZH`).
    static func isArea(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts[0].count == 2
            && parts[0].allSatisfy { (0x41...0x5a).contains($0) }
            && parts.dropFirst().allSatisfy {
                (1...3).contains($0.count) && $0.allSatisfy { isAlphanumeric($0) && $0 < 0x5b }
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
            || (0x61...0x7a).contains(byte)
    }

    /// Every wrong field at once.
    private func checked(_ body: NewUser, isPasswordCommon: Bool) throws -> EmailAddress {
        var errors: [FieldError] = []
        func wrong(_ pointer: String, _ code: FieldCode, _ detail: String) {
            errors.append(FieldError(pointer: pointer, code: code, detail: detail))
        }
        let email = EmailAddress(body.email)
        if email == nil { wrong("/email", .invalidEmail, "is no e-mail address") }
        let names = [body.username, body.email, body.firstName, body.lastName].compactMap(\.self)
        if let weakness = PasswordRules.weakness(of: body.password, names: names) {
            wrong("/password", .weakPassword, weakness.rawValue)
        } else if isPasswordCommon {
            wrong("/password", .weakPassword, PasswordWeakness.isCommon.rawValue)
        }
        if let again = body.confirmPassword, again != body.password {
            wrong("/confirmPassword", .differs, "differs from the password")
        }
        if let username = body.username, !Username.isValid(username) {
            wrong("/username", .invalidValue, "letters, digits and . _ - are allowed")
        }
        if let language = body.language, !Self.isLanguage(language) {
            wrong("/language", .invalidValue, "is no language tag (BCP 47)")
        }
        if let area = body.area, !Self.isArea(area) {
            wrong("/area", .invalidValue, "is no region of ISO 3166")
        }
        if let zone = body.timeZone, !TimeZones.isKnown(zone) {
            wrong("/timeZone", .invalidValue, "is no time zone of the IANA database")
        }
        if let birth = body.dateOfBirth, birth.startUTC > .now() {
            wrong("/dateOfBirth", .implausible, "lies in the future")
        }
        if let phone = body.phone {
            if !PhoneToken.isPhone(phone) {
                wrong("/phone", .invalidValue, "a phone in E.164 is needed")
            } else if let token = body.phoneToken {
                if !PhoneToken.proves(phone, token, key: configuration.phoneKey) {
                    wrong("/phoneToken", .invalidValue, "does not prove this phone")
                }
            } else {
                wrong("/phoneToken", .required, "the phone has to be proved")
            }
        } else if body.phoneToken != nil {
            wrong("/phone", .required, "the phone that the token proves")
        }
        guard errors.isEmpty, let email else {
            throw APIError(.invalidBody, errors: errors)
        }
        return email
    }
}
