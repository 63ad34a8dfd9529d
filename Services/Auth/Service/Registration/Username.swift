import WalletProtocol

/// The name by which others invite a person: 3 to 32 letters, digits and `. _ -`.
enum Username {
    static let charactersMin = 3
    static let charactersMax = 32

    /// Whether the text may be a username; never something that reads as an e-mail address.
    static func isValid(_ text: String) -> Bool {
        (charactersMin...charactersMax).contains(text.count)
            && text.allSatisfy { character in
                character.isLetter || character.isNumber || character == "." || character == "_"
                    || character == "-" || character == " "
            }
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
    }

    /// A name made from an address's local part, where none was chosen.
    ///
    /// - Parameter suffix: digits that tell it from one already taken; nil for the first try.
    static func made(from email: EmailAddress, suffix: UInt32?) -> String {
        let local = email.text.prefix { $0 != "@" && $0 != "+" }
        var name = String(local.filter { $0.isLetter || $0.isNumber || "._-".contains($0) })
        if name.count < charactersMin { name += "user" }
        guard let suffix else { return String(name.prefix(charactersMax)) }
        let digits = String(suffix)
        return String(name.prefix(charactersMax - digits.count - 1)) + "-" + digits
    }
}
