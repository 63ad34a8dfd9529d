import Text
import WalletProtocol

/// What a file is by its content, whatever it is called.
enum FileKind {
    /// The format that the first bytes speak of; nil for what is no statement.
    static func format(of bytes: [UInt8]) -> StatementFormat? {
        let sample = FileText.utf8(Array(bytes.prefix(8_192)), charset: .undeclared)
        let capitals = FileText.capitals(sample)[...]
        guard let first = capitals.firstIndex(where: { $0 > 0x20 }) else { return nil }
        let head = capitals[first...]
        if head.starts(with: "OFXHEADER".utf8) || isOFX(head) { return .ofx }
        if head.first == UInt8(ascii: "<") {
            if ["<OFX>", "<?OFX", "<OFX "].contains(where: { capitals.range(of: $0) != nil }) {
                return .ofx
            }
            return camtNames.contains { capitals.range(of: $0) != nil } ? .camt053 : nil
        }
        if ["!TYPE:", "!OPTION:", "!ACCOUNT"].contains(where: { head.starts(with: $0.utf8) }) {
            return .qif
        }
        if MT940Fields.areLikely(in: sample) { return .mt940 }
        let isText = !sample.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let isTable = CSVRecords.delimiters.contains { sample.contains($0) }
        if magic.contains(where: { bytes.starts(with: $0.bytes) }) { return nil }
        return isText && isTable && !isJSON(head) && !isForm(head) ? .csv : nil
    }

    private static let camtNames = [
        "CAMT.052", "CAMT.053", "CAMT.054", "BKTOCSTMRSTMT", "BKTOCSTMRACCTRPT",
        "BKTOCSTMRDBTCDTNTFCTN",
    ]

    /// Whether nothing but lines of `KEY:VALUE` stands before `<OFX>`.
    private static func isOFX(_ head: ArraySlice<UInt8>) -> Bool {
        guard let root = head.range(of: "<OFX>") else { return false }
        let lines = head[..<root.lowerBound].split { $0 == 0x0A || $0 == 0x0D }
        return lines.allSatisfy { line in
            let key = line.prefix { isLetter($0) || $0 == 0x20 }
            return key.count == line.count
                ? key.allSatisfy { $0 == 0x20 }
                : line[line.startIndex + key.count] == UInt8(ascii: ":")
        }
    }

    private static func isJSON(_ head: ArraySlice<UInt8>) -> Bool {
        let next = head.dropFirst().first { $0 > 0x20 } ?? 0
        switch head.first {
        case UInt8(ascii: "{"): return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
        case UInt8(ascii: "["): return "[{\"]".utf8.contains(next)
        default: return false
        }
    }

    /// A body of `multipart/form-data`, which begins with its boundary.
    private static func isForm(_ head: ArraySlice<UInt8>) -> Bool {
        head.starts(with: "--".utf8) && head.range(of: "CONTENT-DISPOSITION:") != nil
    }

    /// What it looks like, and what is read: a sentence to be shown to the user.
    static func detail(of bytes: [UInt8]) -> String {
        "\(likeness(of: bytes)); what is read is OFX (QFX, QBO), camt.052, .053 and .054, MT940, "
            + "MT942, QIF, CSV and XLSX, each also as ZIP or gzip"
    }

    private static let magic: [(bytes: [UInt8], name: String)] = [
        (Array("%PDF".utf8), "a PDF: banks give tables beside it"),
        ([0x1F, 0x8B], "a gzip file of nothing that is read"),
        (Array("PK".utf8), "a ZIP archive of nothing that is read"),
        ([0xD0, 0xCF, 0x11, 0xE0], "an old Excel file (XLS): save it as XLSX or CSV"),
        ([0x89, 0x50, 0x4E, 0x47], "a picture"), ([0xFF, 0xD8, 0xFF], "a picture"),
        (Array("GIF8".utf8), "a picture"), (Array("RIFF".utf8), "a picture"),
    ]

    static func likeness(of bytes: [UInt8]) -> String {
        if let known = magic.first(where: { bytes.starts(with: $0.bytes) }) {
            return "this looks like \(known.name)"
        }
        let sample = FileText.utf8(Array(bytes.prefix(8_192)), charset: .undeclared)
        let capitals = FileText.capitals(sample)[...]
        guard let first = capitals.firstIndex(where: { $0 > 0x20 }) else {
            return "the file is empty"
        }
        let head = capitals[first...]
        if head.range(of: "OFFICE:SPREADSHEET") != nil || head.range(of: "EXCEL.SHEET") != nil {
            return "this looks like a table as XML of Excel 2003: save it as XLSX or CSV"
        }
        if head.range(of: "<TABLE") != nil {
            return "this looks like a table as HTML: save it as XLSX or CSV"
        }
        if ["<!DOCTYPE HTML", "<HTML", "<HEAD", "<BODY"].contains(where: {
            head.range(of: $0) != nil
        }) {
            return "this looks like a web page (HTML), such as banks send when a session is over"
        }
        for message in ["CAMT.", "PAIN.", "PACS."] {
            guard let found = head.range(of: message) else { continue }
            let number = head[found.upperBound...].prefix { isDigit($0) }.prefix(3)
            let name = String(decoding: number, as: UTF8.self)
            return "this looks like a \(message.lowercased())\(name), an ISO 20022 message "
                + "without a statement"
        }
        if head.first == UInt8(ascii: "<") { return "this looks like XML of another kind" }
        if isJSON(head) { return "this looks like JSON" }
        if isForm(head) {
            return "this looks like a form's upload: the body has to be the file alone"
        }
        let isText = !sample.contains { $0 < 0x09 }
        return isText ? "no rows are to be seen in this text" : "this is no text"
    }
}
