/// Texts inside XML 1.0.
enum XMLText {
    /// Appends a text with what has a meaning escaped, and what no document may hold replaced.
    ///
    /// A CR goes as a reference, or a reader would make a line feed of it.
    static func append(_ text: some StringProtocol, to out: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: out.append(contentsOf: "&amp;".utf8)
            case 0x3c: out.append(contentsOf: "&lt;".utf8)
            case 0x3e: out.append(contentsOf: "&gt;".utf8)
            case 0x0d: out.append(contentsOf: "&#13;".utf8)
            case 0x09, 0x0a, 0x20...0x7f: out.append(UInt8(scalar.value))
            // Section 2.2 of XML 1.0.
            case 0..<0x20, 0xfffe, 0xffff: out.append(contentsOf: "\u{fffd}".utf8)
            default: out.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
            }
        }
    }

    /// Appends `<name>text</name>`.
    static func append(
        _ name: StaticString,
        _ text: some StringProtocol,
        to out: inout [UInt8]
    ) {
        let name = name.description
        out.append(contentsOf: "<\(name)>".utf8)
        append(text, to: &out)
        out.append(contentsOf: "</\(name)>".utf8)
    }

    /// The text in pieces of so many characters of Unicode at most, none of them cut through.
    static func pieces(of text: String, _ most: Int) -> [String] {
        var pieces: [String] = []
        var piece = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if piece.count == most {
                pieces.append(String(piece))
                piece = String.UnicodeScalarView()
            }
            piece.append(scalar)
        }
        if !piece.isEmpty { pieces.append(String(piece)) }
        return pieces
    }

    /// So many characters of Unicode at most.
    static func prefix(_ text: String, _ most: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(most)))
    }
}
