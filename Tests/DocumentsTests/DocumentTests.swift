import Testing

@testable import Documents

/// Frames between the processes.
@Suite struct DocumentFrameTests {
    @Test func textsComeBack() {
        let texts = ["", "a", "\u{0}", "漢字", String(repeating: "x", count: 70_000)]
        let frame = DocumentFrame.make(.rows, texts)
        #expect(DocumentFrame.number(frame[..<4]) == frame.count - 5)
        #expect(frame[4] == DocumentFrame.Kind.rows.rawValue)
        #expect(DocumentFrame.texts(Array(frame[5...])) == texts)
        #expect(DocumentFrame.texts([0, 0, 0, 9, 1]).isEmpty)
    }
}

/// Parts and the whole, set in this process; that others can read them is the system tests' to see.
@Suite struct StatementPagesTests {
    static let title = PrintedTitle(
        owner: "Ada Byron",
        account: "Cash",
        iban: "DE02999999990000000001",
        currency: "EUR",
        digits: 2,
        from: "2024-05-01",
        to: "2024-05-31",
        madeAt: "2024-06-01T10:00:00Z",
        language: "en",
        opening: "1.00",
        credits: "2.00",
        debits: "-3.00",
        closing: "0.00"
    )

    private func part() throws -> [UInt8] {
        let writer = try PDFWriter(width: 200, height: 200)
        writer.tagged("P") { writer.show("a text", x: 10, y: 10, width: 100) }
        writer.endPage()
        try writer.end()
        return writer.takeOutput()
    }

    private func count(of text: String, in bytes: [UInt8]) -> Int {
        var (places, from) = (0, 0)
        while let place = bytes.firstPlace(of: text, from: from) {
            places += 1
            from = place + 1
        }
        return places
    }

    @Test func pagesComeOutWhileOthersAreSet() throws {
        let pages = try StatementPages(Self.title)
        var (written, pieces) = ([UInt8](), 0)
        for number in 0..<3_500 {
            try pages.add(
                PrintedLine(
                    day: "2024-05-02",
                    name: "Row \(number)",
                    details: number % 3 == 0 ? "with more to say" : "",
                    amount: "-1.00",
                    balance: "\(number).00"
                )
            )
            let output = pages.takeOutput()
            if output.count > 1_000 { pieces += 1 }
            written += output
        }
        // Of three parts two are done.
        #expect(pieces == 2)
        try pages.end()
        written += pages.takeOutput()
        #expect(written.starts(with: "%PDF-1.5\n".utf8))
        #expect(written.suffix(6).elementsEqual("%%EOF\n".utf8))
        #expect(count(of: "/Type /XRef", in: written) == 1)
        let places = written.numbers(after: "startxref", from: written.count - 64)
        let start = try #require(places.first)
        #expect(written[start...].prefix(40).contains(UInt8(ascii: "<")))
    }

    @Test func partsAreReadAsTheyAreWritten() throws {
        let part = try PDFPart(part())
        #expect(part.pageCount == 1)
        #expect(part.elements.count == 1)
        #expect(part.order.count == part.count - 1)
    }

    /// Whatever cairo may come to write, the process ends and does not go astray.
    @Test func partsThatAreOtherwiseAreRefused() throws {
        let whole = try part()
        for count in stride(from: 0, to: whole.count - 8, by: 37) {
            #expect(throws: PDFBinder.Failure.self) { try PDFPart(Array(whole[..<count])) }
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var changed = whole
            for _ in 0..<3 {
                let place = Int.random(in: max(0, whole.count - 900)..<whole.count)
                changed[place] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &generator)
            }
            guard let part = try? PDFPart(changed) else { continue }
            try? PDFBinder().add(part)
        }
    }
}
