import WalletProtocol

/// RFC 4180: a header line, then a line each, ended by CR LF, in UTF-8 with its byte order mark,
/// without which Excel takes it for Windows-1252.
///
/// Texts that a spreadsheet would run as a formula get an apostrophe, which spreadsheets do not
/// show; it is told from one that was there, for texts with apostrophes before such a beginning get
/// one, too: whoever takes one apostrophe from before `=`, `+`, `-`, `@`, tab or CR, with any
/// apostrophes between, has the text as it was. Source: OWASP, CSV injection.
package struct CSVStatement: TextStatementWriter {
    static let columns = [
        "date", "amount", "currency", "balance", "name", "description", "category",
        "counterparty IBAN", "id",
    ]
    private var exponent = 2
    private var currency = ""

    /// Nothing is written yet.
    package init() {}

    package mutating func begin(_ head: StatementHead) -> [UInt8] {
        exponent = head.currency.exponent
        currency = head.currency.code
        return Array(("\u{feff}" + Self.columns.joined(separator: ",") + "\r\n").utf8)
    }

    package func append(_ lines: [StatementLine]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(lines.count * 160)
        for line in lines {
            let fields = [
                line.day.text, decimalText(Int128(line.amount), exponent: exponent), currency,
                decimalText(line.balance, exponent: exponent),
            ]
            out.append(contentsOf: fields.joined(separator: ",").utf8)
            for text in [line.name, line.description, line.category, line.counterIBAN ?? ""] {
                out.append(UInt8(ascii: ","))
                Self.append(text, to: &out)
            }
            out.append(UInt8(ascii: ","))
            out.append(contentsOf: line.id.text.utf8)
            out.append(contentsOf: [0x0d, 0x0a])
        }
        return out
    }

    package func end() -> [UInt8] { [] }

    /// A text as a field.
    static func append(_ text: String, to out: inout [UInt8]) {
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
    static func text(of field: String) -> String {
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
