internal import CPango

// Safety: bytes are lent for one call, with their own count.

/// Adds to a PDF that passes by what cairo cannot write: the language, and that the title is to be
/// shown, as an incremental update (ISO 32000-2, 7.5.6) behind its end.
///
/// The catalog is found where cairo up to 1.16 writes it, as an object of its own in clear, begun
/// in one piece; where it is not to be found so, nothing is added.
struct PDFCatalog {
    /// BCP 47.
    var language = "en"
    private var count = 0
    /// From the object that says it is the catalog on, up to its end.
    private var object: [UInt8] = []
    /// What came last since then.
    private var tail: [UInt8] = []
    private var hasObject = false

    private static let objectMax = 4_096
    private static let tailMax = 1_024

    /// Bytes of the document, in their order.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        count += bytes.count
        let found = unsafe ezwallet_find(bytes.baseAddress, bytes.count, "<< /Type /Catalog")
        if found >= 0 {
            hasObject = true
            object = []
            tail = []
        }
        guard hasObject else { return }
        unsafe object.append(contentsOf: bytes.prefix(Self.objectMax - object.count))
        unsafe tail.append(contentsOf: bytes.suffix(Self.tailMax))
        tail.removeFirst(max(0, tail.count - Self.tailMax))
    }

    /// What is to follow the document.
    func update() -> [UInt8] {
        let catalog = String(decoding: object, as: UTF8.self)
        let tail = String(decoding: tail, as: UTF8.self)
        guard let ending = catalog.range(of: "endobj"),
            let header = catalog[..<ending.lowerBound].range(of: " 0 obj"),
            let close = catalog[..<ending.lowerBound].lastRange(of: ">>"),
            catalog[..<ending.lowerBound].range(of: "/Lang") == nil,
            let number = Int(String(catalog[..<header.lowerBound].suffix(while: \.isNumber))),
            let trailer = tail.lastRange(of: "trailer"),
            let start = tail.lastRange(of: "startxref"), trailer.upperBound < start.lowerBound,
            let previous = tail[start.upperBound...].split(whereSeparator: \.isWhitespace).first,
            let end = tail[trailer.upperBound..<start.lowerBound].lastRange(of: ">>"),
            tail[trailer.upperBound..<end.lowerBound].range(of: "/Prev") == nil
        else { return [] }
        let safe = language.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        let object = """
            \(number) 0 obj\(catalog[header.upperBound..<close.lowerBound])   /Lang (\(safe))
               /ViewerPreferences << /DisplayDocTitle true >>
            >>
            endobj

            """
        let digits = String(count)
        let place = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        let table = "xref\n\(number) 1\n\(place) 00000 n \n"
        let dictionary = tail[trailer.lowerBound..<end.lowerBound] + "   /Prev \(previous)\n>>\n"
        let foot = "startxref\n\(count + object.utf8.count)\n%%EOF\n"
        return Array((object + table + dictionary + foot).utf8)
    }
}

extension StringProtocol {
    /// Where a text stands for the first time.
    fileprivate func range(of wanted: String) -> Range<Index>? {
        indices.lazy.compactMap { match(wanted, at: $0) }.first
    }

    /// Where a text stands for the last time.
    fileprivate func lastRange(of wanted: String) -> Range<Index>? {
        indices.lazy.reversed().compactMap { match(wanted, at: $0) }.first
    }

    private func match(_ wanted: String, at start: Index) -> Range<Index>? {
        guard let end = index(start, offsetBy: wanted.count, limitedBy: endIndex),
            self[start..<end] == wanted
        else { return nil }
        return start..<end
    }

    fileprivate func suffix(while holds: (Character) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, holds(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
