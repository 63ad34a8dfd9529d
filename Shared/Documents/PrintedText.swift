internal import Text

/// Texts as they are printed.
package enum PrintedText {
    /// An amount of money as a language writes it, its number as in a table: from the left, a minus
    /// before it, also on a page that is read from the right.
    ///
    /// - Parameter decimal: exact, such as `-12.50`.
    package static func money(
        _ decimal: String,
        _ currency: String,
        digits: Int,
        language: String
    ) -> String {
        let written = MoneyText.format(
            decimal: decimal,
            currency: currency,
            digits: digits,
            language: language
        )
        guard let written else { return "\(decimal) \(currency)" }
        guard StatementWords.of(language).isRightToLeft else { return written }
        // What comes first runs from the left by itself (UAX #9: LRI and PDI): the number, or all
        // where the language has the currency before it.
        var text = Array(plain(written).unicodeScalars)
        let number = plain(AmountText(language: language, digits: digits).text(decimal))
            .unicodeScalars
        text.insert("\u{2069}", at: text.starts(with: number) ? number.count : text.count)
        text.insert("\u{2066}", at: 0)
        return String(String.UnicodeScalarView(text))
    }

    /// A number without marks of direction: its cell runs from the left.
    static func plain(_ number: String) -> String {
        String(String.UnicodeScalarView(number.unicodeScalars.filter(isShown)))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isBidiControl
    }

    /// In groups of four, as they are printed (ISO 13616-1, 6.4).
    static func spaced(_ iban: String) -> String {
        var text = ""
        for (place, letter) in iban.enumerated() {
            if place > 0, place % 4 == 0 { text.append(" ") }
            text.append(letter)
        }
        return text
    }

    /// A cell has no paragraphs of its own: line breaks and what is not shown become spaces.
    static func onOneLine(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            case .unassigned: scalars.append("\u{fffd}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
