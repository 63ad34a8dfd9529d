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
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, NewUser>,
        as caller: Caller
    ) async throws -> Response<RegistrationView> {
        let body = request.body
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
        let made = try await users.register(
            registration,
            isUsernameChosen: body.username != nil,
            on: Device(request)
        )
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
