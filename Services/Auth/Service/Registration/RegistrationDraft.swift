import Text
import WalletProtocol

/// A registration whose fields are good in themselves; what is taken, the database knows.
struct RegistrationDraft {
    let email: EmailAddress
    let username: Username
    /// The form that is hashed.
    let password: PasswordText?
    private let body: NewUser
    private let firstName: String?
    private let lastName: String?

    /// Looks at every field and notes what is wrong; nil where there is nothing to go on with.
    init?(
        _ body: NewUser,
        isPasswordCommon: Bool,
        phoneKeys: [[UInt8]],
        _ checks: inout FieldChecks
    ) {
        self.body = body
        let email = checks.email(body.email)
        let chosen = body.username.flatMap { checks.username($0) }
        firstName = checks.name("/firstName", body.firstName)
        lastName = checks.name("/lastName", body.lastName)
        password = body.password.map(PasswordText.init)
        let names = [body.username, body.email, body.firstName, body.lastName].compactMap(\.self)
        switch (password, body.registrationToken) {
        case (let password?, nil):
            if let weakness = PasswordRules.weakness(of: password.normalized, names: names) {
                checks.wrong("/password", .weakPassword, weakness.rawValue)
            } else if isPasswordCommon {
                checks.wrong("/password", .weakPassword, PasswordWeakness.isCommon.rawValue)
            }
        case (_?, _?):
            checks.wrong("/registrationToken", .invalidValue, "takes the password's place")
        case (nil, nil): checks.wrong("/password", .required, "is needed")
        case (nil, _?): break
        }
        if let again = body.confirmPassword.map(PasswordText.init),
            again.normalized != password?.normalized
        {
            checks.wrong("/confirmPassword", .differs, "differs from the password")
        }
        checks.birth(body.dateOfBirth)
        checks.language(body.language)
        checks.area(body.area)
        checks.timeZone(body.timeZone)
        checks.phone(body.phone, body.phoneToken, keys: phoneKeys)
        guard let email else { return nil }
        self.email = email
        guard let username = chosen ?? Username(Username.made(from: email, suffix: nil)) else {
            return nil
        }
        self.username = username
    }

    /// What is written.
    func registration(passwordHash: String?) -> Registration {
        Registration(
            id: .new(),
            email: email,
            username: username,
            passwordHash: passwordHash,
            firstName: firstName,
            lastName: lastName,
            dateOfBirth: body.dateOfBirth,
            phone: body.phone,
            area: body.area,
            currency: body.currency ?? AreaCurrency.currency(of: body.area),
            language: body.language ?? "en",
            timeZone: body.timeZone ?? "UTC",
            roles: [.user],
            phoneToken: body.phoneToken
        )
    }
}
