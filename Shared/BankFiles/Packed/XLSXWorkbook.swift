import Archives
import WalletProtocol
import XML

/// A sheet of an XLSX workbook as CSV, which then goes the way of every CSV: the first that has a
/// table of known columns, else the first that has anything like a table.
///
/// A line is a row of the sheet, with its number; days are written by ISO 8601, numbers with a
/// point.
/// Source: ECMA-376, part 1, sections 18.2 (workbook), 18.3 (sheet), 18.4 (strings), 18.8 (styles).
struct XLSXWorkbook {
    /// The file that makes an archive a workbook.
    static let place = "xl/workbook.xml"

    private var packed: PackedFiles
    private(set) var strings: [String] = []
    /// The styles of cells that show a day.
    private(set) var dayStyles: Set<Int> = []
    private(set) var isFrom1904 = false

    /// What it takes of the archive's bound is taken there.
    static func csv(of packed: inout PackedFiles) throws(UnreadableStatement) -> [UInt8] {
        var book = XLSXWorkbook(packed: packed)
        let csv = try book.sheet()
        packed = book.packed
        return csv
    }

    private init(packed: PackedFiles) { self.packed = packed }

    /// Sheets that are looked at.
    private static let sheetsMax = 20

    private mutating func sheet() throws(UnreadableStatement) -> [UInt8] {
        let places = try sheetPlaces()
        try readStrings()
        try readStyles()
        var (first, table): ([UInt8]?, [UInt8]?) = (nil, nil)
        for place in places.prefix(XLSXWorkbook.sheetsMax) {
            guard let csv = try sheet(at: place) else { continue }
            if CSVHeader(in: csv) != nil { return csv }
            first = first ?? csv
            if table == nil, CSVHeader.table(in: csv) != nil { table = csv }
        }
        guard let found = table ?? first else {
            throw .unreadable(line: 1, detail: "the workbook has no sheet")
        }
        return found
    }

    private mutating func sheet(at place: String) throws(UnreadableStatement) -> [UInt8]? {
        guard let content = try content(place) else { return nil }
        var reader = XLSXSheet(self)
        try XLSXWorkbook.walk(content, ["r", "t", "s"]) { event throws(UnreadableStatement) in
            try reader.take(event)
        }
        return reader.csv
    }

    private mutating func content(_ name: String) throws(UnreadableStatement) -> [UInt8]? {
        guard let entry = packed.entries.first(where: { $0.name == name }) else { return nil }
        return try Unpacking.contents(of: entry, &packed)
    }

    /// Where the sheets are, in their order: their relations' targets.
    private mutating func sheetPlaces() throws(UnreadableStatement) -> [String] {
        var sheets: [String] = []
        var is1904 = false
        if let book = try content(XLSXWorkbook.place) {
            try XLSXWorkbook.walk(book, ["id", "date1904"]) { event in
                guard case .open(let name, let attributes) = event.kind else { return }
                if name == "sheet", sheets.count < XLSXWorkbook.sheetsMax,
                    let relation = attributes.first(where: { $0.name.hasSuffix(":id") })?.value
                {
                    sheets.append(relation)
                }
                if name == "workbookPr" {
                    let mark = attributes.first { $0.name == "date1904" }?.value
                    is1904 = mark == "1" || mark == "true"
                }
            }
        }
        isFrom1904 = is1904
        var targets: [String: String] = [:]
        if !sheets.isEmpty, let relations = try content("xl/_rels/workbook.xml.rels") {
            try XLSXWorkbook.walk(relations, ["Id", "Target"]) { event in
                guard case .open("Relationship", let attributes) = event.kind,
                    let id = attributes.first(where: { $0.name == "Id" })?.value,
                    let target = attributes.first(where: { $0.name == "Target" })?.value
                else { return }
                if sheets.contains(id) { targets[id] = target }
            }
        }
        let places = sheets.compactMap { targets[$0] }.map { target in
            target.hasPrefix("/") ? String(target.dropFirst()) : "xl/\(target)"
        }
        return places.isEmpty ? ["xl/worksheets/sheet1.xml"] : places
    }

