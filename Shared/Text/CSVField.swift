/// Texts as fields of a table of text (RFC 4180).
///
/// Texts that a spreadsheet would run as a formula get an apostrophe, which spreadsheets do not
/// show; it is told from one that was there, for texts with apostrophes before such a beginning get
/// one, too: whoever takes one apostrophe from before `=`, `+`, `-`, `@`, tab or CR, with any
/// apostrophes between, has the text as it was. Source: OWASP, CSV injection.
public enum CSVField {
    /// A text as a field.
    public static func append(_ text: String, to out: inout [UInt8]) {
        let isFormula = startsFormula(text)
        let isQuoted = text.utf8.contains { byte in
            byte == 0x22 || byte == 0x2c || byte == 0x0d || byte == 0x0a || byte == 0x3b
        }
        guard isQuoted || isFormula || text.first == " " || text.last == " " else {
            out.append(contentsOf: text.utf8)
            return
        }
        out.append(0x22)
        if isFormula { out.append(UInt8(ascii: "'")) }
        for byte in text.utf8 {
            if byte == 0x22 { out.append(0x22) }
            out.append(byte)
        }
        out.append(0x22)
    }

    /// The text that a field was written for.
    public static func text(of field: String) -> String {
        guard field.unicodeScalars.first == "'", startsFormula(field) else { return field }
        return String(String.UnicodeScalarView(field.unicodeScalars.dropFirst()))
    }

    /// Whether a text begins as a formula does, whatever apostrophes stand before it; some programs
    /// take the wide forms for the same.
    private static func startsFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first(where: { $0 != "'" }) else { return false }
        switch first {
        case "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}":
            return true
        default: return false
        }
    }
}

/// A table of text as it is written: a heading, then a line each, ended by CR LF, in UTF-8 with its
/// byte order mark, without which Excel takes it for Windows-1252.
public struct CSVTable {
    /// A field; of nothing it is empty.
    public enum Field {
        /// Our own word, day or number: as it is, a minus, too.
        case plain(String?)
        /// Somebody's text.
        case text(String?)
    }

    /// All of it so far that was not taken.
    public private(set) var bytes: [UInt8]
    private let width: Int

    /// A table of these columns.
    public init(_ columns: [String]) {
        self.init(headings: columns.map { .plain($0) })
    }

    /// A table whose headings may be somebody's texts.
    public init(headings: [Field]) {
        bytes = Array("\u{feff}".utf8)
        width = headings.count
        append(headings)
    }

    /// Removes what was written so far: of a table that is sent in pieces.
    public mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Adds a line; fields that are left out at its end are empty.
    public mutating func append(_ fields: [Field]) {
        for place in 0..<width {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            guard place < fields.count else { continue }
            switch fields[place] {
            case .plain(let text): bytes.append(contentsOf: (text ?? "").utf8)
            case .text(let text): CSVField.append(text ?? "", to: &bytes)
            }
        }
        bytes.append(contentsOf: [0x0d, 0x0a])
    }
}

extension CSVTable.Field: ExpressibleByStringLiteral {
    /// A word of ours.
    public init(stringLiteral text: String) { self = .plain(text) }
}
