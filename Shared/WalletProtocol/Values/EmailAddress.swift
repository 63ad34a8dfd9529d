/// An address that mail can be sent to: local part, `@`, domain.
///
/// Accepted is the dot-atom form in ASCII, or UTF-8 in the local part (RFC 6531), never quoted
/// strings, comments or address literals, which no person's address needs.
/// Source: RFC 5321 (4.1.2, lengths 4.5.3.1), RFC 1035 (labels).
public struct EmailAddress: Hashable, Sendable {
    /// The address as it was written.
    public let text: String

    /// Bytes of the whole.
    public static let bytesMax = 254
    static let localBytesMax = 64

    /// Nil where the text is no address.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax,
            let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
        else { return nil }
        let local = text[..<at].utf8
        let domain = text[text.utf8.index(after: at)...].utf8
        guard (1...Self.localBytesMax).contains(local.count), Self.isDotAtom(local),
            Self.isDomain(domain)
        else { return nil }
        self.text = text
    }

    /// The form by which two addresses are the same: ASCII letters in lower case.
    ///
    /// The local part is case-sensitive by the letter of RFC 5321; no mail provider treats it so,
    /// and two accounts for one mailbox would be a way round every rule per account. Beyond ASCII
    /// no host agrees with another on what is the same letter, and folding all of Unicode would
    /// make one mailbox of two (`K` and the Kelvin sign): there letters are what they are.
    public var folded: String { Self.folded(text) }

    /// The same of a text that may be an address.
    public static func folded(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }

    /// The domain, without the `@`.
    public var domain: Substring {
        text[text.index(after: text.lastIndex(of: "@") ?? text.startIndex)...]
    }

    private static func isDotAtom(_ bytes: Substring.UTF8View) -> Bool {
        var previousWasDot = true
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                if previousWasDot { return false }
                previousWasDot = true
            } else {
                guard isAtomText(byte) else { return false }
                previousWasDot = false
            }
        }
        return !previousWasDot
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "?"),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Two labels at least, each 1 to 63 of letters, digits and inner hyphens (or UTF-8).
    private static func isDomain(_ bytes: Substring.UTF8View) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2 else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), 0x80...:
                        true
                    default: false
                    }
                }
        }
    }
}

extension Rule where Value.Content == String {
    /// An e-mail address.
    public static var email: Rule {
        Rule(
            schema: [
                JSONMember("format", "email"),
                JSONMember("maxLength", .integer(Int64(EmailAddress.bytesMax))),
            ],
            normalizedBy: LineText.trimmed
        ) { text, reading in
            if EmailAddress(text) == nil {
                reading.fail(.invalidEmail, "is no e-mail address")
            }
        }
    }
}
