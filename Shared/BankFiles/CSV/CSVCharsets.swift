import Text
import WalletProtocol

/// The text of a CSV file, in UTF-8.
struct CSVText {
    let bytes: [UInt8]
    /// Where neither Unicode nor Windows-1252.
    let charset: CSVCharset?

    /// What may be tried where the text is not Unicode's, the likeliest first.
    private static let tried: [CSVCharset] = [
        .windows1252, .windows1250, .windows1251, .iso88592, .cp852, .windows1254, .windows1257,
        .windows1253, .windows1255, .windows1256, .koi8r, .eucKR, .gb18030, .shiftJIS, .big5,
        .windows874, .macRoman,
    ]
    /// By how much another set is to be likelier than the usual one.
    private static let margin = 0.4
    /// Sets whose header is looked at: those of the likeliest rows.
    private static let headersMax = 6

    /// Reads a file whose character set is told, or else that under which its header line has the
    /// most names that are known; where several know as many the rows tell.
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
        let rows = CSVText.foreign(file)
        let scored = CSVText.tried.enumerated().map { place, charset in
            let text = CSVText.utf8(rows, charset)
            return (charset, place, CharsetScore(rows, text, charset).value)
        }
        let likely = scored.sorted { $0.2 == $1.2 ? $0.1 < $1.1 : $0.2 > $1.2 }
        var best: (charset: CSVCharset, known: Int, score: Double)?
        for (place, (charset, _, score)) in likely.enumerated()
        where place < CSVText.headersMax || charset == .windows1252 {
            let known = CSVHeader(in: CSVText.utf8(sample, charset))?.columns.known ?? 0
            let score = charset == .windows1252 ? score + CSVText.margin : score
            guard let last = best else {
                best = (charset, known, score)
                continue
            }
            if known > last.known || (known == last.known && score > last.score) {
                best = (charset, known, score)
            }
        }
        let found = best?.charset ?? .windows1252
        charset = found == .windows1252 ? nil : found
        bytes = charset.map { CSVText.utf8(file, $0) } ?? plain
    }

    /// Lines that are not ASCII's, 16 KiB of them.
    private static func foreign(_ file: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        var start = 0
        for index in file.indices.prefix(1 << 20) where file[index] == 0x0A {
            let line = file[start...index]
            if line.count < 4_096, line.contains(where: { $0 >= 0x80 }) { lines += line }
            if lines.count > 16_384 { break }
            start = index + 1
        }
        return lines.isEmpty ? Array(file.prefix(16_384)) : lines
    }

    private static func utf8(_ file: [UInt8], _ charset: CSVCharset) -> [UInt8] {
        let name: String
        switch charset {
        case .utf8, .windows1252: return FileText.utf8(file, charset: .undeclared)
        case .cp852: name = "ibm-852"
        case .eucKR: name = "windows-949"
        case .gb18030, .big5, .shiftJIS, .koi8r, .macRoman, .iso88592, .windows1250, .windows1251,
            .windows1253, .windows1254, .windows1255, .windows1256, .windows1257, .windows874:
            name = charset.rawValue
        }
        return Charsets.utf8(file, from: name) ?? FileText.utf8(file, charset: .undeclared)
    }
}
