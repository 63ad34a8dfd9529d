import Text
import WalletProtocol

/// What an attachment is called: a plain file name, whatever the sender wrote.
public enum AttachmentName {
    /// Characters of a name.
    static let lengthMax = 120

    /// The name that is kept: without folders, characters that nobody sees or that turn the
    /// direction of others, and with an ending that is the content's.
    static func clean(_ text: String?, for type: AttachmentType) -> String {
        let last = (text ?? "").split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.unicodeScalars where isShown(scalar) { scalars.append(scalar) }
        var name = Substring(TextFolding.composed(String(scalars)))
        while let first = name.first, first.isWhitespace || first == "." { name.removeFirst() }
        while let last = name.last, last.isWhitespace || last == "." { name.removeLast() }
        let endings = endings(of: type)
        var ending = endings[0]
        if let dot = name.lastIndex(of: "."),
            endings.contains(name[name.index(after: dot)...].lowercased())
        {
            ending = String(name[name.index(after: dot)...])
            name = name[..<dot]
        }
        if name.isEmpty { name = "receipt" }
        // A character may be of any number of code points.
        var stem = String(name.prefix(lengthMax))
        while stem.unicodeScalars.count > lengthMax { stem.removeLast() }
        return (stem.isEmpty ? "receipt" : stem) + "." + ending
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator:
            false
        // Joiners are part of words and of emoji; the rest of these turns or hides.
        case .format: scalar.value == 0x200c || scalar.value == 0x200d
        default: true
        }
    }

    private static func endings(of type: AttachmentType) -> [String] {
        switch type {
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        case .png: ["png"]
        case .gif: ["gif"]
        case .webp: ["webp"]
        case .heic: ["heic", "heif", "hif"]
        case .avif: ["avif"]
        case .pdf: ["pdf"]
        }
    }

    /// The name in a `Content-Disposition` (RFC 6266); the form of RFC 8187 goes first.
    static func inDisposition(_ field: String) -> String? {
        var plain: String?
        var rest = Substring(field)
        // What is before the first semicolon is the type.
        guard let first = rest.firstIndex(of: ";") else { return nil }
        rest = rest[first...]
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            let value = value(&rest)
            switch name.lowercased().trimmed {
            case "filename*": if let decoded = extended(value) { return decoded }
            case "filename": plain = plain ?? value
            default: break
            }
        }
        return plain
    }

    /// A token or a quoted string.
    private static func value(_ rest: inout Substring) -> String {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" }
            rest = rest[token.endIndex...]
            return String(token).trimmed
        }
        rest = rest.dropFirst()
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\" else {
                text.append(character)
                continue
            }
            if let escaped = rest.popFirst() { text.append(escaped) }
        }
        rest = rest.drop { $0 != ";" }
        return text
    }

    /// `UTF-8'language'percent-encoded`.
    private static func extended(_ text: String) -> String? {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return Percent.decode(parts[2].utf8)
    }

    /// The field that tells a browser to save a file under a name, in both forms.
    public static func disposition(_ name: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    scalar.isASCII && scalar != "\"" && scalar != "\\" && scalar.value >= 0x20
                        && scalar.value != 0x7f ? scalar : "_"
                }
            )
        )
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(Percent.encode(name))"
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.last == " " || text.last == "\t" { text.removeLast() }
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        return String(text)
    }
}
