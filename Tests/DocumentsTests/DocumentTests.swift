import Foundation
import Testing
import Text

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
        madeOn: "2024-06-02",
        language: "en",
        opening: "1.00",
        credits: "2.00",
        debits: "-3.00",
        closing: "0.00"
    )

    private func part() throws -> [UInt8] {
        let writer = try Canvas(width: 200, height: 200)
        writer.tagged("P") {
            writer.layOut("a text", in: .regular, at: .name, width: 100)
            writer.show(.name, x: 10, y: 10)
        }
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

/// The tables of words.
@Suite struct StatementWordsTests {
    private func texts(_ words: StatementWords) -> [String] {
        [
            words.title, words.account, words.owner, words.period, words.opening, words.credits,
            words.debits, words.closing, words.date, words.text, words.amount, words.balance,
            words.nothing, words.made, words.page,
        ]
    }

    @Test func noTableHasAHole() {
        #expect(Set(StatementWords.all.map(\.language)).count == StatementWords.all.count)
        // What is a row of two names, and a column each, cannot be the same word.
        for words in StatementWords.all {
            let texts = texts(words)
            #expect(texts.allSatisfy { $0.contains(where: \.isLetter) }, "\(words.language)")
            #expect(words.credits != words.debits && words.opening != words.closing)
            #expect(words.amount != words.balance && words.date != words.text)
            let marked = texts.filter { $0.contains("{}") }
            #expect(marked == [words.made, words.page], "\(words.language)")
            if words.language != "en" {
                #expect(words.title != StatementWords.english.title, "\(words.language)")
            }
        }
    }

    @Test func everyFileOfWordsIsInTheList() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let folder = here.appending(path: "../../Shared/Documents/Words")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == StatementWords.all.count)
    }

    @Test(arguments: [
        ("it", "it"), ("it-CH", "it"), ("pt-BR", "pt"), ("no", "nb"), ("nn-NO", "nb"),
        ("zh", "zh"), ("zh-CN", "zh"), ("zh-TW", "zh-Hant"), ("zh-Hant-HK", "zh-Hant"),
        ("iw", "he"), ("EN-gb", "en"), ("tlh", "en"), ("", "en"), ("-", "en"),
    ])
    func wordsAreTheNearestToTheTag(_ tag: String, _ language: String) {
        #expect(StatementWords.of(tag).language == language)
    }

    @Test func bracesAreFilled() {
        #expect(StatementWords.fill(StatementWords.english.page, "3") == "Page 3")
        #expect(StatementWords.fill(StatementWords.hungarian.page, "3") == "3. oldal")
    }
}

/// What stands where.
@Suite struct StatementColumnsTests {
    private func columns(
        _ language: String,
        sum: String = "1.00",
        from: String = "2024-05-01"
    ) throws -> (StatementColumns, Canvas, DayText, AmountText) {
        var title = StatementPagesTests.title
        (title.language, title.credits, title.from) = (language, sum, from)
        let words = StatementWords.of(language)
        let (amounts, days) = (
            AmountText(language: language, digits: 2), DayText(language: language)
        )
        let pdf = try Canvas(width: PageSide.Sheet.width, height: PageSide.Sheet.height)
        let side = PageSide(isRightToLeft: words.isRightToLeft)
        return (
            StatementColumns(title, words, side, amounts, days, measuredBy: pdf), pdf, days,
            amounts
        )
    }

    @Test(arguments: StatementWords.all.map(\.language))
    func noDayIsCut(_ language: String) throws {
        let (columns, pdf, days, _) = try columns(language)
        for month in 1...12 {
            for day in 1...28 {
                let iso = "2024-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
                let text = try #require(days.text(iso))
                let width = pdf.layOut(text, in: .regular, at: .day).width
                #expect(width <= columns.day.width, "\(text)")
            }
        }
        try pdf.end()
    }

    @Test(arguments: ["en", "ar", "fa", "he", "hi"])
    func noAmountIsCut(_ language: String) throws {
        let largest = "10000000000000.00"
        let (columns, pdf, _, amounts) = try columns(language, sum: largest)
        let text = PrintedText.plain(amounts.text("-" + largest))
        #expect(pdf.layOut(text, in: .regular, at: .amount).width <= columns.amount.width)
        #expect(columns.text.width >= 150)
        try pdf.end()
    }

    @Test func arabicPagesAreMirroredAndTheirNumbersAreNot() throws {
        let (left, first, _, _) = try columns("en")
        let (right, second, _, _) = try columns("ar")
        #expect(left.day.x < left.text.x && left.text.x < left.amount.x)
        #expect(right.day.x > right.text.x && right.text.x > right.amount.x)
        #expect(right.amount.x > right.balance.x)
        #expect(right.text.side == .right && left.text.side == .left)
        for column in [left.amount, left.balance, right.amount, right.balance] {
            #expect(column.side == .right && column.direction == .leftToRight)
        }
        try first.end()
        try second.end()
    }

    @Test func marksOfDirectionAreNotPrinted() {
        let text = AmountText(language: "ar-EG", digits: 2).text("-12.50")
        let plain = PrintedText.plain(text)
        #expect(plain.unicodeScalars.first == "-")
        #expect(text.unicodeScalars.count > plain.unicodeScalars.count)
    }
}
