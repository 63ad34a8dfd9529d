import Text
import WalletProtocol

/// Why a password is too weak; the reason is told to whoever chooses it.
enum PasswordWeakness: String, Sendable {
    case tooShort = "too-short"
    case tooLong = "too-long"
    case tooFewDifferentCharacters = "too-few-different-characters"
    case containsName = "contains-name"
    case isSequence = "is-sequence"
    case isCommon = "is-common"
}

/// What a password must be: long rather than decorated.
///
/// Source: NIST SP 800-63B (5.1.1.2: at least 8, up to 64 and more, no composition rules, compared
/// with what an attacker tries first, which is `CommonPasswords`).
enum PasswordRules {
    static let charactersMin = 8
    static let charactersMax = Passwords.charactersMax
    static let differentCharactersMin = 5
    /// What whoever attacks this suite tries first, beside the person's own names.
    static let contextWords = ["ezwallet"]

    /// The first reason against `password`, or nil where it will do.
    static func weakness(of password: String, names: [String]) -> PasswordWeakness? {
        if password.count < charactersMin { return .tooShort }
        if password.unicodeScalars.count > charactersMax { return .tooLong }
        if Set(password.lowercased()).count < differentCharactersMin {
            return .tooFewDifferentCharacters
        }
        let folded = password.lowercased()
        for name in names + contextWords
        where name.count >= 4 && folded.utf8.range(of: name.lowercased()) != nil {
            return .containsName
        }
        return isSequence(folded) ? .isSequence : nil
    }

    /// Whether nearly every character follows from the one before: `12345678`, `abcdefgh`.
    private static func isSequence(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.map { Int($0.value) }
        let steps = zip(scalars, scalars.dropFirst()).filter { abs($1 - $0) == 1 }.count
        return steps * 4 >= (scalars.count - 1) * 3
    }
}
