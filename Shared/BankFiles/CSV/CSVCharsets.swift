import Text
import WalletProtocol

/// The text of a CSV file, in UTF-8.
struct CSVText {
    let bytes: [UInt8]
    /// Where neither Unicode nor Windows-1252.
    let charset: CSVCharset?

    /// What may be tried where the text is not Unicode's, the likeliest first.
    private static let tried: [CSVCharset] = [
        .windows1252, .windows1250, .windows1251, .cp852, .macRoman,
    ]

    /// Reads a file whose character set is told, or else that under which its header line has the
    /// most names that are known.
    init(_ file: [UInt8], _ told: CSVCharset?) {
        if let told {
            bytes = CSVText.utf8(file, told)
            charset = told
            return
        }
        let plain = FileText.utf8(file, charset: .undeclared)
        guard !FileText.isUnicode(file) else {
            bytes = plain
            charset = nil
            return
        }
        let sample = Array(file.prefix(CSVHeader.bytesMax))
        var best: (charset: CSVCharset, known: Int) = (.windows1252, 0)
        for charset in CSVText.tried {
            let known = CSVHeader(in: CSVText.utf8(sample, charset))?.columns.known ?? 0
            if known > best.known { best = (charset, known) }
        }
        charset = best.charset == .windows1252 ? nil : best.charset
        bytes = charset.map { CSVText.utf8(file, $0) } ?? plain
    }

    private static func utf8(_ file: [UInt8], _ charset: CSVCharset) -> [UInt8] {
        let name: String
        switch charset {
        case .utf8, .windows1252: return FileText.utf8(file, charset: .undeclared)
        case .windows1250: name = "windows-1250"
        case .windows1251: name = "windows-1251"
        case .cp852: name = "ibm-852"
        case .macRoman: name = "macintosh"
        }
        return Charsets.utf8(file, from: name) ?? FileText.utf8(file, charset: .undeclared)
    }
}
