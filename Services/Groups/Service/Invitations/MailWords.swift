/// What somebody calls themselves or a group, as it may stand in a mail to a stranger.
///
/// Anybody can have an invitation mailed to any address, so that its words are not to carry a
/// message of their own: letters and figures of one short line stay, and nothing of which a mail
/// program makes a link, an address or a number to call.
enum MailWords {
    /// The most characters that stay.
    static let lengthMax = 40
    /// The most figures in words of nothing but figures: two years, a day, but no telephone number.
    private static let figuresMax = 8

    /// The words that stay, single spaces between them; nothing where none does.
    static func safe(_ text: String) -> String {
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { cleaned.append(isKept(scalar) ? scalar : " ") }
        var words = String(cleaned).split(separator: " ").map(String.init)
        let figures = words.filter(isNumber).reduce(0) { $0 + $1.count }
        if figures > figuresMax { words.removeAll(where: isNumber) }
        let line = words.joined(separator: " ")
        guard line.count > lengthMax else { return line }
        return String(line.prefix(lengthMax - 1)) + "…"
    }

    private static func isNumber(_ word: String) -> Bool { word.allSatisfy(\.isNumber) }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            true
        default: scalar == "-" || scalar == "_" || scalar == "'" || scalar == "’"
        }
    }
}
