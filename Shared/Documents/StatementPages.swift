internal import Text

/// Sets a statement on pages of A4, a table on each, so that each can be read by itself.
///
///     Document ─ Sect (H1, P …, Table (TR (TH …), TR (TD …) …), P (page), next page …), Sect …
final class StatementPages {
    private var pdf: Canvas
    private let binder = PDFBinder()
    /// Rows of the part that is being set.
    private var partRows = 0
    private let title: PrintedTitle
    private let words: StatementWords
    private let amounts: AmountText
    private let days: DayText
    private let side: PageSide
    private let columns: StatementColumns
    /// Of the names in the head.
    private let labelWidth: Double
    private var y = 0.0
    private var page = 1
    private var rows = 0
    private var isInTable = false
    /// The last day that was written out: many lines in a row have the same.
    private var lastDay = (iso: "", text: "")

    /// A part of the document: what is in memory at once.
    private static let partRowsMax = 1_500

    private typealias Sheet = PageSide.Sheet

    init(_ title: PrintedTitle) throws(Canvas.Failure) {
        self.title = title
        words = .of(title.language)
        amounts = AmountText(language: title.language, digits: title.digits)
        days = DayText(language: title.language, pattern: title.datePattern)
        side = PageSide(isRightToLeft: words.isRightToLeft)
        pdf = try Canvas(width: Sheet.width, height: Sheet.height)
        columns = StatementColumns(title, words, side, amounts, days, measuredBy: pdf)
        labelWidth = Self.labelWidth(words, pdf)
        pdf.open("Sect")
        head()
    }

    private static func labelWidth(_ words: StatementWords, _ pdf: Canvas) -> Double {
        let names = [
            words.owner, words.account, words.period, words.opening, words.credits, words.debits,
            words.closing,
        ]
        let widest = names.map { pdf.layOut($0, in: .bold, at: .name).width }.max() ?? 0
        return min(max(widest + 12, 120), 220)
    }

    /// The bytes of the pages that are done.
    func takeOutput() -> [UInt8] { binder.takeOutput() }

