import WalletProtocol

/// Why a file has no rates to read.
enum RateFileError: Error, Hashable, Sendable {
    /// The header does not begin with `Date`, or names a column that is no currency, or twice.
    case header
    /// A row has another number of cells than the header, or its day is none or not older.
    case row(line: Int)
    /// A cell that is neither a rate nor `N/A`.
    case cell(line: Int, column: Int)
    /// More rows or columns than are taken.
    case tooLarge
    /// No row at all.
    case empty
}

/// Reads the bank's CSV: `Date,USD,JPY,…,` and then a row a day, the newest first.
struct RateFile {
    /// A century and a half of days, and more currencies than there are.
    static let rowsMax = 40_000
    static let columnsMax = 300

    /// Ascending.
    private(set) var days: [Day] = []
    /// By code.
    private(set) var currencies: [Currency] = []
    /// A row a day and a column a currency, in the order of both.
    private(set) var cells: [PublishedRate] = []
    private var at = 0
    private var line = 1

    /// Reads the whole file.
    mutating func read(_ bytes: Span<UInt8>) throws(RateFileError) {
        let header = try readHeader(bytes)
        currencies = header.compactMap { $0 }.sorted()
        let columns = header.map { $0.flatMap(currencies.firstIndex(of:)) }
        let rowCount = Self.rowCount(bytes, from: at)
        guard rowCount > 0 else { throw .empty }
        guard rowCount <= Self.rowsMax, let epoch = Day(daysSince1970: 0) else { throw .tooLarge }
        days = Array(repeating: epoch, count: rowCount)
        cells = Array(repeating: .missing, count: rowCount * currencies.count)
        var row = rowCount
        while row > 0 {
            row -= 1
            line += 1
            try readRow(bytes, row, columns)
        }
        guard at == bytes.count else { throw .row(line: line + 1) }
    }

    /// The currency of each column; nil for one that ISO 4217 no longer has.
    private mutating func readHeader(_ bytes: Span<UInt8>) throws(RateFileError) -> [Currency?] {
        guard text(bytes, cell(bytes)) == "Date" else { throw .header }
        var header: [Currency?] = []
        while !isAtLineEnd(bytes) {
            let code = text(bytes, cell(bytes))
            guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw .header
            }
            guard header.count < Self.columnsMax else { throw .tooLarge }
            let currency = Currency(code)
            guard currency == nil || (!header.contains(currency) && currency != .eur) else {
                throw .header
            }
            header.append(currency)
        }
        try endLine(bytes)
        return header
    }

    private mutating func readRow(
        _ bytes: Span<UInt8>,
        _ row: Int,
        _ columns: [Int?]
    ) throws(RateFileError) {
        guard let day = Day(text(bytes, cell(bytes))),
            row + 1 == days.count || day < days[row + 1]
        else { throw .row(line: line) }
        days[row] = day
        let start = row * currencies.count
        for index in columns.indices {
            guard !isAtLineEnd(bytes) else { throw .row(line: line) }
            let range = cell(bytes)
            guard let rate = Self.rate(bytes, range) else {
                throw .cell(line: line, column: index + 2)
            }
            if let column = columns[index] { cells[start + column] = rate }
        }
        try endLine(bytes)
    }

    /// How many lines are left, the last with or without its end.
    private static func rowCount(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var count = 0
        var index = start
        while index < bytes.count {
            if bytes[index] == 0x0A { count += 1 }
            index += 1
        }
        return count + (start < index && bytes[index - 1] != UInt8(ascii: "\n") ? 1 : 0)
    }

    /// The next cell of the line; its comma is passed over.
    private mutating func cell(_ bytes: Span<UInt8>) -> Range<Int> {
        let start = at
        // A comma (2C) ends a cell, or a line's end (0A, 0D); all that rates are made of is above.
        while at < bytes.count {
            let byte = bytes[at]
            if byte <= 0x2C, byte == 0x2C || byte == 0x0A || byte == 0x0D { break }
            at += 1
        }
        let range = start..<at
        if !isAtLineEnd(bytes) { at += 1 }
        return range
    }

    private func isAtLineEnd(_ bytes: Span<UInt8>) -> Bool {
        at >= bytes.count || bytes[at] == 0x0A || bytes[at] == 0x0D
    }

    private mutating func endLine(_ bytes: Span<UInt8>) throws(RateFileError) {
        if at < bytes.count, bytes[at] == UInt8(ascii: "\r") { at += 1 }
        guard at < bytes.count else { return }
        guard bytes[at] == UInt8(ascii: "\n") else { throw .row(line: line) }
        at += 1
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }

    /// The rate of a cell; `N/A` or nothing is none, and nil is for what is neither.
    private static func rate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> PublishedRate? {
        let first = range.lowerBound
        if range.isEmpty { return .missing }
        if range.count == 3, bytes[first] == UInt8(ascii: "N"),
            bytes[first + 1] == UInt8(ascii: "/"), bytes[first + 2] == UInt8(ascii: "A")
        {
            return .missing
        }
        var mantissa: UInt64 = 0
        var (digits, scale) = (0, 0)
        var hasPoint = false
        var index = first
        // A point is 2E, the digits begin at 30.
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            if byte == 0x2E, !hasPoint, digits > 0 {
                hasPoint = true
                continue
            }
            // Wraps: what stands before the digits comes out above them.
            let digit = byte &- 0x30
            guard digit < 10, digits < PublishedRate.digitsMax else { return nil }
            mantissa = mantissa * 10 + UInt64(digit)
            digits += 1
            if hasPoint { scale += 1 }
        }
        guard mantissa > 0, scale <= PublishedRate.scaleMax, !hasPoint || scale > 0 else {
            return nil
        }
        return PublishedRate(mantissa: mantissa, scale: scale)
    }
}
