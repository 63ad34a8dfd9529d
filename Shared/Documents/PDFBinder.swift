/// Binds documents of cairo's into one, each while it is made, so that no more than one of them is
/// in memory: what cairo keeps of the structure grows with every line.
///
/// Each part's objects get new numbers; its pages, its numbers of structure and its one element at
/// the top become leaves of trees that are written at the end, with what cairo cannot write (the
/// language). Small objects go compressed into object streams: they make nine tenths of a long
/// document, and each says much the same. What is kept of each object is its place, 8 bytes.
///
/// Source: ISO 32000-2, 7.5.7, 7.5.8, 7.7.2, 7.9.7, 14.7. The parts are as cairo writes PDF 1.4: in
/// clear, with a table of places.
final class PDFBinder {
    /// A part is not as cairo writes it.
    struct Failure: Error {}

    /// What programs show of the document.
    struct Description {
        var title: String
        var author: String
        var language: String
        /// As PDF writes instants: `20240131235959Z`.
        var created: String
    }

    /// Objects that are there once; numbers of parts come after them.
    private enum Fixed: Int, CaseIterable {
        case catalog = 1, pages, structure, document, information
    }
    /// Where an object is.
    private struct Place {
        var kind: UInt8
        var first: UInt32
        var second: UInt16
    }

    private var places = Array(repeating: Place(kind: 0, first: 0, second: 0), count: 6)
    private var output: [UInt8] = []
    private var count = 0
    /// Objects that wait for their stream: numbers with places, and contents.
    private var waiting: [(number: Int, place: Int)] = []
    private var contents: [UInt8] = []

    private var pageTrees: [Int] = []
    private var pageCount = 0
    private var numberTrees: [Int] = []
    private var elements: [Int] = []

    private static let streamObjectsMax = 200
    private static let streamBytesMax = 65_536

    init() {
        places[0] = Place(kind: 0, first: 0, second: .max)
        write("%PDF-1.5\n")
        // That there are bytes above ASCII.
        write([0x25, 0xb5, 0xed, 0xae, 0xfb, 0x0a])
    }

    /// The bytes since the last call.
    func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    private func write(_ bytes: some Collection<UInt8>) {
        output.append(contentsOf: bytes)
        count += bytes.count
    }

    private func write(_ text: String) { write(text.utf8) }

    // MARK: Parts

    /// Adds the pages of a whole document.
    func add(_ part: PDFPart) throws(Failure) {
        let base = places.count - 1
        places.append(
            contentsOf: repeatElement(Place(kind: 0, first: 0, second: 0), count: part.count - 1)
        )
        let numbers = PDFNumbers(
            base: base,
            root: part.structureRoot,
            document: Fixed.document.rawValue
        )
        var skipped: Set<Int> = [part.catalog, part.information, part.structureRoot]
        for number in part.order where !skipped.contains(number) {
            let range = part.content(of: number)
            if let stream = part.streamStart(in: range) {
                // Its length stands behind it, as an object of its own.
                let length = part.lengthObject(in: range.lowerBound..<stream)
                if let length { skipped.insert(length) }
                var head: [UInt8] = []
                part.rewrite(range.lowerBound..<stream, with: numbers, to: &head)
                if let length {
                    let value = try part.integer(of: length)
                    replace("/Length \(numbers[length]) 0 R", by: "/Length \(value)", in: &head)
                }
                begin(base + number)
                write(head)
                write(part.bytes[stream..<range.upperBound])
                write("endobj\n")
                continue
            }
            var content: [UInt8] = []
            switch number {
            case part.pages:
                part.rewrite(range, with: numbers, to: &content)
                replace("<<", by: "<< /Parent \(Fixed.pages.rawValue) 0 R", in: &content)
                pageTrees.append(base + number)
            case part.parentTree:
                content = try part.numberTree(numbers, shiftedBy: pageCount)
                numberTrees.append(base + number)
            default:
                part.rewrite(range, with: numbers, to: &content)
                if part.isPage(range) { shiftStructParents(in: &content) }
            }
            keep(content, as: base + number)
        }
        elements += part.elements.map { numbers[$0] }
        pageCount += part.pageCount
    }

    /// Replaces a text of ASCII where it stands for the first time.
    private func replace(_ old: String, by new: String, in bytes: inout [UInt8]) {
        guard let place = bytes.firstPlace(of: old) else { return }
        bytes.replaceSubrange(place..<place + old.utf8.count, with: new.utf8)
    }

