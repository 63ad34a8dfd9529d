internal import Text

/// Sets a report: its head and charts, then its tables, on as many pages of A4 as they need.
///
///     Document ─ Sect (H1, P …, Figure …, Table (TR (TH …), TR (TD …) …), P (page), …), Sect …
final class ReportPages {
    private let report: PrintedReport
    private let words: StatementWords
    private let side: PageSide
    private let binder = PDFBinder()
    private let cells: ReportCells
    private var pdf: Canvas
    private var y = Sheet.top
    private var page = 1
    /// Rows of the part that is being set.
    private var partRows = 0

    /// A part of the document: what is in memory at once.
    private static let partRowsMax = 1_500
    private static let chartHeight = 250.0
    private static let labelWidth = 150.0

    private typealias Sheet = PageSide.Sheet
    private static let width = Sheet.right - Sheet.left

    init(_ report: PrintedReport) throws(Canvas.Failure) {
        self.report = report
        words = .of(report.language)
        side = PageSide(isRightToLeft: words.isRightToLeft)
        cells = ReportCells(report)
        pdf = try Canvas(width: Sheet.width, height: Sheet.height)
    }

    /// All of it as a PDF.
    func set() throws -> [UInt8] {
        pdf.open("Sect")
        head()
        for chart in report.charts { figure(chart) }
        for table in report.tables { try set(table) }
        endPage()
        try endPart(next: nil)
        let facts = report.facts.first.map { " – " + $0.text } ?? ""
        binder.end(
            PDFBinder.Description(
                title: report.title + facts,
                author: "EZWallet",
                language: words.language,
                created: String(report.madeAt.filter(\.isNumber).prefix(14)) + "Z"
            )
        )
        return binder.takeOutput()
    }

    private func endPart(next: Canvas?) throws {
        pdf.close("Sect")
        try pdf.end()
        try binder.add(PDFPart(pdf.takeOutput()))
        partRows = 0
        guard let next else { return }
        pdf = next
        pdf.open("Sect")
    }

    private func endPage() {
        y = Sheet.foot
        pdf.tagged("P") {
            let made = cells.text(report.madeOn, .days)
            put(StatementWords.fill(words.made, made), .small, width: 300)
            let number = StatementWords.fill(words.page, cells.text(String(page), .count))
            put(number, .small, x: Sheet.right - 200, width: 200, atEnd: true)
        }
        pdf.endPage()
        page += 1
        y = Sheet.top
    }

    /// Shows words of the page's own, at the line that it has come to.
    private func put(
        _ text: String,
        _ font: Canvas.Font,
        x: Double = Sheet.left,
        width: Double,
        most: Double = 14,
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
        pdf.show(.name, x: side.x(x, width: width), y: y, grey: font == .small ? 0.35 : 0)
    }

    private func head() {
        pdf.tagged("H1") { put(report.title, .title, width: Self.width, most: 60) }
        y += 30
        for fact in report.facts {
            let width = Self.width - Self.labelWidth
            pdf.layOut(
                fact.name,
                in: .bold,
                at: .name,
                width: Self.labelWidth - 8,
                side: side.start,
                direction: side.direction
            )
            let value = pdf.layOut(
                PrintedText.onOneLine(fact.text),
                in: .regular,
                at: .details,
                width: width,
                most: 60,
                side: side.start,
                direction: side.direction
            )
            pdf.tagged("P") {
                pdf.show(.name, x: side.x(Sheet.left, width: Self.labelWidth - 8), y: y)
                pdf.show(.details, x: side.x(Sheet.left + Self.labelWidth, width: width), y: y)
            }
            y += max(14, value.height + 2)
        }
        y += 10
    }

    private func figure(_ chart: PrintedChart) {
        if y + Self.chartHeight > Sheet.bottom { endPage() }
        let painter = ChartPainter(pdf, side, of: report)
        pdf.tagged("Figure") {
            painter.draw(
                chart,
                in: ChartPainter.Box(
                    x: Sheet.left,
                    y: y,
                    width: Self.width,
                    height: Self.chartHeight
                )
            )
        }
        y += Self.chartHeight + 14
    }

    // MARK: Tables

    private func set(_ table: PrintedTable) throws {
        let places = TablePlaces(table, cells, side, measuredBy: pdf)
        if y + 60 > Sheet.bottom { endPage() }
        open(table, places)
        for row in table.rows {
            var line = layOut(row, table, places)
            if y + line.height > Sheet.bottom {
                pdf.close("Table")
                endPage()
                if partRows >= Self.partRowsMax {
                    try endPart(next: Canvas(width: Sheet.width, height: Sheet.height))
                }
                open(table, places)
                line = layOut(row, table, places)
            }
            pdf.tagged("TR") { show(line, places, as: "TD") }
            y += line.height
            pdf.rule(from: Sheet.left, to: Sheet.right, y: y - 2.5, width: 0.25, grey: 0.85)
            partRows += 1
        }
        pdf.close("Table")
        y += 16
    }

    private func open(_ table: PrintedTable, _ places: TablePlaces) {
        pdf.open("Table")
        let line = places.layOut(table.columns.map(\.name), on: pdf, in: .bold, side.direction)
        pdf.tagged("TR") { show(line, places, as: "TH") }
        y += line.height
        pdf.rule(from: Sheet.left, to: Sheet.right, y: y - 2, width: 0.8, grey: 0.3)
        y += 1
    }

    private func layOut(
        _ row: [String],
        _ table: PrintedTable,
        _ places: TablePlaces
    ) -> TablePlaces.Line {
        let texts = zip(row, table.columns).map { cells.text($0, $1.kind) }
        return places.layOut(texts, on: pdf, in: .regular, nil)
    }

    private func show(_ line: TablePlaces.Line, _ places: TablePlaces, as tag: StaticString) {
        for (index, place) in zip(places.columns.indices, Canvas.Place.allCases) {
            pdf.tagged(tag) {
                pdf.show(
                    place,
                    x: places.columns[index].x,
                    y: y + line.baseline - line.baselines[index]
                )
            }
        }
    }
}

extension ReportPages {
    /// Points of a picture.
    private static let picture = (width: 640.0, height: 360.0)

    /// The report's picture; of one without a chart an empty one.
    static func picture(_ report: PrintedReport, as medium: Canvas.Medium) throws -> [UInt8] {
        let canvas = try Canvas(medium, width: picture.width, height: picture.height)
        let side = PageSide(isRightToLeft: StatementWords.of(report.language).isRightToLeft)
        if let chart = report.charts.first {
            let painter = ChartPainter(canvas, side, of: report)
            painter.draw(
                chart,
                in: ChartPainter.Box(
                    x: 16,
                    y: 12,
                    width: picture.width - 32,
                    height: picture.height - 24
                )
            )
        }
        canvas.endPage()
        try canvas.end()
        return canvas.takeOutput()
    }

    /// The report as that type.
    static func set(_ report: PrintedReport, as type: DocumentType) throws -> [UInt8] {
        switch type {
        case .pdf: try ReportPages(report).set()
        case .svg: try picture(report, as: .svg)
        case .png: try picture(report, as: .png)
        }
    }
}
