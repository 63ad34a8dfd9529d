import IBANs
import Text

/// What the information to the owner (`:86:`, `:NS:`) tells of a row.
struct MT940Details: Hashable {
    var name: String?
    var purpose: String?
    /// What kind of payment it is, in the bank's words.
    var kind: String?
    var counterparty: String?
    private(set) var endToEnd: String?

    /// How many of its texts a row is read from: banks write one or two.
    static let textsMax = 16

    /// Of the texts of `:86:` and `:NS:`, each in its lines.
    init(_ texts: [MT940Field]) {
        for field in texts {
            if field.tag == "NS" {
                readNonSwift(field.lines)
            } else if let subfields = MT940Details.subfields(field.lines.joined()) {
                readGerman(subfields)
            } else if let words = MT940Details.words(field.lines.joined()) {
                readDutch(words)
            } else {
                readPlain(field.lines)
            }
        }
    }

    mutating func add(_ text: String) {
        // More than a description can hold is of no use, however it is cut.
        guard purpose?.utf8.count ?? 0 < 4 * StatementLimits.descriptionMax,
            let line = FileText.line(text, scalarsMax: StatementLimits.descriptionMax)
        else { return }
        if purpose == nil {
            purpose = line
        } else {
            purpose?.append(" ")
            purpose?.append(line)
        }
    }

    // MARK: Lines without a structure

    /// A line of full length goes on in the next; a shorter one ends.
    private mutating func readPlain(_ lines: [String]) {
        if readLabels(lines) { return }
        var text = ""
        for (index, line) in lines.enumerated() {
            var line = line
            // `999`: German for «not structured».
            if index == 0, line.hasPrefix("999") { line.removeFirst(3) }
            let isFull = (lines[max(index - 1, 0)].utf8.count >= 60)
            text += text.isEmpty || isFull ? line : " " + line
        }
        add(text)
        guard counterparty == nil, let found = MT940Details.accountNumber(in: text) else { return }
        counterparty = found
    }

    /// The first IBAN in a text.
    static func accountNumber(in text: String) -> String? {
        for word in text.utf8.split(whereSeparator: { !isLetterOrDigit($0) }) {
            guard (15...34).contains(word.count), isCapital(word[word.startIndex]),
                isCapital(word[word.index(after: word.startIndex)]),
                IBAN.remainder(of: Array(word)) == 1
            else { continue }
            return String(decoding: word, as: UTF8.self)
        }
        return nil
    }

    // MARK: `166?00GUTSCHRIFT?20SVWZ+…?32NAME`

    /// The two-digit subfields behind three digits and a separator; nil where there are none.
    private static func subfields(_ text: String) -> [(code: Int, text: String)]? {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count, bytes[start] <= 0x20 { start += 1 }
        let code = bytes[start...].prefix { isDigit($0) }.count
        guard code == 3 || code == 0, start + code + 2 < bytes.count else { return nil }
        let mark = bytes[start + code]
        guard "?<>~^!|".utf8.contains(mark), isDigit(bytes[start + code + 1]),
            isDigit(bytes[start + code + 2])
        else { return nil }
        var found: [(code: Int, text: String)] = []
        var at = start + code
        while at < bytes.count {
            // A separator that no two digits follow is part of the text.
            var end = at + 3
            while end < bytes.count, !isSubfield(bytes, end, mark) { end += 1 }
            end = min(end, bytes.count)
            let number = Int(bytes[at + 1] - 0x30) * 10 + Int(bytes[at + 2] - 0x30)
            found.append((number, String(decoding: bytes[min(at + 3, end)..<end], as: UTF8.self)))
            at = end
        }
        return found
    }

    private static func isSubfield(_ bytes: [UInt8], _ at: Int, _ mark: UInt8) -> Bool {
        guard bytes[at] == mark, at + 2 < bytes.count, isDigit(bytes[at + 1]),
            isDigit(bytes[at + 2])
        else { return false }
        // `?96 Euro` is part of the text: there is no such subfield.
        let code = (bytes[at + 1] & 0x0F) * 10 + (bytes[at + 2] & 0x0F)
        return code == 0 || code == 10 || (20...39).contains(code) || (60...69).contains(code)
    }

    private mutating func readGerman(_ subfields: [(code: Int, text: String)]) {
        var lines: [String] = []
        var names: [String] = []
        var account: String?
        for (code, text) in subfields {
            switch code {
            case 0: kind = kind ?? FileText.line(text, scalarsMax: StatementLimits.nameMax)
            case 20...29, 60...63: lines.append(text)
            case 31: account = account ?? text
            case 32, 33: names.append(text)
            case 38: account = text
            default: break
            }
        }
        name = name ?? MT940Details.joined(names)
        counterparty = counterparty ?? StatementTexts.accountNumber(account)
        readSEPA(MT940Details.joined(lines) ?? "")
    }

    /// Subfields have 27 characters: a full one goes on in the next.
    private static func joined(_ lines: [String]) -> String? {
        var text = ""
        var isFull = true
        for line in lines {
            text += isFull ? line : " " + line
            isFull = line.unicodeScalars.count >= 27
        }
        return FileText.line(text, scalarsMax: StatementLimits.descriptionMax)
    }

