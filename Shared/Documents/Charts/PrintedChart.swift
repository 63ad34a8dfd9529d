/// A chart as it is drawn; amounts are exact, in minor units.
public struct PrintedChart: Sendable, Hashable {
    /// How it is drawn.
    public enum Shape: String, Sendable {
        /// Parts of a whole; what is not above zero is no slice.
        case pie
        /// Amounts side by side.
        case bars
        /// Amounts over time.
        case lines
    }

    /// How.
    public var shape: Shape
    /// What it shows.
    public var title: String
    /// What each amount of a series is of: a slice's name, else days as `PrintedTable` has them.
    public var names: [String]
    /// One of a pie; of others, largest first, those that are more than can be told apart are one.
    public var series: [PrintedSeries]
    /// Of a pie, the tenths of a percent of each slice.
    public var tenths: [Int]
    /// What those together are called that are too small or too many.
    public var others: String
    /// What it does not show; empty where it shows all.
    public var note: String

    /// All of it.
    public init(
        _ shape: Shape,
        title: String,
        names: [String],
        series: [PrintedSeries],
        tenths: [Int] = [],
        others: String,
        note: String = ""
    ) {
        self.shape = shape
        self.title = title
        self.names = names
        self.series = series
        self.tenths = tenths
        self.others = others
        self.note = note
    }
}

/// Amounts of a chart that belong together.
public struct PrintedSeries: Sendable, Hashable {
    /// What they are of.
    public var name: String
    /// Their colour, 0xRRGGBB; of a pie one for each slice.
    public var colours: [UInt32]
    /// In minor units, one for each name of the chart.
    public var values: [Int128]

    /// All of it.
    public init(name: String, colours: [UInt32], values: [Int128]) {
        self.name = name
        self.colours = colours
        self.values = values
    }
}

extension PrintedChart {
    func append(to list: inout TextList) {
        list.append([shape.rawValue, title, others, note])
        list.append(names)
        list.append(tenths.map { String($0) })
        list.append(String(series.count))
        for one in series {
            list.append(one.name)
            list.append(one.colours.map { String($0) })
            list.append(one.values.map { String($0) })
        }
    }

    init?(_ list: inout TextList) {
        guard let head = list.nextList(), head.count == 4, let shape = Shape(rawValue: head[0]),
            let names = list.nextList(), let tenths = list.nextNumbers(Int.self),
            let count = list.nextCount()
        else { return nil }
        var series: [PrintedSeries] = []
        for _ in 0..<count {
            guard let name = list.next(), let colours = list.nextNumbers(UInt32.self),
                let values = list.nextNumbers(Int128.self), values.count == names.count
            else { return nil }
            series.append(PrintedSeries(name: name, colours: colours, values: values))
        }
        guard shape != .pie || series.count == 1 && tenths.count == names.count else { return nil }
        self.init(
            shape,
            title: head[1],
            names: names,
            series: series,
            tenths: tenths,
            others: head[2],
            note: head[3]
        )
    }
}

/// Texts in a row, lists among them after their lengths.
struct TextList {
    private(set) var texts: [String]
    private var place = 0

    init(_ texts: [String] = []) { self.texts = texts }

    mutating func append(_ text: String) { texts.append(text) }

    mutating func append(_ list: [String]) {
        texts.append(String(list.count))
        texts += list
    }

    mutating func next() -> String? {
        guard place < texts.count else { return nil }
        defer { place += 1 }
        return texts[place]
    }

    /// A number of things that follow.
    mutating func nextCount() -> Int? {
        guard let text = next(), let count = Int(text), (0...texts.count).contains(count) else {
            return nil
        }
        return count
    }

    mutating func nextList() -> [String]? {
        guard let count = nextCount(), count <= texts.count - place else { return nil }
        defer { place += count }
        return Array(texts[place..<place + count])
    }

    mutating func nextNumbers<Number: FixedWidthInteger>(_: Number.Type) -> [Number]? {
        guard let list = nextList() else { return nil }
        let numbers = list.compactMap { Number($0) }
        return numbers.count == list.count ? numbers : nil
    }
}
