/// Parts of a whole in tenths of a percent that add to 100.0 exactly.
public enum Percentages {
    /// The percentage of each part; all zero where the whole is.
    ///
    /// Each is rounded down, and the tenths that are missing go to those that lost most by it, the
    /// first of equals first: no part is off by a tenth or more.
    /// Source: the largest-remainder method (Hamilton).
    /// - Parameter parts: none below zero.
    /// - Throws: `.overflow` where a thousand times the whole is beyond 128 bits.
    public static func of(_ parts: [Int128]) throws(MoneyError) -> [ExactDecimal] {
        try apportion(1_000, among: parts).map { ExactDecimal(coefficient: $0, scale: 1) }
    }

    /// The percentage of each part of a part that has so many tenths of a percent: likewise, so
    /// that they add to it.
    public static func of(
        _ parts: [Int128],
        within tenths: Int64
    ) throws(MoneyError) -> [ExactDecimal] {
        try apportion(tenths, among: parts).map { ExactDecimal(coefficient: $0, scale: 1) }
    }

    /// The tenths of a percent of each part; they add to `tenths`, or are zero as the whole is.
    public static func apportion(
        _ tenths: Int64,
        among parts: [Int128]
    ) throws(MoneyError) -> [Int64] {
        // Cannot fire: the parts are magnitudes, by whoever sums them.
        precondition(parts.allSatisfy { $0 >= 0 }, "a part of a whole is not below zero")
        var total: Int128 = 0
        for part in parts {
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow, sum <= Int128.max / 1_000 else { throw .overflow }
            total = sum
        }
        guard total > 0 else { return parts.map { _ in 0 } }
        let whole = Int128(tenths)
        var shares = parts.map { Int64($0 * whole / total) }
        let lost = parts.map { $0 * whole % total }
        let missing = tenths - shares.reduce(0, +)
        let order = parts.indices.sorted { (lost[$1], $0) < (lost[$0], $1) }
        for index in order.prefix(Int(missing)) { shares[index] += 1 }
        return shares
    }
}
