/// The slices of a pie, the largest first, clockwise from the top.
struct Pie: Equatable {
    /// A slice between two angles, which are 0 at the top and a whole turn at most.
    struct Slice: Equatable {
        /// Which of the values; nil for what is put together.
        let index: Int?
        let value: Int128
        /// Of a percent.
        let tenths: Int
        let start: Double
        let end: Double
    }

    static let turn = 2 * Double.pi
    /// As many can be told apart, and named beside it.
    static let slicesMax = 12
    /// Less of the whole is put together, or numbers at slices would stand on each other.
    static let shareLeast = 0.02
    /// So many stand for themselves, however small: a pie of one is none.
    static let slicesLeast = 6

    let slices: [Slice]

    /// Values that are not above zero, refunds say, are no slices: the table tells of them.
    /// - Parameter tenths: of a percent, one for each value.
    init(_ values: [Int128], tenths: [Int]) {
        let order = values.indices.filter { values[$0] > 0 }
            .sorted { (values[$1], $0) < (values[$0], $1) }
        let total = order.reduce(Int128(0)) { $0 + values[$1] }
        var kept = order.prefix { Double(values[$0]) >= Self.shareLeast * Double(total) }.count
        kept = max(kept, min(order.count, Self.slicesLeast))
        if order.count > Self.slicesMax || kept < order.count {
            kept = min(kept, Self.slicesMax - 1)
        }
        // One alone is itself.
        if order.count == kept + 1 { kept = order.count }
        var parts: [(index: Int?, value: Int128, tenths: Int)] = order.prefix(kept)
            .map { ($0, values[$0], tenths[$0]) }
        let rest = order.dropFirst(kept)
        if !rest.isEmpty {
            let value = rest.reduce(Int128(0)) { $0 + values[$1] }
            parts.append((nil, value, rest.reduce(0) { $0 + tenths[$1] }))
        }
        var (slices, sum) = ([Slice](), Int128(0))
        for part in parts {
            let start = Self.angle(sum, of: total)
            sum += part.value
            slices.append(
                Slice(
                    index: part.index,
                    value: part.value,
                    tenths: part.tenths,
                    start: start,
                    end: Self.angle(sum, of: total)
                )
            )
        }
        self.slices = slices
    }

    /// Where so much of the whole ends: of the whole exactly a turn.
    private static func angle(_ part: Int128, of whole: Int128) -> Double {
        part == whole ? turn : Double(part) / Double(whole) * turn
    }
}