    /// What stands behind the marks of SEPA; the purpose alone is a description where it is told.
    private mutating func readSEPA(_ text: String) {
        let marks = [
            "EREF", "KREF", "MREF", "CRED", "DEBT", "COAM", "OAMT", "SVWZ", "ABWA", "ABWE", "IBAN",
            "BIC", "PURP",
        ]
        let parts = MT940Details.parts(of: text, marks) { "\($0)+" }
        guard !parts.isEmpty else { return add(text) }
        for (mark, value) in parts {
            switch mark {
            case "EREF": endToEnd = endToEnd ?? StatementTexts.endToEnd(value)
            case "IBAN": counterparty = counterparty ?? StatementTexts.accountNumber(value)
            case "SVWZ", "": add(value)
            default: break
            }
        }
        if purpose == nil { add(text) }
    }

    // MARK: `/TRTP/SEPA OVERBOEKING/IBAN/…/NAME/…/REMI/…`

    private static let dutchMarks = [
        "TRTP", "IBAN", "BIC", "NAME", "REMI", "EREF", "CSID", "MARF", "ORDP", "BENM", "ISDT",
        "ADDR", "CNTP", "ULTC", "ULTD", "ULTB", "RTRN", "PREF", "RREF", "PURP", "SVCL", "ACCW",
        "BUSP", "INIT", "ID", "CITY", "NRTX", "UDTR", "UCRD", "SWOC", "SWOD", "OCMT", "CHGS",
        "EXCH", "TRCD",
    ]

    private static func words(_ text: String) -> [(mark: String, text: String)]? {
        guard text.hasPrefix("/") else { return nil }
        let found = parts(of: text, dutchMarks) { "/\($0)/" }
        guard let first = found.first(where: { !$0.text.isEmpty || !$0.mark.isEmpty }),
            !first.mark.isEmpty
        else { return nil }
        return found
    }

    private mutating func readDutch(_ words: [(mark: String, text: String)]) {
        for (mark, text) in words {
            switch mark {
            case "NAME":
                name = name ?? FileText.line(text, scalarsMax: StatementLimits.nameMax)
            case "IBAN": counterparty = counterparty ?? StatementTexts.accountNumber(text)
            case "CNTP":
                // Number, BIC, name, town.
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                counterparty =
                    counterparty ?? StatementTexts.accountNumber(parts.first.map(String.init))
                if parts.count > 2, name == nil {
                    name = FileText.line(
                        String(parts[2]),
                        scalarsMax: StatementLimits.nameMax
                    )
                }
            case "EREF": endToEnd = endToEnd ?? StatementTexts.endToEnd(text)
            case "TRTP": kind = kind ?? FileText.line(text, scalarsMax: 140)
            case "REMI":
                var text = text
                for prefix in ["USTD//", "STRD/CUR/", "STRD/"] where text.hasPrefix(prefix) {
                    text.removeFirst(prefix.utf8.count)
                    break
                }
                while text.hasSuffix("/") { text.removeLast() }
                add(text)
            default: break
            }
        }
    }

    /// A text cut at the marks that stand in it; what is before the first has none.
    static func parts(
        of text: String,
        _ marks: [String],
        written: (String) -> String
    ) -> [(mark: String, text: String)] {
        let bytes = Array(text.utf8)
        let known = marks.map { (mark: $0, bytes: Array(written($0).utf8)) }
        var found: [(mark: String, text: String)] = []
        var (mark, start, at) = ("", 0, 0)
        while at < bytes.count {
            // The last byte first: it is rarer than the first.
            let hit = known.first { known in
                let last = at + known.bytes.count - 1
                return last < bytes.count && bytes[last] == known.bytes[known.bytes.count - 1]
                    && bytes[at...].starts(with: known.bytes)
            }
            guard let hit else {
                at += 1
                continue
            }
            // Nothing stands between two marks that share a slash: one begins before `start`.
            found.append((mark, String(decoding: bytes[min(start, at)..<at], as: UTF8.self)))
            mark = hit.mark
            at += hit.bytes.count
            start = at
            // `/BENM/NAME/`: the slash that ends one mark begins the next.
            if bytes[at - 1] == UInt8(ascii: "/"), at < bytes.count,
                bytes[at] != UInt8(ascii: "/"),
                known.contains(where: { bytes[(at - 1)...].starts(with: $0.bytes) })
            {
                at -= 1
            }
        }
        guard !found.isEmpty else { return [] }
        found.append((mark, String(decoding: bytes[min(start, bytes.count)...], as: UTF8.self)))
        return found.filter { !$0.mark.isEmpty || !$0.text.isEmpty }
    }

    // MARK: `:NS:01Purpose`, with a line for each

    private mutating func readNonSwift(_ lines: [String]) {
        var names: [String] = []
        var purposes: [String] = []
        for line in lines {
            guard let code = Int(line.prefix(2)), line.utf8.count > 2 else { continue }
            let text = String(line.dropFirst(2))
            switch code {
            case 1...14: purposes.append(text)
            case 15, 16: names.append(text)
            case 17: kind = kind ?? FileText.line(text, scalarsMax: 140)
            default: break
            }
        }
        name = name ?? MT940Details.joined(names)
        add(purposes.joined(separator: " "))
    }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte)
}
