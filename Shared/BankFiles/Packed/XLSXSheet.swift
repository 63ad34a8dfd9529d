import WalletProtocol
import XML

/// Writes the rows of a sheet as lines of CSV while they are read.
struct XLSXSheet {
    private let book: XLSXWorkbook
    private(set) var csv: [UInt8] = []
    private var line = 0
    /// The fields that the line has.
    private var fields = 0
    private var cell: Cell?

    private struct Cell {
        let column: Int
        let kind: String
        let style: Int
        var value = ""
        var isInValue = false
        var text = XLSXText()
    }

    /// A sheet has no more.
    private static let rowsMax = 1_048_576

    init(_ book: XLSXWorkbook) { self.book = book }

    mutating func take(_ event: XMLEvent) throws(UnreadableStatement) {
        switch event.kind {
        case .open("row", let attributes): try beginRow(attributes)
        case .close("row"):
            csv.append(0x0A)
        case .open("c", let attributes): beginCell(attributes)
        case .close("c"): try endCell()
        case .open("v", _): cell?.isInValue = true
        case .close("v"): cell?.isInValue = false
        case .text(let text) where cell?.isInValue == true:
            if cell?.value.utf8.count ?? 0 < 64 || cell?.kind == "str" { cell?.value += text }
        default: cell?.text.take(event.kind)
        }
        guard csv.count <= StatementLimits.bytesMax else {
            throw .unreadable(line: max(1, line), detail: "the sheet has more than 20 MiB of text")
        }
    }

    /// Rows that are left out in the file are empty lines here.
    private mutating func beginRow(
        _ attributes: [(name: String, value: String)]
    ) throws(UnreadableStatement) {
        let told = attributes.first { $0.name == "r" }.flatMap { Int($0.value) } ?? line + 1
        guard told > line, told <= XLSXSheet.rowsMax else {
            throw .unreadable(line: max(1, line), detail: "the rows of the sheet have no order")
        }
        csv.append(contentsOf: repeatElement(0x0A, count: told - line - 1))
        line = told
        fields = 0
    }

    private mutating func beginCell(_ attributes: [(name: String, value: String)]) {
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        cell = Cell(
            column: value("r").flatMap(XLSXSheet.column) ?? fields,
            kind: value("t") ?? "n",
            style: value("s").flatMap { Int($0) } ?? 0
        )
    }

    /// `AB12` is in the 28th column, 27.
    private static func column(_ place: String) -> Int? {
        var column = 0
        for letter in place.utf8.prefix(while: { isCapital($0) }) {
            column = column * 26 + Int(letter - 0x40)
            guard column <= 16_384 else { return nil }
        }
        return column > 0 ? column - 1 : nil
    }

    private mutating func endCell() throws(UnreadableStatement) {
        guard let done = cell else { return }
        cell = nil
        // What stands left of the last one is none, and further columns no statement has.
        guard line > 0, done.column >= max(0, fields - 1), done.column < CSVRecords.fieldsMax,
            fields == 0 || done.column >= fields
        else { return }
        while fields < done.column {
            if fields > 0 { csv.append(UInt8(ascii: ",")) }
            fields += 1
        }
        if fields > 0 { csv.append(UInt8(ascii: ",")) }
        fields += 1
        write(text(of: done))
    }

    private func text(of cell: Cell) -> String {
        switch cell.kind {
        case "s":
            guard let index = Int(cell.value), book.strings.indices.contains(index) else {
                return ""
            }
            return book.strings[index]
        case "inlineStr": return cell.text.text
        case "e": return ""
        case "b": return cell.value == "1" ? "TRUE" : "FALSE"
        case "str": return cell.value
        case "d": return cell.value
        default:
            if book.dayStyles.contains(cell.style), let day = day(cell.value) { return day }
            return XLSXNumber.plain(cell.value) ?? cell.value
        }
    }

    /// The day of a serial number, whose time of day is the fraction.
    private func day(_ serial: String) -> String? {
        let whole = serial.prefix { $0 != "." }
        guard whole.utf8.count <= 7, let number = Int(whole), number > 0 else { return nil }
        // 1900 is a leap year there: what comes before March of it no statement has.
        return Day(daysSince1970: number + (book.isFrom1904 ? -24_107 : -25_569))?.text
    }

    private mutating func write(_ text: String) {
        let needsQuotes = text.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 < 0x20 }
        guard needsQuotes else {
            csv.append(contentsOf: text.utf8)
            return
        }
        csv.append(0x22)
        for byte in text.utf8 {
            if byte == 0x22 { csv.append(0x22) }
            // A line stays one, so that its number is the row's.
            csv.append(byte < 0x20 ? 0x20 : byte)
        }
        csv.append(0x22)
    }
}

/// Numbers as XLSX writes binary floating point: `1234.5600000000002`, `1E-2`.
enum XLSXNumber {
    /// The decimal of at most 15 digits, which is what Excel shows; nil for what is none.
    ///
    /// Where there is a point, two digits or more stand behind it, and never three, which might be
    /// a group's.
    static func plain(_ text: String) -> String? {
        var bytes = Array(text.utf8.prefix(64))[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
        var digits: [UInt8] = []
        var point: Int?
        while let byte = bytes.first {
            if isDigit(byte) {
                digits.append(byte & 0x0F)
            } else if byte == UInt8(ascii: "."), point == nil {
                point = digits.count
            } else {
                break
            }
            bytes = bytes.dropFirst()
        }
        guard !digits.isEmpty else { return nil }
        var exponent = 0
        if let mark = bytes.first {
            guard mark | 0x20 == UInt8(ascii: "e"),
                let written = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)),
                (-30...30).contains(written)
            else { return nil }
            exponent = written
        }
        var places = (point ?? digits.count) + exponent
        while digits.count > 1, digits[0] == 0 {
            digits.removeFirst()
            places -= 1
        }
        round(&digits, &places)
        return (isNegative ? "-" : "") + written(digits, places)
    }

    /// To 15 digits, half up.
    private static func round(_ digits: inout [UInt8], _ places: inout Int) {
        guard digits.count > 15 else { return }
        let isUp = digits[15] >= 5
        digits.removeSubrange(15...)
        guard isUp else { return }
        var index = digits.count - 1
        while index >= 0, digits[index] == 9 {
            digits[index] = 0
            index -= 1
        }
        if index >= 0 {
            digits[index] += 1
        } else {
            digits.insert(1, at: 0)
            places += 1
        }
    }

    /// With the point behind so many of the digits.
    private static func written(_ digits: [UInt8], _ places: Int) -> String {
        let all =
            repeatElement(0, count: max(0, 1 - places)) + digits
            + repeatElement(0, count: max(0, places - digits.count))
        let split = max(1, places)
        var fraction = Array(all.dropFirst(split))
        while fraction.last == 0 { fraction.removeLast() }
        if fraction.count == 1 || fraction.count == 3 { fraction.append(0) }
        let letters = all.prefix(split) + fraction
        var text = String(decoding: letters.map { $0 + 0x30 }, as: UTF8.self)
        if !fraction.isEmpty {
            text.insert(".", at: text.index(text.endIndex, offsetBy: -fraction.count))
        }
        return text
    }
}
