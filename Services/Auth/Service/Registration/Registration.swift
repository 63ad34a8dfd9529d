import WalletProtocol

/// What a registration writes: names folded, the password hashed.
struct Registration: Sendable {
    let id: ID<User>
    let email: EmailAddress
    var username: Username
    let passwordHash: String?
    let firstName: String?
    let lastName: String?
    let dateOfBirth: Day?
    let phone: String?
    let area: String?
    let currency: Currency
    let language: String
    let timeZone: String
    var roles: [Role]
    /// The proof of the phone, used up with the writing.
    var phoneToken: String?
    /// What proves an identity elsewhere, in place of a password.
    var identity: SignInProof? = nil
}
