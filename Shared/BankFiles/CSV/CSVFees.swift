/// The amounts of rows, less what the bank took beside them where that is so.
///
/// Some banks tell amounts with their fees, some without: the balances prove which. Where they
/// prove neither, it is as the mapping or the exporter says; and if none says it, nothing is taken
/// off.
struct CSVFees {
    let amounts: [Int64]
    let chain: CSVBalances?
    /// Whether fees were taken off.
    let areTaken: Bool
    /// What nothing decides.
    let doubt: String?

    init(_ amounts: [Int64], _ fees: [Int64], _ balances: [Int64]?, _ areTold: Bool) {
        let plain = balances.flatMap { CSVBalances(amounts, $0) }
        // Amounts and fees are magnitudes within 63 bits: what is beyond them is no amount.
        let reduced = zip(amounts, fees).compactMap { amount, fee -> Int64? in
            let (less, isOver) = amount.subtractingReportingOverflow(fee)
            return isOver || less == .min ? nil : less
        }
        guard fees.contains(where: { $0 != 0 }), reduced.count == amounts.count else {
            self.amounts = amounts
            chain = plain
            areTaken = areTold
            doubt = nil
            return
        }
        let lessChain = balances.flatMap { CSVBalances(reduced, $0) }
        let isProved = (plain == nil) != (lessChain == nil)
        areTaken = isProved ? lessChain != nil : areTold
        self.amounts = areTaken ? reduced : amounts
        chain = areTaken ? lessChain : plain
        doubt =
            isProved || areTold
            ? nil
            : "a column tells fees that are not taken off the amounts: name it as \"fee\" in the "
                + "mapping if they are to be"
    }
}
