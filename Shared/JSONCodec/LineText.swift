@_spi(_Unicode) internal import Swift

/// Lines of text in the one form that is counted, compared and stored.
package enum LineText {
    /// A line without what cannot be seen at both ends, composed (NFC).
    ///
    /// A line of nothing visible stays as it is, so that it is refused as blank.
    package static func normalized(_ text: String, _ length: ClosedRange<Int>) -> String {
        // Nothing to do, as in nearly all texts that come often.
        if let first = text.utf8.first, let last = text.utf8.last, first > 0x20, last > 0x20,
            text.utf8.allSatisfy({ $0 < 0x80 })
        {
            return text
        }
        let trimmed = trimmed(text)
        if trimmed.isEmpty { return length.lowerBound > 0 ? text : "" }
        return composed(trimmed, length)
    }

    /// A text without what cannot be seen at both ends.
    @Sendable package static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !isEdge($0) }),
            let end = scalars.lastIndex(where: { !isEdge($0) })
        else { return "" }
        return String(scalars[start...end])
    }

    /// NFC; texts that are too long in any form stay as they are, and so do those that NFC makes
    /// longer, as letters of Devanagari and Hebrew that it has in two parts only.
    static func composed(_ text: String, _ length: ClosedRange<Int>) -> String {
        // No character of NFC is made of more than four.
        guard text.utf8.contains(where: { $0 >= 0x80 }),
            text.unicodeScalars.count <= 4 * max(length.upperBound, 1)
        else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return scalars.count > text.unicodeScalars.count ? text : String(scalars)
    }

    /// A text without white space, wherever it is.
    @Sendable static func withoutSpace(_ text: String) -> String {
        String(text.unicodeScalars.filter { !isEdge($0) })
    }

    /// Whether nothing of a text can be seen.
    package static func isInvisible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            isEdge(scalar) || scalar.properties.isDefaultIgnorableCodePoint
                || scalar.properties.generalCategory == .format || blanks.contains(scalar)
        }
    }

    /// White space, and what has no width and no meaning at the end of a line.
    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20: true
        case ..<0x80: false
        case 0x180E, 0x200B...0x200D, 0x2060, 0xFEFF: true
        default: scalar.properties.isWhitespace
        }
    }

    /// Characters of a script that show nothing: Braille's blank, music's, hieroglyphs'.
    private static let blanks: Set<Unicode.Scalar> = [
        "\u{2800}", "\u{1D159}", "\u{13441}", "\u{13442}",
    ]
}
