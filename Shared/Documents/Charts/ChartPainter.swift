internal import Glibc
internal import Text

/// Draws charts: the same on a page, and as a picture.
///
/// Nothing is told by colour alone: slices and lines have numbers or dashes, which stand beside
/// their names.
struct ChartPainter {
    let canvas: Canvas
    let side: PageSide
    let amounts: AmountText
    /// The same without digits behind the point, for axes that need none.
    let wholes: AmountText
    let percents: AmountText
    let days: DayText
    let digits: Int

    /// What a chart has for itself.
    struct Box {
        let x: Double
        let y: Double
        let width: Double
        let height: Double
    }

    init(_ canvas: Canvas, _ side: PageSide, of report: PrintedReport) {
        let language = report.language
        self.canvas = canvas
        self.side = side
        digits = report.digits
        amounts = AmountText(language: language, digits: digits)
        wholes = AmountText(language: language, digits: 0)
        percents = AmountText(language: language, digits: 1)
        days = DayText(language: language, pattern: report.datePattern)
    }

    func draw(_ chart: PrintedChart, in box: Box) {
        text(chart.title, .bold, x: box.x, y: box.y, width: box.width)
        var top = 20.0
        if !chart.note.isEmpty {
            text(chart.note, x: box.x, y: box.y + 17, width: box.width)
            top += 14
        }
        let rest = Box(x: box.x, y: box.y + top, width: box.width, height: box.height - top)
        switch chart.shape {
        case .pie: pie(chart, in: rest)
        case .bars, .lines: plot(chart, in: rest)
        }
    }

    // MARK: Texts

    /// Shows a text on one line, at the side where reading begins, or at the other.
    private func text(
        _ text: String,
        _ font: Canvas.Font = .small,
        x: Double,
        y: Double,
        width: Double,
        atEnd: Bool = false,
        direction: Canvas.Direction = .ofText
    ) {
        canvas.layOut(
            PrintedText.onOneLine(text),
            in: font,
            at: .name,
            width: width,
            most: 1,
            side: atEnd ? side.end : side.start,
            direction: direction
        )
        canvas.show(.name, x: x, y: y)
    }

    /// A number in the middle of a place.
    private func mark(_ text: String, x: Double, y: Double) {
        let extent = canvas.layOut(text, in: .small, at: .name, direction: .leftToRight)
        canvas.show(.name, x: x - extent.width / 2, y: y - extent.height / 2)
    }

    private func percent(_ tenths: Int) -> String {
        PrintedText.plain(percents.text("\(tenths / 10).\(tenths % 10)")) + "\u{a0}%"
    }

    func amount(_ units: Int128) -> String {
        let scale = (0..<digits).reduce(Int128(1)) { power, _ in power * 10 }
        let sign = units < 0 ? "-" : ""
        let (whole, part) = units.magnitude.quotientAndRemainder(dividingBy: scale.magnitude)
        let behind = String(scale.magnitude + part).dropFirst()
        return sign + String(whole) + (digits > 0 ? "." + behind : "")
    }

    // MARK: Pies

    private func pie(_ chart: PrintedChart, in box: Box) {
        let radius = min(box.height / 2 - 16, box.width * 0.24)
        let pieWidth = 2 * radius + 36
        let x = side.isRightToLeft ? box.x + box.width - pieWidth / 2 : box.x + pieWidth / 2
        let y = box.y + box.height / 2
        guard let series = chart.series.first else { return }
        let pie = Pie(series.values, tenths: chart.tenths)
        guard !pie.slices.isEmpty else {
            // Without labels: there is nothing that one could tell of.
            canvas.wedge(x: x, y: y, radius: radius, .empty)
            return
        }
        let given = pie.slices.map { slice in
            slice.index.map { Tint(series.colours[$0 % max(series.colours.count, 1)]) } ?? .others
        }
        let tints = Tint.apart(given, isRing: true)
        for (slice, tint) in zip(pie.slices, tints) {
            let angles = (start: slice.start - Pie.turn / 4, end: slice.end - Pie.turn / 4)
            let isWhole = pie.slices.count == 1
            canvas.wedge(
                x: x,
                y: y,
                radius: radius,
                tint,
                between: isWhole ? nil : angles,
                edgeWidth: 1.5
            )
        }
        canvas.circle(x: x, y: y, radius: radius, .edge)
        for (number, slice) in pie.slices.enumerated() {
            let middle = (slice.start + slice.end) / 2 - Pie.turn / 4
            mark(
                PrintedText.plain(wholes.count(number + 1)),
                x: x + (radius + 9) * cos(middle),
                y: y + (radius + 9) * sin(middle)
            )
        }
        let legend = Box(
            x: side.isRightToLeft ? box.x : box.x + pieWidth + 12,
            y: box.y,
            width: box.width - pieWidth - 12,
            height: box.height
        )
        self.legend(pie, tints, chart, in: legend)
    }

