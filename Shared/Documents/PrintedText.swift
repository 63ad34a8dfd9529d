/// Texts as they are printed.
enum PrintedText {
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
