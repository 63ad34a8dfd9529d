import Testing

@testable import Documents

/// What is added behind a PDF of cairo's.
@Suite struct PDFCatalogTests {
    private let body = "%PDF-1.5\n1 0 obj\n<< /Type /Pages >>\nendobj\n"
    private var tail: String {
        """
        12 0 obj
        << /Type /Catalog
           /Pages 1 0 R
        >>
        endobj
        xref
        0 13
        trailer
        << /Size 13
           /Root 12 0 R
        >>
        startxref
        99
        %%EOF

        """
    }

    private func take(_ text: some StringProtocol, into catalog: inout PDFCatalog) {
        Array(text.utf8).withUnsafeBufferPointer { catalog.take($0) }
    }

    @Test func theLanguageIsAdded() {
        let whole = body + tail
        var catalog = PDFCatalog()
        catalog.language = "it"
        take(body, into: &catalog)
        // cairo begins the object in one piece.
        take(tail.prefix(32), into: &catalog)
        for letter in tail.dropFirst(32) { take(String(letter), into: &catalog) }
        let update = String(decoding: catalog.update(), as: UTF8.self)
        #expect(update.hasPrefix("12 0 obj\n<< /Type /Catalog"))
        #expect(update.contains("/Lang (it)"))
        #expect(update.contains("/Prev 99"))
        #expect(update.contains("xref\n12 1\n0000000\(whole.utf8.count) 00000 n \n"))
        #expect(update.hasSuffix("%%EOF\n"))
    }

    @Test func whatIsNotUnderstoodIsLetBe() {
        var catalog = PDFCatalog()
        take("%PDF-1.7 object streams startxref 5 %%EOF", into: &catalog)
        #expect(catalog.update().isEmpty)
    }
}

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
