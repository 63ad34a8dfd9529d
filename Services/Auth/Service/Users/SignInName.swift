import Text
import WalletProtocol

/// What somebody typed to say who they are, in the one form that everything goes by: looking them
/// up, counting guesses, making up what a name that nobody has is answered with.
///
/// Two forms would tell known from unknown names: two spellings found as one person are counted as
/// two names only where nobody has them.
struct SignInName {
    /// What an e-mail address is looked up by.
    let email: String
    /// What a username is looked up by.
    let username: String

    init(_ text: String) {
        email = EmailAddress.lookup(text)
        username = TextFolding.caseFolded(text)
    }

    /// The same for all spellings of one name, whoever has it: no username has an `@`.
    var key: String { username.utf8.contains(UInt8(ascii: "@")) ? email : username }
}