    private func shiftStructParents(in bytes: inout [UInt8]) {
        let name = "/StructParents "
        guard let place = bytes.firstPlace(of: name) else { return }
        let start = place + name.utf8.count
        let digits = bytes[start...].prefix { (0x30...0x39).contains($0) }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } + pageCount
        bytes.replaceSubrange(start..<digits.endIndex, with: String(number).utf8)
    }

    // MARK: Objects

    private func begin(_ number: Int) {
        places[number] = Place(kind: 1, first: UInt32(truncatingIfNeeded: count), second: 0)
        write("\(number) 0 obj\n")
    }

    /// Keeps a small object for the next stream of them.
    private func keep(_ content: [UInt8], as number: Int) {
        waiting.append((number, contents.count))
        contents.append(contentsOf: content)
        contents.append(0x0a)
        if waiting.count >= Self.streamObjectsMax || contents.count >= Self.streamBytesMax {
            flush()
        }
    }

    private func keep(_ content: String, as fixed: Fixed) {
        keep(Array(content.utf8), as: fixed.rawValue)
    }

    private func flush() {
        guard !waiting.isEmpty else { return }
        let stream = places.count
        places.append(Place(kind: 0, first: 0, second: 0))
        var head = ""
        for (index, object) in waiting.enumerated() {
            head += "\(object.number) \(object.place) "
            places[object.number] = Place(
                kind: 2,
                first: UInt32(stream),
                second: UInt16(index)
            )
        }
        let packed = deflated(Array(head.utf8) + contents)
        begin(stream)
        write(
            """
            << /Type /ObjStm /N \(waiting.count) /First \(head.utf8.count) \
            /Length \(packed.count) /Filter /FlateDecode >>
            stream

            """
        )
        write(packed)
        write("\nendstream\nendobj\n")
        waiting.removeAll(keepingCapacity: true)
        contents.removeAll(keepingCapacity: true)
    }

    // MARK: The end

    /// Writes what is left: nothing comes after it.
    func end(_ description: Description) {
        let safe = description.language.filter { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-")
        }
        keep(
            """
            << /Type /Catalog /Pages \(reference(.pages)) \
            /StructTreeRoot \(reference(.structure)) /MarkInfo << /Marked true >> \
            /Lang (\(safe)) /ViewerPreferences << /DisplayDocTitle true >> >>
            """,
            as: .catalog
        )
        keep(
            "<< /Type /Pages /Kids [\(references(pageTrees))] /Count \(pageCount) >>",
            as: .pages
        )
        keep(
            """
            << /Type /StructTreeRoot /K \(reference(.document)) \
            /ParentTree << /Kids [\(references(numberTrees))] >> \
            /ParentTreeNextKey \(pageCount) >>
            """,
            as: .structure
        )
        keep(
            """
            << /Type /StructElem /S /Document /P \(reference(.structure)) \
            /K [\(references(elements))] >>
            """,
            as: .document
        )
        keep(
            """
            << /Title \(text(description.title)) /Author \(text(description.author)) \
            /Creator (EZWallet) /Producer (cairo) /CreationDate (D:\(description.created)) >>
            """,
            as: .information
        )
        flush()
        table()
    }

    private func reference(_ fixed: Fixed) -> String { "\(fixed.rawValue) 0 R" }

    private func references(_ numbers: [Int]) -> String {
        numbers.map { "\($0) 0 R" }.joined(separator: " ")
    }

    /// A text in UTF-16, in hexadecimal: nothing in it can be taken for anything else.
    private func text(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes = Array("<FEFF".utf8)
        for unit in text.utf16 {
            for shift in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> UInt16(shift)) & 15]) }
        }
        bytes.append(UInt8(ascii: ">"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where all objects are, as a stream that also stands for the trailer.
    private func table() {
        let number = places.count
        places.append(Place(kind: 1, first: UInt32(truncatingIfNeeded: count), second: 0))
        var rows: [UInt8] = []
        rows.reserveCapacity(places.count * 7)
        for place in places {
            rows.append(place.kind)
            for shift in [24, 16, 8, 0] {
                rows.append(UInt8(truncatingIfNeeded: place.first >> UInt32(shift)))
            }
            rows.append(UInt8(place.second >> 8))
            rows.append(UInt8(truncatingIfNeeded: place.second))
        }
        let packed = deflated(rows)
        let start = count
        begin(number)
        write(
            """
            << /Type /XRef /Size \(places.count) /W [1 4 2] /Root \(reference(.catalog)) \
            /Info \(reference(.information)) /Length \(packed.count) /Filter /FlateDecode >>
            stream

            """
        )
        write(packed)
        write("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n")
    }
}