    /// Binds what has been set so far; nil: nothing comes after it.
    private func endPart(next: Canvas?) throws(PDFBinder.Failure) {
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
            put(words.title, .title, x: Sheet.left, width: 511, most: 600)
        }
        y += 30
        fact(words.owner, title.owner)
        fact(words.account, "\(title.account) (\(title.currency))")
        if !title.iban.isEmpty { fact("IBAN", PrintedText.spaced(title.iban), .leftToRight) }
        fact(words.period, "\(day(title.from)) – \(day(title.to))", side.direction)
        y += 4
        for (name, sum) in [
            (words.opening, title.opening), (words.credits, title.credits),
            (words.debits, title.debits), (words.closing, title.closing),
        ] {
            let text = PrintedText.money(
                sum,
                title.currency,
                digits: title.digits,
                language: title.language
            )
            fact(name, text, side.direction)
        }
        y += 10
    }

    /// A line of the head: a name and what it is.
    private func fact(
        _ name: String,
        _ text: String,
        _ direction: Canvas.Direction = .ofText
    ) {
        let width = Sheet.right - Sheet.left - labelWidth
        let label = pdf.layOut(
            name + " ",
            in: .bold,
            at: .name,
            width: labelWidth,
            side: side.start,
            direction: side.direction
        )
        let value = pdf.layOut(
            text,
            in: .regular,
            at: .details,
            width: width,
            most: 60,
            side: side.start,
            direction: direction
        )
        let line = max(label.baseline, value.baseline)
        pdf.tagged("P") {
            pdf.show(.name, x: side.x(Sheet.left, width: labelWidth), y: y + line - label.baseline)
            pdf.show(
                .details,
                x: side.x(Sheet.left + labelWidth, width: width),
                y: y + line - value.baseline
            )
        }
        y += max(14, line - value.baseline + value.height + 2)
    }

    /// Shows words of the page's own, at the line that it has come to.
    private func put(
        _ text: String,
        _ font: Canvas.Font,
        x: Double,
        width: Double,
        most: Double = 14,
        grey: Double = 0,
        atEnd: Bool = false
    ) {
        pdf.layOut(
            text,
            in: font,
            at: .name,
            width: width,
            most: most,
            side: atEnd ? side.end : side.start,
            direction: side.direction
        )
        pdf.show(.name, x: side.x(x, width: width), y: y, grey: grey)
    }

    private func day(_ iso: String) -> String {
        if lastDay.iso != iso { lastDay = (iso, days.text(iso) ?? iso) }
        return lastDay.text
    }

    private func openTable() {
        pdf.open("Table")
        isInTable = true
        pdf.tagged("TR") {
            for (column, name) in [
                (columns.day, words.date), (columns.text, words.text),
                (columns.amount, words.amount), (columns.balance, words.balance),
            ] {
                pdf.tagged("TH") {
                    layOut(name, in: column, .bold, at: .name, direction: side.direction)
                    pdf.show(.name, x: column.x, y: y)
                }
            }
        }
        y += 14
        pdf.rule(from: Sheet.left, to: Sheet.right, y: y, width: 0.8, grey: 0.3)
        y += 3
    }

    @discardableResult
    private func layOut(
        _ text: String,
        in column: StatementColumns.Column,
        _ font: Canvas.Font = .regular,
        at place: Canvas.Place,
        most: Double = 14,
        direction: Canvas.Direction? = nil
    ) -> Canvas.Extent {
        pdf.layOut(
            text,
            in: font,
            at: place,
            width: column.width,
            most: most,
            side: column.side,
            direction: direction ?? column.direction
        )
    }

    /// The cells of a row, laid out; fonts of some scripts are higher than others, and what stands
    /// in a row stands on one line.
    private struct Cells {
        let baselines: [Canvas.Place: Double]
        let line: Double
        let nameHeight: Double
        let details: Double?
        var height: Double { nameHeight + (details ?? 0) + 5 }
    }

    private func layOut(_ row: PrintedLine) -> Cells {
        let name = row.name.isEmpty ? "–" : PrintedText.onOneLine(row.name)
        let title = layOut(name, in: columns.text, at: .name, most: 90)
        let amount = PrintedText.plain(amounts.text(row.amount))
        let balance = PrintedText.plain(amounts.text(row.balance))
        let baselines = [
            Canvas.Place.name: title.baseline,
            .day: layOut(day(row.day), in: columns.day, at: .day).baseline,
            .amount: layOut(amount, in: columns.amount, at: .amount).baseline,
            .balance: layOut(balance, in: columns.balance, at: .balance).baseline,
        ]
        let line = baselines.values.max() ?? 0
        let details = PrintedText.onOneLine(row.details)
        return Cells(
            baselines: baselines,
            line: line,
            nameHeight: line - title.baseline + title.height,
            details: details.isEmpty
                ? nil : layOut(details, in: columns.text, .small, at: .details, most: 540).height
        )
    }

    private func show(
        _ place: Canvas.Place,
        _ column: StatementColumns.Column,
        _ cells: Cells
    ) {
        pdf.show(place, x: column.x, y: y + cells.line - (cells.baselines[place] ?? 0))
    }

    /// A line of the statement; the next page where it does not fit.
    func add(_ row: PrintedLine) throws {
        var cells = layOut(row)
        if y + cells.height > Sheet.bottom, isInTable {
            endPage()
            if partRows >= Self.partRowsMax {
                try endPart(next: Canvas(width: Sheet.width, height: Sheet.height))
            }
        }
        if !isInTable {
            // Below the head a long one goes on its own page, rather than beyond this one's end.
            if y + cells.height + 20 > Sheet.bottom, page == 1, rows == 0 { endPage() }
            openTable()
            cells = layOut(row)
        }
        pdf.tagged("TR") {
            pdf.tagged("TD") { show(.day, columns.day, cells) }
            pdf.tagged("TD") {
                if cells.details == nil {
                    show(.name, columns.text, cells)
                } else {
                    // Two paragraphs, or readers run them together.
                    pdf.tagged("P") { show(.name, columns.text, cells) }
                    pdf.tagged("P") {
                        pdf.show(
                            .details,
                            x: columns.text.x,
                            y: y + cells.nameHeight,
                            grey: 0.35
                        )
                    }
                }
            }
            pdf.tagged("TD") { show(.amount, columns.amount, cells) }
            pdf.tagged("TD") { show(.balance, columns.balance, cells) }
        }
        let height = cells.height
        y += height
        pdf.rule(from: Sheet.left, to: Sheet.right, y: y - 2.5, width: 0.25, grey: 0.85)
        rows += 1
        partRows += 1
    }

    private func endPage() {
        if isInTable { pdf.close("Table") }
        isInTable = false
        y = Sheet.foot
        pdf.tagged("P") {
            let made = StatementWords.fill(words.made, day(title.madeOn))
            put(made, .small, x: Sheet.left, width: 300, grey: 0.35)
            put(
                StatementWords.fill(words.page, amounts.count(page)),
                .small,
                x: Sheet.right - 200,
                width: 200,
                grey: 0.35,
                atEnd: true
            )
        }
        pdf.endPage()
        page += 1
        y = Sheet.top
    }

    /// The document is done.
    func end() throws {
        if rows == 0 {
            pdf.tagged("P") { put(words.nothing, .regular, x: Sheet.left, width: 511) }
        }
        endPage()
        try endPart(next: nil)
        binder.end(
            PDFBinder.Description(
                title: "\(words.title) – \(title.account), \(title.from) – \(title.to)",
                author: title.owner,
                language: words.language,
                created: String(title.madeAt.filter(\.isNumber).prefix(14)) + "Z"
            )
        )
    }
}