    /// Number, colour, name and percent of each slice, a line each.
    private func legend(_ pie: Pie, _ tints: [Tint], _ chart: PrintedChart, in box: Box) {
        let line = min(18, box.height / Double(pie.slices.count))
        var y = box.y + (box.height - line * Double(pie.slices.count)) / 2
        func x(_ at: Double, _ width: Double) -> Double {
            side.isRightToLeft ? box.x + box.width - at - width : box.x + at
        }
        let nameWidth = box.width - 34 - 52
        for (number, (slice, tint)) in zip(pie.slices, tints).enumerated() {
            let count = PrintedText.plain(wholes.count(number + 1))
            text(count, x: x(0, 16), y: y, width: 16, atEnd: true, direction: .leftToRight)
            canvas.box(x: x(21, 8), y: y + 1.5, width: 8, height: 8, tint)
            let name = slice.index.map { chart.names[$0] } ?? chart.others
            text(name, x: x(34, nameWidth), y: y, width: nameWidth)
            text(
                percent(slice.tenths),
                x: x(34 + nameWidth + 4, 48),
                y: y,
                width: 48,
                atEnd: true,
                direction: .leftToRight
            )
            y += line
        }
    }

    // MARK: Bars and lines

    /// Dashes by which lines are told apart.
    private static let dashes: [[Double]] = [
        [], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [5, 1, 1, 1],
    ]

    private func plot(_ chart: PrintedChart, in box: Box) {
        let series = chart.drawn
        let axis = Axis(series.lazy.flatMap(\.values))
        let given = series.map { Tint($0.colours.first ?? Tint.others.rgb).readable }
        let tints = Tint.apart(given, isRing: false)
        guard axis.step > 0, !chart.names.isEmpty else {
            // An empty graph, without labels.
            frame(in: Box(x: box.x, y: box.y, width: box.width, height: box.height - 16))
            return
        }
        let key = keys(series, tints, chart.shape, in: box)
        let labels = axis.ticks.map { tick(of: axis, $0) }
        let widest = labels.map { canvas.layOut($0, in: .small, at: .name).width }.max() ?? 0
        let margin = min(widest + 6, box.width * 0.4)
        let inner = Box(
            x: box.x + margin,
            y: box.y + key + 6,
            width: box.width - margin,
            height: box.height - key - 6 - 16
        )
        for (value, label) in zip(axis.ticks, labels) {
            let y = inner.y + inner.height * (1 - axis.place(value))
            let isZero = value == 0
            canvas.line(
                [(inner.x, y), (inner.x + inner.width, y)],
                width: isZero ? 0.8 : 0.4,
                isZero ? .axis : .grid
            )
            canvas.layOut(
                label,
                in: .small,
                at: .name,
                width: margin - 4,
                most: 1,
                side: .right,
                direction: .leftToRight
            )
            canvas.show(.name, x: box.x, y: y - 5, grey: 0.25)
        }
        for (index, one) in series.enumerated() {
            switch chart.shape {
            case .bars: bars(one, (index, series.count), tints[index], axis, in: inner)
            case .lines, .pie: line(one, index, tints[index], axis, in: inner)
            }
        }
        dayLabels(chart.names, in: inner)
    }

