internal import Text

/// Sets a statement on pages of A4, a table on each, so that each can be read by itself.
///
///     Document ─ Sect (H1, P …, Table (TR (TH …), TR (TD …) …), P (page), next page …), Sect …
final class StatementPages {
    private var pdf: PDFWriter
    private let binder = PDFBinder()
    /// Rows of the part that is being set.
    private var partRows = 0
    private let title: PrintedTitle
    private let words: StatementWords
    private let amounts: AmountText
    private let days: DayText
    private var y = 0.0
    private var page = 1
    private var rows = 0
    private var isInTable = false
    /// The last day that was written out: many lines in a row have the same.
    private var lastDay = (iso: "", text: "")

    /// A part of the document: what is in memory at once.
    private static let partRowsMax = 1_500

    private enum Sheet {
        static let width = 595.28
        static let height = 841.89
        static let left = 42.0
        static let right = 553.28
        static let top = 42.0
        static let bottom = 780.0
        static let foot = 796.0
    }

    /// Where the columns begin, and how wide they are.
    private struct Column {
        let x: Double
        let width: Double
        let alignment: PDFWriter.Alignment
    }
    private static let columns = [
        Column(x: 42, width: 70, alignment: .leading),
        Column(x: 118, width: 245, alignment: .leading),
        Column(x: 370, width: 86, alignment: .trailing),
        Column(x: 462, width: 91.28, alignment: .trailing),
    ]

    init(_ title: PrintedTitle) throws(PDFWriter.Failure) {
        self.title = title
        words = .of(title.language)
        amounts = AmountText(language: title.language, digits: title.digits)
        days = DayText(language: title.language)
        pdf = try PDFWriter(width: Sheet.width, height: Sheet.height)
        pdf.open("Sect")
        head()
    }

    /// The bytes of the pages that are done.
    func takeOutput() -> [UInt8] { binder.takeOutput() }

    /// Binds what has been set so far; nil: nothing comes after it.
    private func endPart(next: PDFWriter?) throws(PDFBinder.Failure) {
        pdf.close("Sect")
        do { try pdf.end() } catch { throw PDFBinder.Failure() }
        try binder.add(PDFPart(pdf.takeOutput()))
        partRows = 0
        guard let next else { return }
        pdf = next
        pdf.open("Sect")
    }

    private func head() {
        y = Sheet.top
        pdf.tagged("H1") {
            pdf.show(words.title, in: .title, x: Sheet.left, y: y, width: 511)
        }
        y += 30
        fact(words.owner, title.owner)
        fact(words.account, "\(title.account) (\(title.currency))")
        if !title.iban.isEmpty { fact(words.iban, Self.spaced(title.iban)) }
        fact(words.period, "\(day(title.from)) – \(day(title.to))")
        y += 4
        for (name, sum) in [
            (words.opening, title.opening), (words.credits, title.credits),
            (words.debits, title.debits), (words.closing, title.closing),
        ] {
            let text = MoneyText.format(
                decimal: sum,
                currency: title.currency,
                digits: title.digits,
                language: title.language
            )
            fact(name, text ?? "\(sum) \(title.currency)")
        }
        y += 10
    }

    /// A line of the head: a name and what it is.
    private func fact(_ name: String, _ text: String) {
        let height = pdf.layOut(text, in: .regular, at: .first, width: 391, most: 60)
        pdf.tagged("P") {
            pdf.show(name + " ", in: .bold, x: Sheet.left, y: y, width: 118, most: 14)
            pdf.show(.first, x: Sheet.left + 120, y: y)
        }
        y += max(14, height + 2)
    }

    /// In groups of four, as they are printed (ISO 13616-1, 6.4).
    private static func spaced(_ iban: String) -> String {
        var text = ""
        for (place, letter) in iban.enumerated() {
            if place > 0, place % 4 == 0 { text.append(" ") }
            text.append(letter)
        }
        return text
    }

    private func day(_ iso: String) -> String {
        if lastDay.iso != iso { lastDay = (iso, days.text(iso) ?? iso) }
        return lastDay.text
    }

