/// How an amount falls on several, to the last minor unit.
///
/// The rule for remainders: every share is rounded down, and what is left over goes, one minor unit
/// each, to the first in the order of the parts whose share was rounded. Whoever's share came out
/// even pays no more than that, and the same parts always give the same shares.
enum Division {
    /// Why an amount cannot be divided so.
    enum Failure: Error, Equatable {
        /// There is nobody to bear it.
        case noWeight
        /// A weight is below zero.
        case negative(index: Int)
        /// The weights sum to more than 64 bits.
        case overflow
    }

    /// Shares in proportion to `weights`, summing to `amount` exactly.
    ///
    /// Each is within one minor unit of its exact value.
    /// - Parameters:
    ///   - amount: minor units, not below zero.
    ///   - weights: none below zero, their sum above it.
    static func proportional(
        _ amount: Int64,
        weights: [Int64]
    ) throws(Failure) -> [Int64] {
        // Cannot fire: an expense that is read has an amount above zero (`NewExpense.json`).
        precondition(amount >= 0)
        if let index = weights.firstIndex(where: { $0 < 0 }) { throw .negative(index: index) }
        var total: Int64 = 0
        for weight in weights {
            let (sum, overflow) = total.addingReportingOverflow(weight)
            if overflow { throw .overflow }
            total = sum
        }
        guard total > 0 else { throw .noWeight }
        var shares: [Int64] = []
        var rounded: [Int] = []
        var left = amount
        for (index, weight) in weights.enumerated() {
            // 128 bits, so that no product of an amount and a weight is lost; the quotient is at
            // most the amount, for no weight is above the total.
            let product = amount.magnitude.multipliedFullWidth(by: weight.magnitude)
            let (quotient, remainder) = total.magnitude.dividingFullWidth(product)
            shares.append(Int64(quotient))
            left -= Int64(quotient)
            if remainder > 0 { rounded.append(index) }
        }
        // The cut-off fractions sum to what is left, each below one: there are more of them.
        for index in rounded.prefix(Int(left)) { shares[index] += 1 }
        return shares
    }

    /// The same for each.
    static func equal(_ amount: Int64, among count: Int) throws(Failure) -> [Int64] {
        try proportional(amount, weights: Array(repeating: 1, count: count))
    }
}
