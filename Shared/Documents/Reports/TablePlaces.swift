internal import Text

/// Cells as they are printed.
struct ReportCells {
    private let amounts: AmountText
    private let percents: AmountText
    private let days: DayText

    init(_ report: PrintedReport) {
        let (language, digits) = (report.language, report.digits)
        amounts = AmountText(language: language, digits: digits)
        percents = AmountText(language: language, digits: 1)
        days = DayText(language: language, pattern: report.datePattern)
    }

    func text(_ cell: String, _ kind: PrintedTable.Kind) -> String {
        guard !cell.isEmpty else { return "–" }
        switch kind {
        case .text: return PrintedText.onOneLine(cell)
        case .amount: return PrintedText.plain(amounts.text(cell))
        case .percent: return PrintedText.plain(percents.text(cell))
        case .count: return Int(cell).map { PrintedText.plain(amounts.count($0)) } ?? cell
        case .days:
            let ends = cell.split(separator: "/").map { days.text(String($0)) ?? String($0) }
            return Set(ends).count == 1 ? ends[0] : ends.joined(separator: " – ")
        }
    }
}

/// Where the columns of a table stand: wide enough that no number is cut.
///
/// Numbers stand at the right of theirs and run from the left in every language, as in statements.
struct TablePlaces {
    /// A row that is laid out, whose cells stand on one line.
    struct Line {
        let baselines: [Double]
        let baseline: Double
        let height: Double
    }

    let columns: [StatementColumns.Column]
    private static let gap = 7.0
    /// What is left to texts, however wide the others would like to be.
    private static let textLeast = 90.0

    init(_ table: PrintedTable, _ cells: ReportCells, _ side: PageSide, measuredBy pdf: Canvas) {
        let count = table.columns.count
        let whole = PageSide.Sheet.right - PageSide.Sheet.left - Double(count - 1) * Self.gap
        var widths = table.columns.enumerated().map { index, column in
            // The longest are among the widest.
            let longest = table.rows.lazy.map { $0[index] }.sorted { $0.utf8.count > $1.utf8.count }
                .prefix(12)
            let texts = longest.map { cells.text($0, column.kind) }
            let widest = texts.map { pdf.layOut($0, in: .regular, at: .name).width }.max() ?? 0
            return max(widest, pdf.layOut(column.name, in: .bold, at: .name).width) + 2
        }
        let texts = table.columns.indices.filter { table.columns[$0].kind == .text }
        let others = widths.indices.filter { !texts.contains($0) }
        let fixed = others.reduce(0) { $0 + widths[$1] }
        let room = max(whole - fixed, Double(texts.count) * Self.textLeast)
        for index in texts { widths[index] = room / Double(texts.count) }
        let sum = widths.reduce(0, +)
        if sum > whole || texts.isEmpty {
            // What is too wide for its column goes on in a second line.
            let left = whole - (texts.isEmpty ? 0 : room)
            for index in others { widths[index] *= left / max(fixed, 1) }
        }
        var at = PageSide.Sheet.left
        columns = zip(table.columns, widths).map { column, width in
            defer { at += width + Self.gap }
            let isText = column.kind == .text
            let isNumber = !isText && column.kind != .days
            return StatementColumns.Column(
                x: side.x(at, width: width),
                width: width,
                side: isNumber ? .right : side.start,
                direction: isNumber ? .leftToRight : isText ? .ofText : side.direction
            )
        }
    }

    /// Lays a row out, as many lines high as its numbers need; names are cut at two.
    func layOut(
        _ texts: [String],
        on pdf: Canvas,
        in font: Canvas.Font,
        _ direction: Canvas.Direction?
    ) -> Line {
        var extents: [Canvas.Extent] = []
        for ((text, column), place) in zip(zip(texts, columns), Canvas.Place.allCases) {
            extents.append(
                pdf.layOut(
                    text,
                    in: font,
                    at: place,
                    width: column.width,
                    most: 36,
                    side: column.side,
                    direction: direction ?? column.direction
                )
            )
        }
        let baseline = extents.map(\.baseline).max() ?? 0
        let height = extents.map { baseline - $0.baseline + $0.height }.max() ?? 0
        return Line(baselines: extents.map(\.baseline), baseline: baseline, height: height + 5)
    }
}
