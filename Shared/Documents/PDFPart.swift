internal import CPango
internal import CZlib

// Safety: buffers are lent for one call, each with its own count; what is found lies within them.

/// What the numbers of a part's objects become.
struct PDFNumbers {
    let base: Int
    /// The part's own root of the structure, which goes; who named it names the document's.
    let root: Int
    let document: Int

    subscript(_ number: Int) -> Int { number == root ? document : base + number }
}

/// A whole document as cairo writes it, and where its objects are.
struct PDFPart {
    let bytes: [UInt8]
    /// How many numbers there are, 0 included.
    let count: Int
    /// Numbers in the order of their objects.
    let order: [Int]
    let catalog: Int
    let information: Int
    let pages: Int
    let structureRoot: Int
    let parentTree: Int
    /// The elements at the top of the structure.
    let elements: [Int]
    let pageCount: Int
    private let ends: [Int]
    private let starts: [Int]

    /// - Throws: where it is not as cairo writes it.
    init(_ bytes: [UInt8]) throws(PDFBinder.Failure) {
        self.bytes = bytes
        guard
            let start = bytes.numbers(after: "startxref", from: max(0, bytes.count - 64)).first,
            start < bytes.count, bytes[start...].starts(with: "xref\n0 ".utf8),
            let lineEnd = bytes[(start + 7)...].firstIndex(of: 0x0a),
            let count = Int(String(decoding: bytes[(start + 7)..<lineEnd], as: UTF8.self)),
            count > 1, lineEnd + 1 + count * 20 <= bytes.count
        else { throw PDFBinder.Failure() }
        self.count = count
        var starts = [Int](repeating: 0, count: count)
        for number in 1..<count {
            let row = lineEnd + 1 + number * 20
            guard bytes[row + 17] == UInt8(ascii: "n") else { throw PDFBinder.Failure() }
            starts[number] = bytes[row..<row + 10].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        let order = (1..<count).sorted { starts[$0] < starts[$1] }
        var ends = [Int](repeating: 0, count: count)
        for (place, number) in order.enumerated() {
            ends[number] = place + 1 < order.count ? starts[order[place + 1]] : start
        }
        guard let last = order.last, ends[last] <= bytes.count,
            order.allSatisfy({ ends[$0] - starts[$0] > 14 })
        else { throw PDFBinder.Failure() }
        self.starts = starts
        self.ends = ends
        self.order = order
        let table = lineEnd + 1 + count * 20
        func named(_ name: String, in range: Range<Int>) throws(PDFBinder.Failure) -> Int {
            let found = bytes.numbers(after: name, from: range.lowerBound, to: range.upperBound)
            guard let number = found.first, number < count else { throw PDFBinder.Failure() }
            return number
        }
        catalog = try named("/Root ", in: table..<bytes.count)
        information = try named("/Info ", in: table..<bytes.count)
        let catalogRange = starts[catalog]..<ends[catalog]
        pages = try named("/Pages ", in: catalogRange)
        structureRoot = try named("/StructTreeRoot ", in: catalogRange)
        parentTree = try named("/ParentTree ", in: starts[structureRoot]..<ends[structureRoot])
        // Pairs of a number and a generation.
        elements = bytes.numbers(
            after: "/K ",
            from: starts[structureRoot],
            to: ends[structureRoot]
        ).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let counts = bytes.numbers(after: "/Count ", from: starts[pages], to: ends[pages])
        guard let pageCount = counts.first, elements.allSatisfy({ $0 < count }) else {
            throw PDFBinder.Failure()
        }
        self.pageCount = pageCount
    }

    /// What is between `obj` and `endobj`.
    func content(of number: Int) -> Range<Int> {
        let start = bytes[starts[number]...].firstIndex(of: 0x0a).map { $0 + 1 } ?? starts[number]
        // `endobj` and a line feed.
        return min(start, ends[number] - 7)..<ends[number] - 7
    }

    /// Where the word `stream` stands, in an object that is one.
    func streamStart(in range: Range<Int>) -> Int? {
        // Elements of the structure are most of all objects, and none of them is one.
        if bytes[range].starts(with: "<< /Type /StructElem".utf8) { return nil }
        return bytes.firstPlace(of: "\nstream\n", from: range.lowerBound, to: range.upperBound)
            .map { $0 + 1 }
    }

    /// The object that says how long a stream is.
    func lengthObject(in range: Range<Int>) -> Int? {
        let found = bytes.numbers(after: "/Length ", from: range.lowerBound, to: range.upperBound)
        guard found.count >= 2, found[0] > 0, found[0] < count, found[1] == 0,
            bytes.firstPlace(
                of: "/Length \(found[0]) 0 R",
                from: range.lowerBound,
                to: range.upperBound
            ) != nil
        else { return nil }
        return found[0]
    }

    /// An object that is a number.
    func integer(of number: Int) throws(PDFBinder.Failure) -> Int {
        let digits = bytes[content(of: number)].filter { (0x30...0x39).contains($0) }
        guard let value = Int(String(decoding: digits, as: UTF8.self)) else {
            throw PDFBinder.Failure()
        }
        return value
    }

    func isPage(_ range: Range<Int>) -> Bool {
        bytes[range].starts(with: "<< /Type /Page ".utf8)
    }

    /// Copies a part of the document outside streams, with other numbers in its references.
    func rewrite(_ range: Range<Int>, with numbers: PDFNumbers, to out: inout [UInt8]) {
        var at = range.lowerBound
        while at < range.upperBound {
            let byte = bytes[at]
            guard byte >= 0x30, byte <= 0x39 else {
                out.append(byte)
                at += 1
                continue
            }
            var end = at
            var value = 0
            while end < range.upperBound, bytes[end] >= 0x30, bytes[end] <= 0x39, end - at < 10 {
                value = value * 10 + Int(bytes[end] - 0x30)
                end += 1
            }
            // ` 0 R`
            if end + 4 <= range.upperBound, bytes[end] == 0x20, bytes[end + 1] == 0x30,
                bytes[end + 2] == 0x20, bytes[end + 3] == 0x52, value > 0, value < count
            {
                out.append(contentsOf: String(numbers[value]).utf8)
                out.append(contentsOf: [0x20, 0x30, 0x20, 0x52])
                at = end + 4
            } else {
                out.append(contentsOf: bytes[at..<end])
                at = end
            }
        }
    }

    /// The pages' lists of elements, as a leaf of the tree of all.
    func numberTree(
        _ numbers: PDFNumbers,
        shiftedBy shift: Int
    ) throws(PDFBinder.Failure) -> [UInt8] {
        let range = content(of: parentTree)
        // Key, number, generation.
        let found = bytes.numbers(after: "/Nums ", from: range.lowerBound, to: range.upperBound)
        guard !found.isEmpty, found.count % 3 == 0 else { throw PDFBinder.Failure() }
        let keys = stride(from: 0, to: found.count, by: 3).map { at in
            (key: found[at] + shift, list: numbers[found[at + 1]])
        }
        guard let least = keys.map(\.key).min(), let most = keys.map(\.key).max() else {
            throw PDFBinder.Failure()
        }
        let entries = keys.map { "\($0.key) \($0.list) 0 R" }.joined(separator: " ")
        return Array("<< /Limits [\(least) \(most)] /Nums [\(entries)] >>".utf8)
    }
}

extension [UInt8] {
    /// Where a text of ASCII stands first.
    func firstPlace(of text: String, from start: Int = 0, to end: Int? = nil) -> Int? {
        let end = end ?? count
        guard start < end else { return nil }
        let found = unsafe withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe ezwallet_find($0 + start, end - start, text) }
                ?? -1
        }
        return found < 0 ? nil : start + found
    }

    /// The whole numbers behind a name, up to the next name or the end of the dictionary.
    func numbers(after name: String, from start: Int, to end: Int? = nil) -> [Int] {
        guard let place = firstPlace(of: name, from: start, to: end) else { return [] }
        var numbers: [Int] = []
        var isIn = false
        for byte in self[(place + name.utf8.count)..<(end ?? count)] {
            if byte >= 0x30, byte <= 0x39 {
                let digit = Int(byte - 0x30)
                if isIn {
                    numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + digit
                } else {
                    numbers.append(digit)
                }
                isIn = true
            } else {
                isIn = false
                if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { break }
            }
        }
        return numbers
    }
}

/// Compressed by zlib.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    let status = unsafe compress2(&packed, &count, bytes, uLong(bytes.count), 6)
    // Cannot fire: there is as much room as zlib says that it needs at most.
    precondition(status == Z_OK, "zlib failed")
    return Array(packed[..<Int(count)])
}