    private mutating func readStrings() throws(UnreadableStatement) {
        guard let content = try content("xl/sharedStrings.xml") else { return }
        var found: [String] = []
        var text = XLSXText()
        try XLSXWorkbook.walk(content, []) { event throws(UnreadableStatement) in
            if case .open("si", _) = event.kind { text = XLSXText() }
            text.take(event.kind)
            guard case .close("si") = event.kind else { return }
            guard found.count < StatementLimits.fieldsMax else {
                throw .unreadable(line: 1, detail: "the workbook has too many texts")
            }
            found.append(text.text)
        }
        strings = found
    }

    private mutating func readStyles() throws(UnreadableStatement) {
        guard let content = try content("xl/styles.xml") else { return }
        var days: Set<String> = Set(
            [14...17, 22...22, 27...31, 34...36, 50...58].joined().map(String.init)
        )
        var (style, isInside, found) = (0, false, Set<Int>())
        try XLSXWorkbook.walk(content, ["numFmtId", "formatCode"]) { event in
            switch event.kind {
            case .open("cellXfs", _): isInside = true
            case .close("cellXfs"): isInside = false
            case .open("numFmt", let attributes):
                let id = attributes.first { $0.name == "numFmtId" }?.value
                let code = attributes.first { $0.name == "formatCode" }?.value
                guard let id, let code, days.count < 10_000 else { return }
                if XLSXWorkbook.showsDay(code) { days.insert(id) } else { days.remove(id) }
            case .open("xf", let attributes) where isInside:
                let id = attributes.first { $0.name == "numFmtId" }?.value ?? ""
                if days.contains(id), found.count < 100_000 { found.insert(style) }
                style += 1
            default: break
            }
        }
        dayStyles = found
    }

    /// Whether a format has a day or a year in it, beside its quoted texts and conditions.
    private static func showsDay(_ code: String) -> Bool {
        var end: UInt8 = 0
        var isEscaped = false
        for byte in code.utf8 {
            if isEscaped {
                isEscaped = false
            } else if end != 0 {
                if byte == end { end = 0 }
            } else {
                switch byte {
                case UInt8(ascii: "\\"): isEscaped = true
                case UInt8(ascii: "\""): end = byte
                case UInt8(ascii: "["): end = UInt8(ascii: "]")
                case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "y"), UInt8(ascii: "Y"):
                    return true
                default: break
                }
            }
        }
        return false
    }

    static let pieceBytes = 262_144

    /// All of a part's events, with these attributes, whatever prefix they have.
    private static func walk(
        _ bytes: [UInt8],
        _ attributes: Set<String>,
        _ take: (XMLEvent) throws(UnreadableStatement) -> Void
    ) throws(UnreadableStatement) {
        let xml = XMLEvents(isUTF8: false, textBytesMax: StatementLimits.valueBytesMax) { name in
            attributes.contains(String(name.split(separator: ":").last ?? ""))
        }
        guard let xml else { throw .unreadable(line: 1, detail: "no memory is left to read it") }
        var start = 0
        repeat {
            let end = min(start + pieceBytes, bytes.count)
            let events: [XMLEvent]
            do throws(XMLError) {
                events = try xml.feed(bytes[start..<end], isLast: end == bytes.count)
            } catch {
                throw .unreadable(line: 1, detail: "the workbook is damaged: \(error.detail)")
            }
            for event in events { try take(event) }
            start = end
        } while start < bytes.count
    }
}

/// The texts of a string's runs, without those that tell how it is said.
struct XLSXText {
    private(set) var text = ""
    private var isInText = false
    private var isInPhonetics = false

    mutating func take(_ kind: XMLEvent.Kind) {
        switch kind {
        case .open("t", _): isInText = true
        case .close("t"): isInText = false
        case .open("rPh", _): isInPhonetics = true
        case .close("rPh"): isInPhonetics = false
        case .text(let piece):
            if isInText, !isInPhonetics, text.utf8.count < StatementLimits.valueBytesMax {
                text += piece
            }
        default: break
        }
    }
}