    private func openTable() {
        pdf.open("Table")
        isInTable = true
        pdf.tagged("TR") {
            let names = [words.date, words.text, words.amount, words.balance]
            for (column, name) in zip(Self.columns, names) {
                pdf.tagged("TH") { show(name, in: column, .bold) }
            }
        }
        y += 14
        pdf.rule(from: Sheet.left, to: Sheet.right, y: y, width: 0.8, grey: 0.3)
        y += 3
    }

    private func show(
        _ text: String,
        in column: Column,
        _ font: PDFWriter.Font = .regular,
        most: Double = 14
    ) {
        pdf.show(
            text,
            in: font,
            x: column.x,
            y: y,
            width: column.width,
            most: most,
            alignment: column.alignment
        )
    }

    /// A line of the statement; the next page where it does not fit.
    func add(_ row: PrintedLine) throws {
        let name = row.name.isEmpty ? "–" : Self.onOneLine(row.name)
        let details = Self.onOneLine(row.details)
        let column = Self.columns[1]
        let nameHeight = pdf.layOut(
            name,
            in: .regular,
            at: .first,
            width: column.width,
            most: 90
        )
        let detailsHeight =
            details.isEmpty
            ? 0 : pdf.layOut(details, in: .small, at: .second, width: column.width, most: 540)
        let height = nameHeight + detailsHeight + 5
        if y + height > Sheet.bottom, isInTable {
            endPage()
            if partRows >= Self.partRowsMax {
                try endPart(next: PDFWriter(width: Sheet.width, height: Sheet.height))
            }
        }
        if !isInTable {
            // Below the head a long one goes on its own page, rather than beyond this one's end.
            if y + height + 20 > Sheet.bottom, page == 1, rows == 0 { endPage() }
            openTable()
        }
        pdf.tagged("TR") {
            pdf.tagged("TD") { show(day(row.day), in: Self.columns[0]) }
            pdf.tagged("TD") {
                if details.isEmpty {
                    pdf.show(.first, x: column.x, y: y)
                } else {
                    // Two paragraphs, or readers run them together.
                    pdf.tagged("P") { pdf.show(.first, x: column.x, y: y) }
                    pdf.tagged("P") {
                        pdf.show(.second, x: column.x, y: y + nameHeight, grey: 0.35)
                    }
                }
            }
            pdf.tagged("TD") { show(amounts.text(row.amount), in: Self.columns[2]) }
            pdf.tagged("TD") { show(amounts.text(row.balance), in: Self.columns[3]) }
        }
        y += height
        pdf.rule(from: Sheet.left, to: Sheet.right, y: y - 2.5, width: 0.25, grey: 0.85)
        rows += 1
        partRows += 1
    }

    /// A cell has no paragraphs of its own: line breaks and what is not shown become spaces.
    private static func onOneLine(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            case .unassigned: scalars.append("\u{fffd}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private func endPage() {
        if isInTable { pdf.close("Table") }
        isInTable = false
        pdf.tagged("P") {
            pdf.show(
                "\(words.made) \(day(String(title.madeAt.prefix(10))))",
                in: .small,
                x: Sheet.left,
                y: Sheet.foot,
                width: 300,
                most: 12,
                grey: 0.35
            )
            pdf.show(
                "\(words.page) \(amounts.count(page))",
                in: .small,
                x: Sheet.right - 200,
                y: Sheet.foot,
                width: 200,
                most: 12,
                alignment: .trailing,
                grey: 0.35
            )
        }
        pdf.endPage()
        page += 1
        y = Sheet.top
    }

    /// The document is done.
    func end() throws {
        if rows == 0 {
            pdf.tagged("P") { pdf.show(words.nothing, x: Sheet.left, y: y, width: 511) }
        }
        endPage()
        try endPart(next: nil)
        binder.end(
            PDFBinder.Description(
                title: "\(words.title) – \(title.account), \(title.from) – \(title.to)",
                author: title.owner,
                language: StatementWords.language(for: title.language),
                created: String(title.madeAt.filter(\.isNumber).prefix(14)) + "Z"
            )
        )
    }
}
