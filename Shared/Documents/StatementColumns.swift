internal import Text

/// Where things stand on a page: from the left, or mirrored where it is read from the right.
struct PageSide {
    let isRightToLeft: Bool

    /// Where a box of that width begins that would stand at `x` on a page read from the left.
    func x(_ x: Double, width: Double) -> Double {
        isRightToLeft ? Sheet.width - x - width : x
    }

    /// The side where reading begins.
    var start: Canvas.Side { isRightToLeft ? .right : .left }
    /// The side where it ends.
    var end: Canvas.Side { isRightToLeft ? .left : .right }
    /// Of words that are the page's own.
    var direction: Canvas.Direction { isRightToLeft ? .rightToLeft : .leftToRight }

    /// A4 in points, and what its pages leave free.
    enum Sheet {
        static let width = 595.28
        static let height = 841.89
        static let left = 42.0
        static let right = 553.28
        static let top = 42.0
        static let bottom = 780.0
        static let foot = 796.0
    }
}

/// The columns of a statement's table, wide enough that no day and no amount is cut.
///
/// Numbers stand at the right of theirs and run from the left in every language, so that digits of
/// one worth stand below each other; signs stand before them.
struct StatementColumns {
    /// A column, or a cell of it.
    struct Column {
        let x: Double
        let width: Double
        let side: Canvas.Side
        let direction: Canvas.Direction
    }

    let day: Column
    let text: Column
    let amount: Column
    let balance: Column

    private static let gap = 7.0
    /// What is left to texts, however wide the others would like to be.
    private static let textLeast = 150.0

    /// Columns for days, and for numbers of two kinds, that are so wide at most.
    init(_ page: PageSide, day: Double, numbers: (Double, Double)) {
        let whole = PageSide.Sheet.right - PageSide.Sheet.left - 3 * Self.gap
        let dayWidth = min(max(day, 52), 140)
        let most = (whole - dayWidth - Self.textLeast) / 2
        let widths = [min(max(numbers.0, 70), most), min(max(numbers.1, 74), most)]
        let textWidth = whole - dayWidth - widths[0] - widths[1]
        var at = PageSide.Sheet.left
        func next(
            _ width: Double,
            _ side: Canvas.Side,
            _ direction: Canvas.Direction
        ) -> Column {
            defer { at += width + Self.gap }
            return Column(
                x: page.x(at, width: width),
                width: width,
                side: side,
                direction: direction
            )
        }
        self.day = next(dayWidth, page.start, page.direction)
        text = next(textWidth, page.start, .ofText)
        self.amount = next(widths[0], .right, .leftToRight)
        self.balance = next(widths[1], .right, .leftToRight)
    }
}

extension StatementColumns {
    /// Columns that hold every day of a year, and every sum that these can come to.
    init(
        _ title: PrintedTitle,
        _ words: StatementWords,
        _ side: PageSide,
        _ amounts: AmountText,
        _ days: DayText,
        measuredBy pdf: Canvas
    ) {
        func widest(_ texts: [String], _ name: String) -> Double {
            let width = texts.map { pdf.layOut($0, in: .regular, at: .name).width }.max() ?? 0
            return max(width, pdf.layOut(name, in: .bold, at: .name).width) + 1
        }
        // Each third day of a year, by any calendar, is on both sides of its tenth.
        let year = title.from.prefix(4)
        let sample = (1...12).flatMap { month in
            stride(from: 1, through: 28, by: 3).compactMap { day in
                let (month, day) = (String(month + 100).suffix(2), String(day + 100).suffix(2))
                return days.text("\(year)-\(month)-\(day)")
            }
        }
        // A sign and a digit more than the largest of the sums has.
        let sums = [title.opening, title.closing, title.credits, title.debits].map { sum in
            PrintedText.plain(amounts.text("-8" + sum.filter { $0 != "-" }))
        }
        self.init(
            side,
            day: widest(sample, words.date),
            numbers: (widest(sums, words.amount), widest(sums, words.balance))
        )
    }
}