    private func tick(of axis: Axis, _ value: Int128) -> String {
        let scale = (0..<digits).reduce(Int128(1)) { power, _ in power * 10 }
        return PrintedText.plain(
            axis.step % scale == 0
                ? wholes.text(String(value / scale)) : amounts.text(amount(value))
        )
    }

    private func frame(in box: Box) {
        canvas.line(
            [(box.x, box.y), (box.x, box.y + box.height), (box.x + box.width, box.y + box.height)],
            width: 0.8,
            .axis
        )
    }

    /// The names of series, three in a row; how high they are.
    private func keys(
        _ series: [PrintedSeries],
        _ tints: [Tint],
        _ shape: PrintedChart.Shape,
        in box: Box
    ) -> Double {
        let width = box.width / 3
        for (index, one) in series.enumerated() {
            let (row, column) = (Double(index / 3), Double(index % 3))
            let y = box.y + row * 14
            let x =
                side.isRightToLeft
                ? box.x + box.width - (column + 1) * width : box.x + column * width
            let signX = side.isRightToLeft ? x + width - 24 : x
            if shape == .bars {
                canvas.box(x: signX + 8, y: y + 1.5, width: 8, height: 8, tints[index])
            } else {
                canvas.line(
                    [(signX, y + 6), (signX + 24, y + 6)],
                    width: 1.6,
                    tints[index],
                    dashes: Self.dashes[index % Self.dashes.count]
                )
            }
            text(one.name, x: side.isRightToLeft ? x : x + 29, y: y, width: width - 37)
        }
        return Double((series.count + 2) / 3) * 14
    }

    private func bars(
        _ series: PrintedSeries,
        _ place: (index: Int, count: Int),
        _ tint: Tint,
        _ axis: Axis,
        in box: Box
    ) {
        let slot = box.width / Double(series.values.count)
        let width = min(slot * 0.8 / Double(place.count), 48)
        let zero = axis.place(0)
        for (index, value) in series.values.enumerated() where value != 0 {
            let middle = box.x + slot * (Double(index) + 0.5)
            let x = middle + width * (Double(place.index) - Double(place.count) / 2)
            let (top, bottom) = (max(axis.place(value), zero), min(axis.place(value), zero))
            canvas.box(
                x: x,
                y: box.y + box.height * (1 - top),
                width: width,
                height: box.height * (top - bottom),
                tint,
                edge: width < 3 ? tint : .edge
            )
        }
    }

    private func line(
        _ series: PrintedSeries,
        _ index: Int,
        _ tint: Tint,
        _ axis: Axis,
        in box: Box
    ) {
        let slot = box.width / Double(series.values.count)
        let points = series.values.enumerated().map { at, value in
            (
                x: box.x + slot * (Double(at) + 0.5),
                y: box.y + box.height * (1 - axis.place(value))
            )
        }
        canvas.line(
            points,
            width: 1.6,
            tint,
            dashes: Self.dashes[index % Self.dashes.count]
        )
        // One point is no line; of many, points would be a thicker one.
        guard points.count <= 31 else { return }
        for point in points {
            canvas.wedge(x: point.x, y: point.y, radius: 2.2, tint, edge: .white, edgeWidth: 0.5)
        }
    }

    /// As many days below as have room.
    private func dayLabels(_ names: [String], in box: Box) {
        let texts = names.map { name in
            let day = String(name.prefix { $0 != "/" })
            return days.text(day) ?? day
        }
        let widths = texts.map { canvas.layOut($0, in: .small, at: .name).width }
        let slot = box.width / Double(texts.count)
        let every = Int((((widths.max() ?? 0) + 8) / slot).rounded(.up))
        var end = -Double.infinity
        for (index, text) in texts.enumerated() where index % max(every, 1) == 0 {
            let width = widths[index]
            let middle = box.x + slot * (Double(index) + 0.5)
            // The first and the last are moved into the box, and the next may be in their way.
            let x = min(max(middle - width / 2, box.x), box.x + box.width - width)
            guard x >= end + 6 else { continue }
            end = x + width
            canvas.layOut(text, in: .small, at: .name)
            canvas.show(.name, x: x, y: box.y + box.height + 4, grey: 0.25)
        }
    }
}
