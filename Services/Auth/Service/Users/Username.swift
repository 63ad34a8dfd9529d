import Text
import WalletProtocol

/// The name by which others invite a person: 3 to 32 letters, digits and `. _ -`.
///
/// A name is told from others by its folded form (case, width) and by what it looks like.
struct Username: Sendable, Hashable {
    static let charactersMin = 3
    static let charactersMax = 32

    /// As the person writes it, composed.
    let text: String
    /// NFKC_Casefold of it.
    let folded: String
    /// What names that look alike have in common.
    let skeleton: String
    /// The same of what is folded: `LIMA` looks like `lıma` in small letters only.
    let foldedSkeleton: String

    /// Nil where the text may be no username; one never reads as an e-mail address.
    init?(_ text: String) {
        let text = TextFolding.composed(text)
        guard Self.isValid(text) else { return nil }
        self.text = text
        folded = TextFolding.caseFolded(text)
        skeleton = NameLooks.skeleton(text)
        foldedSkeleton = NameLooks.skeleton(folded)
    }

    /// Letters, marks on them, digits and `. _ - ` alone, in one script: nothing unseen, nothing
    /// that turns the direction of what stands beside it.
    static func isValid(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (charactersMin...charactersMax).contains(text.count)
            && scalars.count <= charactersMax && scalars.allSatisfy(isAllowed)
            && scalars.first != " " && scalars.last != " "
            && scalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
            && NameLooks.isPlain(text)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            !scalar.properties.isDefaultIgnorableCodePoint
        default: scalar == "." || scalar == "_" || scalar == "-" || scalar == " "
        }
    }

    /// A name made from an address's local part, where none was chosen.
    ///
    /// - Parameter suffix: digits that tell it from one already taken; nil for the first try.
    static func made(from email: EmailAddress, suffix: UInt32?) -> String {
        let local = email.text.prefix { $0 != "@" && $0 != "+" }
        var name = String(local.filter { $0.isLetter || $0.isNumber || "._-".contains($0) })
        if name.count < charactersMin { name += "user" }
        name = String(name.prefix(charactersMax))
        if !isValid(name) { name = "user" }
        guard let suffix else { return name }
        let digits = String(suffix)
        return String(name.prefix(charactersMax - digits.count - 1)) + "-" + digits
    }
}
