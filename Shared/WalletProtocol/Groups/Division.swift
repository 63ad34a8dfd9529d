/// Divides an amount into shares that sum to it, to the last minor unit.
///
/// Each share is rounded down. The units that are left over go, one each, to the shares that lost
/// most by it. Among shares that lost the same they go in the order of the parts, cyclically,
/// beginning at the index that `Turn` gives; a share that came out even gets none.
/// A negative amount is divided as its magnitude, and the shares are negated.
/// Source: the largest-remainder method (Hamilton).
public enum Division {
    /// Why an amount cannot be divided.
    public enum Failure: Error, Equatable {
        /// All weights are zero, or there are none.
        case noWeight
        /// A weight is below zero.
        case negative(index: Int)
        /// The weights sum to more than 64 bits.
        case overflow
    }

    /// Decides which part begins where several lost the same.
    public struct Turn: Sendable, Hashable {
        private let sum: Int128

        /// The turn of an expense: the days since 1970-01-01 of its date, and the magnitude of its
        /// amount in minor units.
        public init(on day: Day, _ amount: Int64) {
            sum = Int128(day.daysSince1970) + Int128(amount.magnitude)
        }

        /// The index at which the odd units begin, in 0..<count.
        func start(among count: Int) -> Int {
            let rest = Int(sum % Int128(count))
            return rest < 0 ? rest + count : rest
        }
    }

    /// Shares in proportion to `weights`, each within one minor unit of its exact value.
    /// - Parameter weights: none below zero, their sum above it.
    public static func proportional(
        _ amount: Int64,
        weights: [Int64],
        turn: Turn
    ) throws(Failure) -> [Int64] {
        if let index = weights.firstIndex(where: { $0 < 0 }) { throw .negative(index: index) }
        var total: Int64 = 0
        for weight in weights {
            let (sum, overflow) = total.addingReportingOverflow(weight)
            if overflow { throw .overflow }
            total = sum
        }
        guard total > 0 else { throw .noWeight }
        var shares: [UInt64] = []
        var lost: [UInt64] = []
        var left = amount.magnitude
        for weight in weights {
            // 128 bits hold every product; the quotient is at most the amount, for no weight is
            // above the total.
            let product = amount.magnitude.multipliedFullWidth(by: weight.magnitude)
            let (quotient, remainder) = total.magnitude.dividingFullWidth(product)
            shares.append(quotient)
            lost.append(remainder)
            left -= quotient
        }
        let start = turn.start(among: weights.count)
        let cycle = (start..<weights.count).map { $0 } + (0..<start).map { $0 }
        // The lost fractions sum to what is left, and each is below one: there are more of them.
        for index in cycle.stablySorted(by: lost).prefix(Int(left)) { shares[index] += 1 }
        // Wraps: the least number, which has no counterpart above zero, is its own.
        return shares.map { Int64(truncatingIfNeeded: amount < 0 ? 0 &- $0 : $0) }
    }

    /// The same for each.
    public static func equal(
        _ amount: Int64,
        among count: Int,
        turn: Turn
    ) throws(Failure) -> [Int64] {
        try proportional(amount, weights: Array(repeating: 1, count: count), turn: turn)
    }
}

extension [Int] {
    /// Those that lost most first, those that lost the same in their order.
    fileprivate func stablySorted(by lost: [UInt64]) -> [Int] {
        enumerated().sorted { one, other in
            (lost[other.element], one.offset) < (lost[one.element], other.offset)
        }.map(\.element)
    }
}
