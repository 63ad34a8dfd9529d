/// A password as somebody typed it, and in the one form in which passwords are set and compared.
///
/// Keyboards and browsers send one text in more than one way: `ü` as one character or as two.
/// Source: RFC 8265, 4.2 (OpaqueString): spaces beyond ASCII become U+0020, then NFC. Nothing is
/// trimmed, and case and width stay.
public struct PasswordText: Sendable, Hashable {
    /// What is checked, hashed and compared.
    public let normalized: String
    /// As it was sent.
    private let sent: String

    /// From what was sent.
    public init(_ sent: String) {
        self.sent = sent
        guard sent.utf8.contains(where: { $0 >= 0x80 }) else {
            normalized = sent
            return
        }
        var scalars = String.UnicodeScalarView()
        for scalar in sent.unicodeScalars {
            let isSpace = scalar.properties.generalCategory == .spaceSeparator
            scalars.append(isSpace ? " " : scalar)
        }
        normalized = TextFolding.wholeComposed(String(scalars))
    }

    /// As it was sent, where that is another text: what a hash of before is of.
    public var unnormalized: String? {
        // Not `==`, by which two spellings of a text are equal.
        normalized.utf8.elementsEqual(sent.utf8) ? nil : sent
    }
}
